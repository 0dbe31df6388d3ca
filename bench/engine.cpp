// Speed of the engine on one host thread: kernels on two emulated GPUs, beside native code of the
// same structure and what the host can do at most. Processor time; medians of pairs of runs, one
// of ours and one of the other, so that what else the machine does matters little.
//   bench_engine FILE.json    (run by ./dev bench engine)
// HIPSIGHT_BENCH=WORD measures only kernels with this in their names ("gfx1100: histogram"), or
// "costs": what does not depend on a single kernel; "observing": what it costs to observe them.

#include "engine/engine.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <string_view>

#include "config/environment.h"
#include "engine/case.h"
#include "engine/host.h"
#include "engine/native.h"

namespace hipsight::bench {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

double geomean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += std::log(value);
  return std::exp(sum / static_cast<double>(values.size()));
}

/// Wave-instructions a second, in 10^9, of some kernels: as measured, and as they would be with
/// that row of the table just met.
struct Instructions {
  std::vector<double> measured, at_floor, at_aim;

  void add(const Case& what, const Speed& speed) {
    measured.push_back(speed.instructions);
    at_floor.push_back(speed.instructions * what.floor / speed.ratio);
    at_aim.push_back(speed.instructions * what.aim / speed.ratio);
  }
  Row mean(std::string name, double floor, double aim) const {
    const std::string unit = "G wave-instructions/s";
    return {.name = std::move(name),
            .value = geomean(measured),
            .unit = unit,
            .floor = floor,
            .aim = aim,
            .beside = {{unit + " if every row were at its floor", geomean(at_floor)},
                       {unit + " at its aim", geomean(at_aim)}}};
  }
};

/// The kernels by which the aim for wave-instructions a second was set (docs/translator.md).
bool counts_instructions(const std::string& what) {
  return what.starts_with("fp32 GEMM") || what == "f16 GEMM, matrix instructions" ||
         what == "mandelbrot, divergent";
}

class Suite {
 public:
  Suite(std::filesystem::path build, std::string word)
      : build_(std::move(build)), word_(std::move(word)) {}

  void run_on(const std::string& gpu, const std::string& processor) {
    const Place place{.gpu = gpu, .build = build_};
    gpu_ = processor;
    std::map<double, int> parts;  // by rate
    for (const int part : {1, 4, 8}) {
      const auto speed = add(part == 1 ? "fp32 GEMM, tiles of 16x16 in LDS"
                                       : fmt::format("fp32 GEMM, {0}x{0} a work-item", part),
                             [&] { return sgemm_case(place, part, 512); });
      if (speed) parts[speed->rate] = part;
    }
    if (!parts.empty()) add_best(sgemm_case(place, parts.rbegin()->second, 512));
    add("f16 GEMM, matrix instructions", [&] { return gemm_case(place, Word::F16, 512); });
    add("bf16 GEMM, matrix instructions", [&] { return gemm_case(place, Word::Bf16, 512); });
    add("bf16 GEMM of the kernel library",
        [&] { return gemm_case(place, Word::Bf16, 1024, true); });
    add("f16 GEMM, exact against fast", [&] { return exact_case(place); });
    add("FlashAttention forward 4096x128, causal",
        [&] { return flash_attention_case(place, 4096); });
    add("copy of 64 MiB", [&] { return copy_case(place); });
    add("saxpy of 64 MiB arrays", [&] { return saxpy_case(place); });
    add("saxpy with exp of 64 MiB arrays", [&] { return saxpy_exp_case(place); });
    add("mandelbrot, divergent", [&] { return mandelbrot_case(place); });
    add("histogram in LDS", [&] { return histogram_case(place, false); });
    add("histogram by global atomics", [&] { return histogram_case(place, true); });
    add("random gather from 16 MiB", [&] { return gather_case(place); });
  }

  /// What does not depend on a single kernel.
  void add_costs(const std::string& gpu) {
    if (!word_.empty() && word_ != "costs") return;
    for (Row& row : cost_rows({.gpu = gpu, .build = build_})) rows_.push_back(std::move(row));
  }
  void add_observing() {
    if (word_.empty() || word_ == "observing") rows_.push_back(observing_row(build_));
  }

