// The public API, as programs use it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "hipsight/hipsight.h"

namespace hipsight {
namespace {

using ::testing::HasSubstr;

Gpu open(const char* name, GpuOptions options = {}) {
  return *Gpu::open(name, options);
}

std::vector<std::byte> content(const char* path) {
  std::ifstream in(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  std::vector<std::byte> bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

double amount(const std::vector<Amount>& amounts, std::string_view of) {
  for (const Amount& amount : amounts)
    if (amount.of == of) return amount.value;
  return 0;
}

class OnGpu : public ::testing::TestWithParam<const char*> {
 protected:
  Gpu gpu_ = open(GetParam());
  Module module_ = *gpu_.load_file(KERNELS);
};

TEST_P(OnGpu, launches_and_counts) {
  constexpr unsigned n = 1000;
  const Buffer a = *gpu_.allocate(n * 4), b = *gpu_.allocate(n * 4);
  for (unsigned i = 0; i < n; ++i) a.as<float>()[i] = 1, b.as<float>()[i] = float(i);
  const Kernel triad = *module_.kernel("triad");
  const KernelReport report = *triad.launch({.grid = {4}, .block = {256}}, n, 2.0f, a, b);
  for (unsigned i = 0; i < n; ++i) ASSERT_EQ(a.as<float>()[i], 1 + 2 * float(i));
  EXPECT_EQ(report.counts.launches, 1u);
  EXPECT_EQ(report.counts.workgroups, 4u);
  EXPECT_EQ(report.counts.waves, 1024 / report.kernel.wavefront_size);
  EXPECT_EQ(report.counts.global.read, 2.0 * n * 4);
  EXPECT_EQ(report.counts.global.written, 1.0 * n * 4);
  EXPECT_EQ(amount(report.counts.vector_operations, "f32"), 2.0 * n);
  EXPECT_EQ(report.counts.floating_operations, 2.0 * n);
  EXPECT_EQ(report.grid, (Dim3{4, 1, 1}));
  EXPECT_EQ(report.verdict.why_none, "not asked for");
  EXPECT_FALSE(report.roofline.roofs.empty());
  EXPECT_FALSE(report.prediction);
  EXPECT_FALSE(report.profile);
  EXPECT_TRUE(report.findings.empty());
}

TEST_P(OnGpu, records_what_is_launched) {
  constexpr unsigned n = 1 << 14, few = n / 8;
  const Buffer a = *gpu_.allocate(n * 4), b = *gpu_.allocate(n * 4);
  const Kernel triad = *module_.kernel("triad");
  const auto launch = [&](unsigned items) {
    const LaunchConfig config{
        .grid = {items / 256}, .block = {256}, .predict = true, .range = items < n ? "small" : ""};
    return *triad.launch(config, items, 2.0f, a, b);
  };
  const Recording all = *gpu_.record(), counts = *gpu_.record({.predict = false});
  const double large = launch(n).prediction->seconds, small = launch(few).prediction->seconds;
  launch(n);
  ASSERT_TRUE(counts.stop());
  launch(n);
  const RunReport report = *all.report();
  EXPECT_EQ(report.gpu.name, gpu_.facts().name);
  EXPECT_EQ(report.launches, 4u);
  ASSERT_EQ(report.kernels.size(), 1u);
  const KernelReport& one = report.kernels[0];
  EXPECT_EQ(one.counts.launches, 4u);
  EXPECT_EQ(one.counts.global.written, 4.0 * (3 * n + few));
  EXPECT_TRUE(one.grids_differ);
  EXPECT_NEAR(one.verdict.seconds, 3 * large + small, 0.02 * (3 * large + small));
  const std::vector<RecordedLaunch> launches = *all.launches();
  ASSERT_EQ(launches.size(), 4u);
  EXPECT_EQ(launches[1].grid, (Dim3{n / 8 / 256}));
  EXPECT_EQ(launches[1].kernel, triad.facts().title);
  EXPECT_EQ(launches[1].range, "small");
  EXPECT_EQ(launches[3].range, "");
  EXPECT_EQ(launches[3].bound, one.verdict.bound);
  EXPECT_EQ(launches[2].bound, launches[0].bound);
  EXPECT_NEAR(launches[1].seconds, small, 0.02 * small);
  EXPECT_EQ(counts.launches()->size(), 3u);
  EXPECT_EQ(counts.report()->kernels[0].verdict.why_none, "not asked for");
}

TEST_P(OnGpu, checks_what_is_launched_while_it_records) {
  const Buffer out = *gpu_.allocate(256 * 4);
  const Kernel race = *module_.kernel("race");
  const auto launch = [&] { ASSERT_TRUE(race.launch({.grid = {1}, .block = {256}}, out)); };
  const Recording checked = *gpu_.record({.predict = false, .check = "memcheck,racecheck"});
  launch();
  launch();
  const RunReport report = *checked.report();
  EXPECT_EQ(report.checked, "memcheck,racecheck");
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].tool, "racecheck");
  EXPECT_THAT(report.findings[0].text, HasSubstr("race in LDS"));
  EXPECT_GE(report.findings[0].count, 2u);
  ASSERT_TRUE(checked.stop());
  const Recording unchecked = *gpu_.record({.predict = false});
  launch();
  EXPECT_TRUE(unchecked.report()->findings.empty());
}

TEST_P(OnGpu, has_no_check_of_what_it_cannot_see) {
  const auto refused = [](const Gpu& gpu, const char* tools) {
    const auto recording = gpu.record({.check = tools});
    EXPECT_FALSE(recording);
    EXPECT_EQ(recording.error().kind, Error::Kind::Usage);
    return recording.error().text;
  };
  EXPECT_THAT(refused(gpu_, "racecheck,speedcheck"), HasSubstr("no tool 'speedcheck'"));
  EXPECT_THAT(refused(gpu_, "racecheck,"), HasSubstr("no tool ''"));
  EXPECT_THAT(refused(gpu_, "leakcheck"), HasSubstr("of a whole program"));
  EXPECT_THAT(refused(open(GetParam(), {.timing_only = true}), "memcheck"),
              HasSubstr("computes no results"));
}

TEST_P(OnGpu, computes_nothing_where_only_time_is_asked_for) {
  const Gpu gpu = open(GetParam(), {.timing_only = true});
  const Module module = *gpu.load_file(KERNELS);
  constexpr unsigned n = 1 << 20;
  const Buffer a = *gpu.allocate(n * 4), b = *gpu.allocate(n * 4);
  std::ranges::fill(b.as<float>(), 1.0f);
  const Kernel triad = *module.kernel("triad");
  const Recording recording = *gpu.record();
  for (int i = 0; i < 3; ++i)
    ASSERT_TRUE(triad.launch({.grid = {n / 256}, .block = {256}}, n, 2.0f, a, b));
  EXPECT_GT(std::ranges::count(a.as<float>(), 0.0f), n / 2);  // not those that were observed
  const RunReport report = *recording.report();
  EXPECT_TRUE(report.timing_only);
  EXPECT_TRUE(report.estimated.empty());
  ASSERT_EQ(report.kernels.size(), 1u);
  EXPECT_EQ(report.kernels[0].counts.launches, 3u);
  EXPECT_EQ(report.kernels[0].counts.global.written, 3.0 * n * 4);
  const std::vector<RecordedLaunch> launches = *recording.launches();
  ASSERT_EQ(launches.size(), 3u);

  const Recording usual = *gpu_.record();
  const Buffer c = *gpu_.allocate(n * 4), d = *gpu_.allocate(n * 4);
  (void)module_.kernel("triad")->launch({.grid = {n / 256}, .block = {256}}, n, 2.0f, c, d);
  for (const RecordedLaunch& one : launches)
    EXPECT_NEAR(one.seconds, usual.launches()->at(0).seconds, 0.02 * one.seconds);
  // Nobody records: the counts are those of all of it.
  ASSERT_TRUE(recording.stop());
  const KernelReport alone = *triad.launch({.grid = {n / 256}, .block = {256}}, n, 2.0f, a, b);
  EXPECT_EQ(alone.counts.global.written, 1.0 * n * 4);
  EXPECT_FALSE(alone.prediction || alone.profile);
}

TEST_P(OnGpu, predicts_and_profiles_when_asked) {
  constexpr unsigned n = 1 << 16;
  const Buffer a = *gpu_.allocate(n * 4), b = *gpu_.allocate(n * 4);
  const Kernel triad = *module_.kernel("triad");
  const LaunchConfig config{.grid = {n / 256}, .block = {256}, .profile = 8, .predict = true};
  const KernelReport report = *triad.launch(config, n, 2.0f, a, b);
  ASSERT_TRUE(report.prediction && report.profile && report.registers);
  EXPECT_GT(report.prediction->seconds, report.prediction->launch_seconds);
  EXPECT_FALSE(report.prediction->bound.sentence.empty());
  EXPECT_EQ(report.verdict.bound, report.prediction->bound.sentence);
  EXPECT_EQ(report.verdict.seconds, report.prediction->seconds);
  ASSERT_FALSE(report.prediction->lines.empty());
  EXPECT_EQ(report.profile->workgroups, n / 256u);
  EXPECT_GE(report.profile->observed, 8u);
  // Each byte is asked for once, 32 at a time.
  EXPECT_EQ(report.profile->all.bytes, 3.0 * n * 4);
  EXPECT_EQ(report.profile->all.sectors * report.profile->sector_bytes, 3.0 * n * 4);
  ASSERT_FALSE(report.profile->lines.empty());
  EXPECT_THAT(report.profile->lines[0].at.file, HasSubstr("triad.hip"));
}

/// A launch that runs once is predicted for other GPUs as it would be on each.
TEST_P(OnGpu, predicts_for_other_gpus_that_run_the_same_code) {
  constexpr unsigned n = 1 << 20;
  const LaunchConfig config{.grid = {n / 256}, .block = {256}, .predict = true};
  LaunchConfig with_others = config;
  const std::string target = gpu_.facts().target_id;
  for (const GpuFacts& one : *Gpu::known())
    if (one.target_id == target) with_others.also.push_back(one.name);
  const auto launch = [&](const Gpu& gpu, const LaunchConfig& how) {
    // Where caches see them alike each time.
    static std::vector<float> memory(std::size_t{1} << 22);
    const std::span all = std::as_writable_bytes(std::span(memory));
    const Buffer a = *gpu.lend(all.first(n * 4)), b = *gpu.lend(all.last(n * 4));
    return *gpu.load_file(KERNELS)->kernel("triad")->launch(how, n, 2.0f, a, b);
  };
  const KernelReport report = launch(gpu_, with_others);
  ASSERT_EQ(report.also.size(), with_others.also.size());
  for (std::size_t i = 0; i < report.also.size(); ++i) {
    const OtherGpu& there = report.also[i];
    EXPECT_EQ(there.gpu, with_others.also[i]);
    const KernelReport alone = launch(open(there.gpu.c_str()), config);
    EXPECT_EQ(there.prediction.seconds, alone.prediction->seconds) << there.gpu;
    EXPECT_EQ(there.verdict.seconds, alone.verdict.seconds) << there.gpu;
    EXPECT_EQ(there.verdict.bound, alone.verdict.bound) << there.gpu;
    EXPECT_EQ(there.occupancy.sentence, alone.occupancy.sentence) << there.gpu;
  }
  LaunchConfig wrong = config;
  wrong.also = {target.starts_with("gfx942") ? "mi355x" : "mi300x"};
  const Buffer a = *gpu_.allocate(n * 4);
  const auto refused = module_.kernel("triad")->launch(wrong, n, 2.0f, a, a);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, Error::Kind::Usage);
  EXPECT_THAT(refused.error().text, HasSubstr("one target only"));
}

TEST_P(OnGpu, finds_kernels_by_name) {
  EXPECT_TRUE(module_.kernel("triad"));
  EXPECT_TRUE(module_.kernel("_Z4fillIiEvPT_S0_"));
  EXPECT_TRUE(module_.kernel("void fill<double>"));
  EXPECT_EQ(module_.kernel("fill<double>")->facts().name, "_Z4fillIdEvPT_S0_");
  EXPECT_FALSE(module_.kernel("fill"));
  const auto none = module_.kernel("tri");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, Error::Kind::NotFound);
  EXPECT_THAT(none.error().text, HasSubstr("triad"));
}

