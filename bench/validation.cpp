// Predicted against measured times (docs/timing.md): runs the programs of bench/validation under
// `hipsight profile` and compares what it says with the figures beside them.
#include "validation/validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>

#include "table.h"
#include "validation/gemm/gemm.h"
#include "validation/statistics.h"

namespace hipsight::bench {
namespace {

namespace fs = std::filesystem;

/// Errors of times in percent: a time is as long as the bandwidth is short.
std::vector<double> errors(const std::vector<Point>& points, double Point::* model) {
  std::vector<double> result;
  for (const Point& p : points) result.push_back(100 * (p.measured / (p.*model) - 1));
  return result;
}
double rank(const std::vector<Point>& points) {
  std::vector<double> measured, predicted;
  for (const Point& p : points) measured.push_back(p.measured), predicted.push_back(p.predicted);
  return rank_correlation(measured, predicted);
}

/// A checkout of ROCm/aiter, if its GEMMs are to be profiled anew.
std::string gemm_source;

int run(const std::string& json) {
  const std::vector<Point> all = stream_points();
  std::map<std::string, std::vector<Point>> families;
  for (const Point& p : all) families[p.gpu + " " + p.kernel].push_back(p);

  fmt::print("{:18} {:>6} {:>7} {:>7} {:>7} {:>7} {:>10} {:>10}\n", "family", "points", "median",
             "p90", "bias", "rank", "specified", "measured");
  std::vector<double> correlations;
  const auto print = [&](const std::string& name, const std::vector<Point>& points, double rank) {
    const auto e = errors(points, &Point::predicted);
    fmt::print("{:18} {:6} {:5.1f} % {:5.1f} % {:+5.1f} % {:>7} {:8.1f} % {:8.1f} %\n", name,
               points.size(), quantile(e, 0.5), quantile(e, 0.9), mean(e),
               std::isnan(rank) ? "" : fmt::format("{:.3f}", rank),
               quantile(errors(points, &Point::specified_roof), 0.5),
               quantile(errors(points, &Point::measured_roof), 0.5));
  };
  for (const auto& [name, points] : families) {
    correlations.push_back(rank(points));
    print(name, points, correlations.back());
  }
  // What was fitted on measurements was fitted on this GPU's (docs/timing.md).
  std::vector<Point> fitted, held_out;
  for (const Point& p : all) (p.gpu == "mi210" ? fitted : held_out).push_back(p);
  print("fitted: mi210", fitted, NAN);
  print("all others", held_out, NAN);
  print("all", all, mean(correlations));
  fmt::print(
      "\nAbsolute errors of predicted times; bias: mean, below 0 too short; rank: Spearman's "
      "within a family;\nthe last two columns: the medians of the two rooflines.\n\n");

  std::ofstream points(fs::path(json).replace_extension(".points.csv"));
  points << "gpu,kernel,shape,measured_gb_per_s,predicted_gb_per_s\n";
  for (const Point& p : all)
    points << fmt::format("{},{},{},{:.0f},{:.0f}\n", p.gpu, p.kernel, p.shape, p.measured * 1e-9,
                          p.predicted * 1e-9);

  const std::vector<double> counters = vcopy_errors();
  fmt::print("\n");
  const std::vector<GemmPoint> gemms = gemm_points(gemm_source);
  const GemmErrors gemm =
      print_gemms(gemms, fs::path(json).replace_extension(".gemm.csv").string());

  const auto e = errors(held_out, &Point::predicted);
  return publish({{.name = "stream, not fitted: median error of times",
                   .value = quantile(e, 0.5),
                   .unit = "%",
                   .high_is_better = false,
                   .floor = 20,
                   .aim = 8},
                  {.name = "stream, not fitted: 90th percentile",
                   .value = quantile(e, 0.9),
                   .unit = "%",
                   .high_is_better = false,
                   .floor = NAN,
                   .aim = NAN},
                  {.name = "stream: mean rank correlation of families",
                   .value = mean(correlations),
                   .unit = "",
                   .high_is_better = true,
                   .floor = 0.9,
                   .aim = 0.98},
                  {.name = "GEMM binaries not fitted: median error of times",
                   .value = gemm.median,
                   .unit = "%",
                   .high_is_better = false,
                   .floor = 10,
                   .aim = 4},
                  {.name = "GEMM binaries not fitted: 90th percentile",
                   .value = gemm.p90,
                   .unit = "%",
                   .high_is_better = false,
                   .floor = 30,
                   .aim = 12},
                  {.name = "vcopy: median error of counters",
                   .value = quantile(counters, 0.5),
                   .unit = "%",
                   .high_is_better = false,
                   .floor = 5,
                   .aim = 1}},
                 json);
}

}  // namespace
}  // namespace hipsight::bench

int main(int argc, char** argv) {
  if (argc == 4 && std::string_view(argv[2]) == "--source") {
    hipsight::bench::gemm_source = argv[3];
    argc = 2;
  }
  return hipsight::bench::main_of(argc, argv, hipsight::bench::run);
}
