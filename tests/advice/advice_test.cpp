// What hipsight advises on kernels with a planted defect: it names that defect first, the gain that
// it promises is the one that the kernel without the defect has, and of that it says nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "hipsight/hipsight.h"

namespace hipsight {
namespace {

struct Shape {
  double rounds = 4;  ///< workgroups of each compute unit, or WGP
  std::uint32_t block = 256;
  int n = 64;  ///< the kernel's measure of work
  int launches = 1;
};

struct Case {
  const char *name, *defect;
  Shape bad = {}, good = {};
  const char* only_on = "";  ///< a GPU; empty: all
  const char* kernel = "";   ///< of both; empty: name_bad and name_good
  double works = 1;          ///< times as much is done by the twin
  /// The advice says among how many the work is to be shared: the twin's work is.
  bool shared = false;
};

struct Planted {
  Case of;
  std::string gpu;
};
void PrintTo(const Planted& p, std::ostream* out) {
  *out << p.of.name << " on " << p.gpu;
}

/// The kernels on a GPU, with what they read and write.
struct Loaded {
  explicit Loaded(const std::string& name)
      : gpu(*Gpu::open(name)),
        module(*gpu.load_file(PLANTED)),
        out(*gpu.allocate(std::size_t{1} << 30)),
        in(*gpu.allocate(std::size_t{1} << 32)) {}
  KernelReport launch(const std::string& kernel, const Shape& shape) const {
    const bool rdna = gpu.facts().wavefront_size == 32;
    const double units = gpu.facts().compute_units / (rdna ? 2.0 : 1.0);
    const LaunchConfig config{.grid = {static_cast<std::uint32_t>(shape.rounds * units)},
                              .block = {shape.block},
                              .profile = 64,
                              .predict = true,
                              .sampled_only = true};
    const auto recording = gpu.record({.profile = 64});
    for (int i = 0; i < shape.launches; ++i)
      if (const auto report = module.kernel(kernel)->launch(config, out, in, shape.n); !report)
        ADD_FAILURE() << report.error().text;
    return recording->report()->kernels.at(0);
  }
  Gpu gpu;
  Module module;
  Buffer out, in;
};
const Loaded& on(const std::string& gpu) {
  static std::map<std::string, Loaded> all;
  return all.try_emplace(gpu, gpu).first->second;
}

class Advised : public testing::TestWithParam<Planted> {};

/// "share its work among 8 times as many workgroups"
Shape shared_among(Shape shape, const Advice& advice) {
  const std::string words = "share its work among ";
  EXPECT_EQ(advice.change.rfind(words, 0), 0u) << advice.change;
  const double parts = std::atof(advice.change.c_str() + words.size());
  shape.rounds *= parts;
  shape.n = static_cast<int>(shape.n / parts);
  return shape;
}

TEST_P(Advised, planted_advice) {
  const auto& [of, gpu] = GetParam();
  const std::string kernel = of.kernel, name = of.name;
  const KernelReport bad = on(gpu).launch(kernel.empty() ? name + "_bad" : kernel, of.bad);
  ASSERT_TRUE(bad.prediction);
  ASSERT_FALSE(bad.verdict.advice.empty())
      << bad.prediction->seconds << " s, bound by " << bad.verdict.bound;
  const Advice& first = bad.verdict.advice.front();
  EXPECT_EQ(first.id, of.defect) << first.evidence;
  const KernelReport good = on(gpu).launch(kernel.empty() ? name + "_good" : kernel,
                                           of.shared ? shared_among(of.bad, first) : of.good);
  ASSERT_TRUE(good.prediction);
  const double promised = bad.prediction->seconds * (1 - first.gain) * of.works,
               twin = good.prediction->seconds;
  EXPECT_NEAR(promised / twin, 1, 0.25)
      << bad.prediction->seconds << " s now, " << promised << " promised, twin " << twin;
  for (const Advice& one : good.verdict.advice)
    EXPECT_NE(one.id, of.defect) << one.evidence << ", " << one.gain;
}

constexpr Shape many{}, long_loop{.rounds = 2, .n = 1024}, one_each{.rounds = 1},
    narrow{.rounds = 1, .block = 128}, room{.rounds = 8}, sums{.rounds = 2, .n = 4096},
    spilling{.rounds = 1, .block = 128, .n = 16}, one_wave{.rounds = 1, .block = 64, .n = 4096};
constexpr Case cases[]{
    {"conflicts", "lds-bank-conflicts", long_loop, long_loop},
    {"conflicts_wide", "lds-bank-conflicts", long_loop, long_loop},
    {"conflicts_store", "lds-bank-conflicts", long_loop, long_loop},
    {"bins", "contended-atomics", long_loop, long_loop},
    {"fields", "uncoalesced-access", many, many},
    {"pairs_of_fields", "uncoalesced-access", many, many},
    {"field_stores", "uncoalesced-access", {.n = 16}, {.n = 16}},
    {"bytes", "narrow-access", {.n = 256}, {.n = 256}},
    {"halves", "narrow-access", {.rounds = 2}, {.rounds = 2}},
    {"floats", "narrow-access", one_each, one_each},
    {"late", "late-loads", narrow, narrow},
    {"waits", "strong-waits", narrow, narrow},
    {"by_hand", "strong-waits", narrow, narrow},
    {"lds", "occupancy", room, room},
    {"vgprs", "occupancy", room, room},
    {"branch", "divergence", many, many},
    {"trips", "divergence", {.n = 2}, {.n = 2}},
    {"loop", "short-loop", one_wave, one_wave},
    {"chain", "dependent-results", one_wave, one_wave, "rx7900xtx"},
    {"matrices", "dependent-results", one_wave, one_wave, "mi300x"},
    {"packed", "unpacked-math", sums, sums},
    // On RDNA what is left of spills, copies between registers, is half as long again as promised.
    {"spills", "register-spills", spilling, spilling, "mi300x"},
    {"array", "scratch-arrays", {.n = 256}, {.n = 256}},
    {.name = "small_grid",
     .defect = "small-grid",
     .bad = {.rounds = 1.0 / 16, .n = 65536},
     .kernel = "work",
     .shared = true},
    {.name = "tail",
     .defect = "tail",
     .bad = {.rounds = 1.05, .block = 1024, .n = 8192},
     .kernel = "work",
     .shared = true},
    {.name = "launch",
     .defect = "launch-overhead",
     .bad = {.rounds = 1, .n = 8192, .launches = 2},
     .good = {.rounds = 1, .n = 8192 * 16, .launches = 2},
     .kernel = "work",
     .works = 16},
};

std::vector<Planted> planted() {
  std::vector<Planted> all;
  for (const char* const gpu : {"mi300x", "rx7900xtx"})
    for (const Case& one : cases)
      if (std::string_view(one.only_on).empty() || std::string_view(one.only_on) == gpu)
        all.push_back({one, gpu});
  return all;
}

INSTANTIATE_TEST_SUITE_P(planted_advice, Advised, testing::ValuesIn(planted()),
                         [](const auto& test) {
                           return std::string(test.param.of.name) + "_on_" + test.param.gpu;
                         });

}  // namespace
}  // namespace hipsight