TEST_P(OnGpu, has_variables) {
  ASSERT_TRUE((*module_.kernel("count")).launch({.grid = {1}, .block = {64}}, 2));
  int counter = 0, managed = 0;
  std::memcpy(&counter, (*module_.variable("counter")).data(), sizeof counter);
  std::memcpy(&managed, (*module_.variable("managed")).data(), sizeof managed);
  EXPECT_EQ(counter, 5 + 64 * 2);
  EXPECT_EQ(managed, 7 + 64 * 2);
  EXPECT_EQ(module_.variable("nothing").error().kind, Error::Kind::NotFound);
}

TEST_P(OnGpu, works_on_memory_that_is_lent) {
  std::vector<int> numbers(64, 1);
  const std::span bytes = std::as_writable_bytes(std::span(numbers));
  const Kernel fill = *module_.kernel("void fill<int>");
  const LaunchConfig config{.grid = {1}, .block = {64}};
  {
    const Buffer lent = *gpu_.lend(bytes, "numbers");
    EXPECT_EQ(lent.data(), bytes.data());
    ASSERT_TRUE(fill.launch(config, lent, 3));
    EXPECT_EQ(numbers, std::vector<int>(64, 3));
    const auto again = gpu_.lend(bytes.subspan(4, 4), "some of them");
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().kind, Error::Kind::Usage);
    EXPECT_THAT(again.error().text, HasSubstr("some of them"));
  }
  EXPECT_FALSE(gpu_.lend({}));
  const auto late = fill.launch(config, numbers.data(), 4);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().kind, Error::Kind::MemoryAccess);
  EXPECT_EQ(numbers, std::vector<int>(64, 3));
}

