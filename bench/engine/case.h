#pragma once
// One row of the suite: a kernel, its result's check, and what it is measured against.

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "engine/gpu.h"
#include "table.h"

namespace hipsight::bench {

struct Case {
  std::string name = {};
  std::function<Ran()> launch;
  /// Clears the result, launches, and compares with a reference. @throws Exception when it is
  /// wrong.
  std::function<void()> check;
  double work = 0;                ///< of a launch
  const char* unit = "";          ///< of 10^9 of it a second: "GFLOP/s"
  const char* against;            ///< what `other` is
  std::function<double()> other;  ///< processor seconds that it takes for the same work
  double floor, aim;              ///< of the speed, as a multiple of the other's
};

/// What was measured: medians.
struct Speed {
  double ratio;         ///< of pairs of runs, one after the other: other's seconds by ours
  double rate;          ///< 10^9 of the case's work a second
  double other_rate;    ///< the same of the other
  double instructions;  ///< 10^9 wave-instructions a second
};

/// Checks, launches until all that is worth it has been translated, takes the times, and checks
/// again.
Speed measure(const Case& what);

/// Launches until all that is worth it has been translated.
void warm_up(const Case& what);

/// The row of a case.
Row row_of(const Case& what, const Speed& speed);

double median(std::vector<double> values);

/// What the environment asks for (docs/configuration.md), on one host thread.
engine::Options usual_options();

/// How cases are made: each on a GPU of its own, with kernels of these programs.
struct Place {
  std::string gpu;  ///< "mi300x"
  std::filesystem::path build;
  engine::Options options = usual_options();
  std::filesystem::path kernels() const;  ///< kernels.hip
  std::filesystem::path example(const std::string& name) const;
};

enum class Word { F16, Bf16 };

Case sgemm_case(const Place& place, int part, int n);  ///< part: 1, 4 or 8
/// `of_library`: the kernel library's.
Case gemm_case(const Place& place, Word word, int n, bool of_library = false);
Case flash_attention_case(const Place& place, int queries);
Case copy_case(const Place& place);
Case saxpy_case(const Place& place);
Case saxpy_exp_case(const Place& place);
Case gather_case(const Place& place);
Case histogram_case(const Place& place, bool global);
Case mandelbrot_case(const Place& place);

/// What compiling costs, in a process that has compiled nothing so far.
std::vector<Row> compiling_rows(const Place& place);
/// What does not depend on a single kernel: compiling, a second core, counting, starting.
std::vector<Row> cost_rows(const Place& place);

/// What it costs to observe the kernels' addresses. `build`: as in Place.
Row observing_row(const std::filesystem::path& build);

/// Pairs of runs, one after the other, that fill some seconds: seconds of each.
std::vector<std::pair<double, double>> pairs(const std::function<double()>& one,
                                             const std::function<double()>& other);

/// Seconds that this host needs for so many FLOP of FMAs in registers: its peak.
double seconds_at_peak(double flop);

/// Values in [-1, 1] that are exact in f16.
std::vector<float> random_values(std::size_t count, unsigned seed);
/// @throws Exception unless |got - want| <= tolerance.
void expect_near(double got, double want, double tolerance, std::size_t at);

}  // namespace hipsight::bench