  std::vector<Row> rows() {
    std::vector<Row> all;
    if (counted_.measured.size() > 1)
      all.push_back(counted_.mean("geometric mean of fp32 and f16 GEMMs, mandelbrot", 0.4, 0.8));
    if (all_.measured.size() > 1)
      all.push_back(all_.mean("geometric mean of all kernels", none, none));
    all.insert(all.end(), rows_.begin(), rows_.end());
    return all;
  }

 private:
  std::string name(const std::string& what) const { return gpu_ + ": " + what; }

  /// Measures a case, if it is wanted.
  template <class Make>
  std::optional<Speed> add(const std::string& what, Make make) {
    if (name(what).find(word_) == std::string::npos) return {};
    Case made = make();
    made.name = name(what);
    fmt::print(stderr, "{}\n", made.name);
    const Speed speed = measure(made);
    all_.add(made, speed);
    if (counts_instructions(what)) counted_.add(made, speed);
    rows_.push_back(row_of(made, speed));
    return speed;
  }

  /// The quickest fp32 GEMM once more, beside the host's peak.
  void add_best(Case made) {
    made.name = name("best fp32 GEMM");
    made.against = "FMA peak";
    made.other = [flop = made.work] { return seconds_at_peak(flop); };
    made.floor = 0.35, made.aim = 0.7;
    rows_.push_back(row_of(made, measure(made)));
  }

  static Case exact_case(Place place) {
    const auto fast = std::make_shared<Case>(gemm_case(place, Word::F16, 256));
    warm_up(*fast);
    place.options.matrix = engine::MatrixMode::Exact;
    Case exact = gemm_case(place, Word::F16, 256);
    exact.against = "fast";
    exact.floor = 0.1, exact.aim = 0.25;
    exact.other = [fast] { return fast->launch().seconds; };
    return exact;
  }

  std::filesystem::path build_;
  std::string word_, gpu_;
  Instructions all_, counted_;
  std::vector<Row> rows_;
};

double host_copy() {
  constexpr std::size_t floats = std::size_t{1} << 24;
  std::vector<float> from(floats, 1.0f), to(floats);
  return best_of(9, [&] {
    const double begin = thread_seconds();
    native::copy(floats, from.data(), to.data());
    return 2.0 * floats * sizeof(float) / (thread_seconds() - begin) * 1e-9;
  });
}

int run(const std::string& json) {
  setenv("HIPSIGHT_CACHE", "off", 1);  // what is compiled here is compiled anew
  engine::set_host(engine::Host::of(config::read().config));
  const char* word = std::getenv("HIPSIGHT_BENCH");
  const auto build = std::filesystem::canonical("/proc/self/exe").parent_path().parent_path();
  if (word && word == std::string_view("compiling"))
    return publish(compiling_rows({.gpu = "mi300x", .build = build}), json);
  fmt::print("one thread, {} code, processor time, medians\n", engine::Engine::host_isa());
  Suite suite(build, word ? word : "");
  suite.run_on("mi300x", "gfx942");
  suite.run_on("rx7900xtx", "gfx1100");
  suite.add_costs("mi300x");
  suite.add_observing();
  auto rows = suite.rows();
  rows.push_back({.name = "host: copy of 64 MiB, read and written",
                  .value = host_copy(),
                  .unit = "GB/s",
                  .floor = none,
                  .aim = none});
  rows.push_back({.name = "host: FMA in registers",
                  .value = best_of(9, [] { return 1e-9 / seconds_at_peak(1); }),
                  .unit = "GFLOP/s",
                  .floor = none,
                  .aim = none});
  fmt::print("\n\n");
  return publish(rows, json);
}

}  // namespace
}  // namespace hipsight::bench

int main(int argc, char** argv) {
  return hipsight::bench::main_of(argc, argv, hipsight::bench::run);
}