TEST_P(OnGpu, shows_reports_as_the_command_does) {
  const Buffer a = *gpu_.allocate(64 * 4);
  const auto report =
      (*module_.kernel("void fill<int>")).launch({.grid = {1}, .block = {64}}, a, 1);
  RunReport run;
  run.gpu = gpu_.facts();
  run.kernels = {*report};
  EXPECT_THAT(*to_text(run), testing::AllOf(HasSubstr(gpu_.facts().title), HasSubstr("fill<int>")));
  EXPECT_THAT(*to_text(run, "all"), HasSubstr("occupancy"));
  EXPECT_THAT(*to_html(run), testing::AllOf(testing::StartsWith("<!"), HasSubstr("fill")));
  EXPECT_EQ(to_text(run, "everything").error().kind, Error::Kind::Usage);
  EXPECT_THAT(*to_json(run), testing::AllOf(testing::StartsWith("{"), HasSubstr("fill<int>")));
}

TEST_P(OnGpu, says_what_a_kernel_did_wrong) {
  const Kernel wild = *module_.kernel("wild");
  const auto error = wild.launch({.grid = {1}, .block = {1}}, std::uint64_t{0x1000}).error();
  EXPECT_EQ(error.kind, Error::Kind::MemoryAccess);
  EXPECT_EQ(error.place, "wild");
  EXPECT_THAT(error.text, HasSubstr("kernels.hip"));
  EXPECT_EQ((*module_.kernel("trap")).launch({.grid = {1}, .block = {1}}, 1).error().kind,
            Error::Kind::Trap);
  // And goes on.
  EXPECT_TRUE((*module_.kernel("trap")).launch({.grid = {1}, .block = {1}}, 0));
}

