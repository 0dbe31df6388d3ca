// Predicted against measured times (docs/timing.md): runs the programs of bench/validation under
// `hipsight profile` and compares what it says with the figures beside them.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <sstream>
#include <stdexcept>

#include "gpus/gpu.h"
#include "table.h"

namespace hipsight::bench {
namespace {

namespace fs = std::filesystem;

/// One measured time, and what models say of it. Bytes per second, of the bytes that must move.
struct Point {
  std::string gpu, kernel, shape;
  double measured = 0, predicted = 0;
  double specified_roof = 0, measured_roof = 0;
};

/// build/, where this program lies in bin.
fs::path build_folder() {
  return fs::read_symlink("/proc/self/exe").parent_path().parent_path();
}

/// The report of `program` under `hipsight profile`.
nlohmann::json profile(const std::string& gpu, const std::string& program) {
  const fs::path build = build_folder(),
                 file = fs::temp_directory_path() / fmt::format("hipsight.{}.json", getpid());
  const std::string command =
      fmt::format("{}/hipsight profile --gpu {} --no-report --json {} -- {}/bench/{}",
                  build.string(), gpu, file.string(), build.string(), program);
  const int status = std::system(command.c_str());
  if (status != 0) throw std::runtime_error(fmt::format("'{}' failed", command));
  std::ifstream in(file);
  nlohmann::json report = nlohmann::json::parse(in);
  fs::remove(file);
  return report;
}

std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> result;
  std::istringstream in(line);
  for (std::string cell; std::getline(in, cell, ',');) result.push_back(cell);
  return result;
}

/// Arrays that each kernel of stream.hip moves.
const std::map<std::string, double> arrays{{"init", 1},  {"read", 1},     {"scale", 2},
                                           {"triad", 4}, {"stencil3", 2}, {"stencil5", 2}};

std::vector<Point> stream(const std::string& table) {
  std::ifstream in(table);
  if (!in) throw std::runtime_error("cannot read " + table);
  std::string line;
  std::getline(in, line);  // where the figures come from
  std::getline(in, line);
  const std::vector<std::string> head = cells(line);
  std::vector<Point> points;
  while (std::getline(in, line)) {
    const std::vector<std::string> row = cells(line);
    if (row.size() != head.size()) throw std::runtime_error("malformed row: " + line);
    const gpus::Gpu gpu = gpus::find(row[0]);
    const std::size_t block = std::stoul(row[1]), workgroups = std::stoul(row[2]);
    // Enough rounds that the begin and the end do not count; measured were 2^28 elements.
    const std::size_t elements =
        std::min<std::size_t>(gpu.compute_units * block * workgroups * 24, 8'000'000);
    const auto kernels =
        profile(row[0], fmt::format("stream {} {} {}", block, workgroups, elements))["kernels"];
    for (std::size_t k = 3; k < head.size(); ++k) {
      const auto& prediction = kernels.at(k - 3).at("prediction");
      const double seconds =
          prediction.at("seconds").get<double>() - prediction.at("launch_seconds").get<double>();
      points.push_back({.gpu = row[0],
                        .kernel = head[k],
                        .shape = fmt::format("{} x {}", block, workgroups),
                        .measured = std::stod(row[k]) * 1e9,
                        .predicted = arrays.at(head[k]) * 8.0 * double(elements) / seconds,
                        .specified_roof = gpu.dram_gb_per_s * 1e9,
                        .measured_roof = gpu.dram_gb_per_s_measured.value_or(0) * 1e9});
    }
  }
  return points;
}

/// Errors of times in percent: a time is as long as the bandwidth is short.
std::vector<double> errors(const std::vector<Point>& points, double Point::* model) {
  std::vector<double> result;
  for (const Point& p : points) result.push_back(100 * (p.measured / (p.*model) - 1));
  return result;
}
double quantile(std::vector<double> values, double q) {
  for (double& value : values) value = std::fabs(value);
  std::ranges::sort(values);
  return values.empty()
             ? NAN
             : values[std::min(values.size() - 1, std::size_t(q * double(values.size())))];
}
double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / double(values.size());
}

/// Spearman's rank correlation of predicted and measured.
double rank_correlation(const std::vector<Point>& points) {
  const auto ranks = [&](double Point::* figure) {
    std::vector<std::size_t> order(points.size());
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return points[i].*figure; });
    std::vector<double> rank(points.size());
    for (std::size_t i = 0; i < order.size(); ++i) rank[order[i]] = double(i);
    return rank;
  };
  const auto a = ranks(&Point::measured), b = ranks(&Point::predicted);
  double squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i) squares += (a[i] - b[i]) * (a[i] - b[i]);
  const auto n = double(a.size());
  return 1 - 6 * squares / (n * (n * n - 1));
}

int run(const std::string& json) {
  const std::vector<Point> all = stream(HIPSIGHT_VALIDATION "/stream.csv");
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
    correlations.push_back(rank_correlation(points));
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
                   .aim = 0.98}},
                 json);
}

}  // namespace
}  // namespace hipsight::bench

int main(int argc, char** argv) {
  return hipsight::bench::main_of(argc, argv, hipsight::bench::run);
}