TEST_P(OnGpu, ends_what_never_ends) {
  const Gpu impatient = open(GetParam(), {.timeout_seconds = 0.2});
  const Module module = *impatient.load_file(KERNELS);
  const Buffer flag = *impatient.allocate(4);
  EXPECT_EQ((*module.kernel("endless")).launch({.grid = {1}, .block = {1}}, flag).error().kind,
            Error::Kind::Timeout);
}

TEST_P(OnGpu, finds_accesses_that_a_gpu_lets_pass) {
  const Buffer buffer = *gpu_.allocate(4000, "my buffer");
  const Kernel beyond = *module_.kernel("beyond");
  const Recording recording = *gpu_.record({.predict = false});
  const KernelReport report = *beyond.launch({.grid = {1}, .block = {1}}, buffer, 1000);
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_THAT(report.findings[0].text, HasSubstr("my buffer"));
  const RunReport recorded = *recording.report();
  ASSERT_EQ(recorded.kernels.at(0).findings.size(), 1u);
  EXPECT_EQ(recorded.kernels[0].findings[0].text, report.findings[0].text);
  EXPECT_EQ(met(recorded, "launches == 1")->size(), 1u);
  EXPECT_EQ(met(recorded, "launches = 1").error().kind, Error::Kind::Usage);
  const Gpu strict = open(GetParam(), {.strict = true});
  const Module module = *strict.load_file(KERNELS);
  const Buffer other = *strict.allocate(4000);
  EXPECT_EQ(
      (*module.kernel("beyond")).launch({.grid = {1}, .block = {1}}, other, 1000).error().kind,
      Error::Kind::MemoryAccess);
}

TEST_P(OnGpu, simulates_as_much_as_is_asked_for) {
  const unsigned n = 30000 * 256;
  const Buffer x = *gpu_.allocate(n * sizeof(float)), y = *gpu_.allocate(n * sizeof(float));
  const auto simulated = [&](std::uint64_t instructions) {
    const LaunchConfig config{.grid = {n / 256},
                              .block = {256},
                              .profile = 16,
                              .predict = true,
                              .sampled_only = true,
                              .simulate = instructions};
    return module_.kernel("triad")->launch(config, n, 2.0f, x, y)->prediction->simulated;
  };
  EXPECT_LT(simulated(1), simulated(0));
}

TEST_P(OnGpu, refuses_launches_that_no_gpu_would_take) {
  const Buffer a = *gpu_.allocate(4);
  const Kernel triad = *module_.kernel("triad");
  const auto error = [&](const LaunchConfig& config, const auto&... arguments) {
    const auto report = triad.launch(config, arguments...);
    EXPECT_FALSE(report);
    if (report) return std::string();
    EXPECT_EQ(report.error().kind, Error::Kind::InvalidLaunch);
    return report.error().text;
  };
  EXPECT_THAT(error({.grid = {1}, .block = {1}}, 1u, 1.0f, a), HasSubstr("3 arguments are given"));
  EXPECT_THAT(error({.grid = {1}, .block = {1}}, 1u, 1.0, a, a),
              HasSubstr("argument 2 is given with 8 bytes"));
  EXPECT_THAT(error({.grid = {0}, .block = {1}}, 1u, 1.0f, a, a), HasSubstr("a grid of 0"));
  EXPECT_THAT(error({.grid = {1}, .block = {2048}}, 1u, 1.0f, a, a), HasSubstr("beyond 1024"));
  EXPECT_THAT(error({.grid = {1}, .block = {1}, .dynamic_lds = 1 << 20}, 1u, 1.0f, a, a),
              HasSubstr("LDS"));
  EXPECT_THAT(error({.grid = {~0u, ~0u, ~0u}, .block = {1}}, 1u, 1.0f, a, a),
              HasSubstr("beyond 2^64"));
}

TEST_P(OnGpu, names_files_without_code_for_it) {
  const auto file = content(KERNELS);
  EXPECT_TRUE(gpu_.load(file, "kernels"));
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, std::size_t{100}, file.size() / 2}) {
    const auto cut = gpu_.load(std::span(file).first(size), "cut");
    ASSERT_FALSE(cut) << size;
    EXPECT_EQ(cut.error().kind, Error::Kind::BadCode);
    EXPECT_THAT(cut.error().text, HasSubstr("cut"));
  }
  const auto none = gpu_.load_file("/no/such/file");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, Error::Kind::NotFound);
  EXPECT_THAT(none.error().text, HasSubstr("/no/such/file"));
  EXPECT_THAT(open("mi210").load_file(KERNELS).error().text, HasSubstr("gfx90a"));
}

INSTANTIATE_TEST_SUITE_P(Api, OnGpu, ::testing::Values("mi300x", "rx7900xtx"),
                         [](const auto& info) { return std::string(info.param); });

TEST(Api, knows_gpus) {
  const std::vector<GpuFacts> all = *Gpu::known();
  EXPECT_GE(all.size(), 10u);
  for (const GpuFacts& gpu : all) EXPECT_TRUE(Gpu::open(gpu.name)) << gpu.name;
  const auto none = Gpu::open("mi9000");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, Error::Kind::NotFound);
  EXPECT_THAT(none.error().text, HasSubstr("mi300x"));
  EXPECT_EQ(Gpu::open("mi300x", {.timeout_seconds = -1}).error().kind, Error::Kind::Usage);
}

TEST(Api, memory_ends_where_the_gpus_does) {
  const Gpu gpu = open("rx7900xtx");
  EXPECT_EQ(gpu.allocate(0).error().kind, Error::Kind::Usage);
  const auto much = gpu.allocate(std::size_t{25} << 30, "weights");
  ASSERT_FALSE(much);
  EXPECT_EQ(much.error().kind, Error::Kind::OutOfMemory);
  EXPECT_THAT(much.error().text, HasSubstr("weights"));
}

TEST(Api, what_is_held_lives) {
  std::optional<Kernel> fill;
  std::optional<Buffer> buffer;
  {
    const Gpu gpu = open("mi300x");
    const Module module = *gpu.load_file(KERNELS);
    fill = *module.kernel("void fill<int>");
    buffer = *gpu.allocate(64 * 4);
  }
  ASSERT_TRUE(fill->launch({.grid = {1}, .block = {64}}, *buffer, 3));
  for (const int value : buffer->as<int>()) EXPECT_EQ(value, 3);
}

TEST(Api, several_gpus_and_threads_at_once) {
  std::vector<std::thread> threads;
  for (const char* name : {"mi300x", "rx7900xtx"}) {
    const Gpu gpu = open(name);
    const Module module = *gpu.load_file(KERNELS);
    for (int value = 1; value <= 2; ++value)
      threads.emplace_back([gpu, module, value] {
        const Kernel fill = *module.kernel("void fill<int>");
        const Buffer buffer = *gpu.allocate(4096 * 4);
        for (int round = 0; round < 20; ++round) {
          ASSERT_TRUE(fill.launch({.grid = {16}, .block = {256}}, buffer, value + round));
          for (const int found : buffer.as<int>()) ASSERT_EQ(found, value + round);
        }
      });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(Api, reads_no_environment) {
  const std::vector<std::pair<const char*, const char*>> variables = {
      {"HIPSIGHT_MATRIX", "nonsense"}, {"HIPSIGHT_ENGINE", "nonsense"},
      {"HIPSIGHT_GPU", "nonsense"},    {"HIPSIGHT_THREADS", "0"},
      {"HIPSIGHT_GPU_PATH", "/dev"},   {"HSA_XNACK", "1"}};
  for (const auto& [name, value] : variables) setenv(name, value, 1);
  const auto gpu = Gpu::open("mi300x");
  for (const auto& [name, value] : variables) unsetenv(name);
  ASSERT_TRUE(gpu);
  EXPECT_THAT(gpu->facts().target_id, HasSubstr("xnack-"));
  EXPECT_TRUE(gpu->load_file(KERNELS));
}

TEST(Api, prints_nothing) {
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  {
    const Gpu gpu = open("mi300x");
    const Module module = *gpu.load_file(KERNELS);
    const Buffer buffer = *gpu.allocate(4000);
    EXPECT_FALSE((*module.kernel("wild")).launch({.grid = {1}, .block = {1}}, std::uint64_t{64}));
    EXPECT_TRUE((*module.kernel("beyond")).launch({.grid = {1}, .block = {1}}, buffer, 1000));
    EXPECT_FALSE(gpu.load_file("/no/such/file"));
  }
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace hipsight
