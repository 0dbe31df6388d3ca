// Predicted against measured times (docs/timing.md): runs the programs of bench/validation under
// `hipsight profile` and compares what it says with the figures beside them.
#include "validation/validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>

#include "table.h"
#include "validation/bands.h"
#include "validation/families/families.h"
#include "validation/gemm/candidates.h"
#include "validation/gemm/gemm.h"
#include "validation/statistics.h"
#include "validation/variants/variants.h"

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
VariantSources variant_sources;
/// The only part that runs, if not all do: "stream", "memory", "vcopy", "variants", "families",
/// "gemm" or "tuner". Or what is no part of the whole: "fixed" or "sampling".
std::string only;
bool runs(const std::string& part) {
  return only.empty() || only == part;
}
/// Of all parts that ran.
std::vector<Outcome> outcomes;
void note(const std::vector<Point>& points) {
  for (const Point& p : points)
    outcomes.push_back({p.gpu, p.model_family, p.family + " " + p.kernel, p.fitted,
                        100 * (p.measured / p.predicted - 1)});
}

using Families = std::map<std::string, std::vector<Point>>;
Families grouped(const std::vector<Point>& points,
                 const std::function<std::string(const Point&)>& name) {
  Families families;
  for (const Point& p : points) families[name(p)].push_back(p);
  return families;
}

void print_head(const std::string& what) {
  fmt::print("{:38} {:>6} {:>7} {:>7} {:>7} {:>7} {:>10} {:>10}\n", what, "points", "median", "p90",
             "bias", "rank", "specified", "measured");
}
void print(const std::string& name, const std::vector<Point>& points, double rank = NAN) {
  const auto e = errors(points, &Point::predicted);
  fmt::print("{:38} {:6} {:5.1f} % {:5.1f} % {:+5.1f} % {:>7} {:8.1f} % {:8.1f} %\n", name,
             points.size(), quantile(e, 0.5), quantile(e, 0.9), mean(e),
             std::isnan(rank) ? "" : fmt::format("{:.3f}", rank),
             quantile(errors(points, &Point::specified_roof), 0.5),
             quantile(errors(points, &Point::measured_roof), 0.5));
}
constexpr std::string_view legend =
    "\nAbsolute errors of predicted times; bias: mean, below 0 too short; rank: Spearman's within "
    "a "
    "family;\nthe last two columns: the medians of the two rooflines.\n\n";

void write_points(const std::vector<Point>& points, const std::string& csv) {
  std::ofstream out(csv);
  out << "half,gpu,family,kernel,shape,measured_gb_per_s,predicted_gb_per_s,error_percent\n";
  for (const Point& p : points)
    out << fmt::format("{},{},{},{},{},{:.4g},{:.4g},{:.1f}\n", p.fitted ? "fitted" : "reported",
                       p.gpu, p.family, p.kernel, p.shape, p.measured * 1e-9, p.predicted * 1e-9,
                       100 * (p.measured / p.predicted - 1));
}

std::vector<Row> stream_rows(const std::string& csv) {
  const std::vector<Point> all = stream_points();
  note(all);
  print_head("stream");
  std::vector<double> correlations;
  for (const auto& [name, points] :
       grouped(all, [](const Point& p) { return p.gpu + " " + p.kernel; })) {
    correlations.push_back(rank(points));
    print(name, points, correlations.back());
  }
  const auto halves = grouped(all, [](const Point& p) { return p.fitted ? "fitted" : "others"; });
  print("fitted: mi210", halves.at("fitted"));
  print("all others", halves.at("others"));
  print("all", all, mean(correlations));
  fmt::print(legend);
  write_points(all, csv);
  const auto e = errors(halves.at("others"), &Point::predicted);
  return {{.name = "stream, not fitted: median error of times",
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
           .aim = 0.98}};
}

std::vector<Row> memory_rows(const std::string& csv) {
  const std::vector<Point> all = memory_points();
  note(all);
  const auto half = [](const Point& p) { return p.fitted ? "fitted" : "reported"; };
  print_head("memory");
  for (const auto& [name, points] : grouped(
           all, [&](const Point& p) { return fmt::format("{} {} {}", half(p), p.family, p.gpu); }))
    print(name, points, rank(points));
  std::vector<double> correlations, medians;
  const auto halves = grouped(all, half);
  for (const auto& [name, points] :
       grouped(halves.at("reported"), [](const Point& p) { return p.family + " " + p.gpu; })) {
    correlations.push_back(rank(points));
    medians.push_back(quantile(errors(points, &Point::predicted), 0.5));
  }
  print("fitted", halves.at("fitted"));
  print("reported", halves.at("reported"), mean(correlations));
  fmt::print(legend);
  write_points(all, csv);
  const auto e = errors(halves.at("reported"), &Point::predicted);
  return {{.name = "memory and latency, not fitted: median error of times",
           .value = quantile(e, 0.5),
           .unit = "%",
           .high_is_better = false,
           .floor = 20,
           .aim = 8,
           .beside = {{"% (mean of families)", mean(medians)}}},
          {.name = "memory and latency, not fitted: 90th percentile",
           .value = quantile(e, 0.9),
           .unit = "%",
           .high_is_better = false,
           .floor = NAN,
           .aim = NAN},
          {.name = "memory and latency: mean rank correlation of families",
           .value = mean(correlations),
           .unit = "",
           .high_is_better = true,
           .floor = 0.9,
           .aim = 0.98}};
}

/// Of the rows of streams and memory a fixed choice, whose programs run and are profiled and
/// predicted as ever: quick enough for each test. What is predicted is in fixed.csv, and is the
/// same on every host (HIPSIGHT_GOLDEN=renew writes it anew). Returns how many differ.
std::size_t changed_fixed_rows() {
  constexpr std::size_t every = 6;
  std::vector<Point> points = stream_points(every);
  for (Point& p : memory_points(every)) points.push_back(std::move(p));
  print_head("fixed rows");
  for (const auto& [name, some] :
       grouped(points, [](const Point& p) { return p.family + " " + p.gpu; }))
    print(name, some);
  print("all", points);

  std::string now = "gpu,family,kernel,shape,predicted_gb_per_s\n";
  for (const Point& p : points)
    now +=
        fmt::format("{},{},{},{},{:.4g}\n", p.gpu, p.family, p.kernel, p.shape, p.predicted * 1e-9);
  const fs::path file = HIPSIGHT_VALIDATION "/fixed.csv";
  if (const char* how = std::getenv("HIPSIGHT_GOLDEN"); how && how == std::string_view("renew")) {
    std::ofstream(file) << now;
    return 0;
  }
  std::ifstream in(file);
  std::istringstream lines(now);
  std::size_t changed = 0;
  for (std::string is, was; std::getline(lines, is);) {
    std::getline(in, was);
    if (is == was) continue;
    if (changed++ == 0) fmt::print("\nother than {}:\n", file.string());
    fmt::print("- {}\n+ {}\n", was, is);
  }
  for (std::string was; std::getline(in, was); ++changed) fmt::print("- {}\n", was);
  return changed;
}

std::vector<Row> variant_rows(const std::string& csv) {
  const std::vector<Point> all = variant_points(variant_sources);
  note(all);
  print_head("variants of one kernel");
  std::vector<double> correlations;
  for (const auto& [name, points] :
       grouped(all, [](const Point& p) { return p.family + " " + p.gpu; })) {
    for (const Point& p : points) print(fmt::format("  {}", p.kernel), {p});
    correlations.push_back(rank(points));
    print(name, points, correlations.back());
  }
  fmt::print(legend);
  write_points(all, csv);
  const auto e = errors(all, &Point::predicted);
  return {{.name = "variants of one kernel: median error of times",
           .value = quantile(e, 0.5),
           .unit = "%",
           .high_is_better = false,
           .floor = NAN,
           .aim = NAN},
          {.name = "variants of one kernel: 90th percentile",
           .value = quantile(e, 0.9),
           .unit = "%",
           .high_is_better = false,
           .floor = NAN,
           .aim = NAN},
          {.name = "variants of one kernel: mean rank correlation",
           .value = mean(correlations),
           .unit = "",
           .high_is_better = true,
           .floor = 0.9,
           .aim = 0.98}};
}

std::vector<Row> gemm_rows(const std::string& csv) {
  const std::vector<GemmPoint> points = gemm_points(gemm_source);
  for (const GemmPoint& p : points)
    outcomes.push_back({p.gpu, p.model_family, p.binary, p.fitted, p.error()});
  const GemmErrors gemm = print_gemms(points, csv);
  return {{.name = "GEMM binaries not fitted: median error of times",
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
           .aim = 12}};
}

std::vector<Row> tuner_rows(const std::string& csv) {
  const TunerScore score = print_tuner(tuned_shapes(gemm_source), csv);
  return {{.name = "tuner: the predicted first is the measured winner",
           .value = score.first,
           .unit = "%",
           .high_is_better = true,
           .floor = NAN,
           .aim = 80},
          {.name = "tuner: the measured winner is among the predicted first three",
           .value = score.three,
           .unit = "%",
           .high_is_better = true,
           .floor = NAN,
           .aim = 95},
          {.name = "tuner: regret, 90th percentile",
           .value = score.regret,
           .unit = "%",
           .high_is_better = false,
           .floor = NAN,
           .aim = 3}};
}

std::vector<Row> vcopy_rows() {
  const std::vector<double> counters = vcopy_errors();
  fmt::print("\n");
  return {{.name = "vcopy: median error of counters",
           .value = quantile(counters, 0.5),
           .unit = "%",
           .high_is_better = false,
           .floor = 5,
           .aim = 1}};
}

std::vector<Row> sampling_rows() {
  const std::vector<SamplingError> errors = sampling_errors();
  fmt::print("\n");
  std::vector<Row> rows;
  const auto add = [&](const char* name, double SamplingError::* of) {
    std::vector<double> values;
    for (const SamplingError& e : errors) values.push_back(e.*of);
    rows.push_back({.name = fmt::format("{}: median difference from the whole", name),
                    .value = quantile(values, 0.5),
                    .unit = "%",
                    .high_is_better = false,
                    .floor = NAN,
                    .aim = NAN,
                    .beside = {{"% at most", quantile(values, 1)}}});
  };
  add("sample of 64", &SamplingError::usual);
  add("sample of 16", &SamplingError::few);
  add("a million instructions simulated", &SamplingError::begin);
  return rows;
}

int run(const std::string& json) {
  if (only == "sampling") return publish(sampling_rows(), json);
  if (only == "fixed") return changed_fixed_rows() ? 1 : 0;
  std::vector<Row> rows;
  const auto add = [&](const std::vector<Row>& some) {
    rows.insert(rows.end(), some.begin(), some.end());
  };
  const auto beside = [&](const char* extension) {
    return fs::path(json).replace_extension(extension).string();
  };
  if (runs("stream")) add(stream_rows(beside(".points.csv")));
  if (runs("memory")) add(memory_rows(beside(".memory.csv")));
  if (runs("vcopy")) add(vcopy_rows());
  if (runs("variants")) add(variant_rows(beside(".variants.csv")));
  std::size_t wrong = runs("families") ? mistaken_families(gemm_source) : 0;
  if (runs("gemm")) add(gemm_rows(beside(".gemm.csv")));
  if (runs("tuner")) add(tuner_rows(beside(".tuner.csv")));
  // Other families than GEMMs have points of several parts.
  if (only.empty() || only == "gemm") wrong += wrong_bands(outcomes);
  const int status = publish(rows, json);
  return wrong ? 1 : status;
}

}  // namespace
}  // namespace hipsight::bench

int main(int argc, char** argv) {
  for (; argc >= 4; argc -= 2) {
    const std::string_view option = argv[argc - 2];
    if (option == "--source")
      hipsight::bench::gemm_source = argv[argc - 1];
    else if (option == "--sgemm")
      hipsight::bench::variant_sources.sgemm = argv[argc - 1];
    else if (option == "--laplacian")
      hipsight::bench::variant_sources.laplacian = argv[argc - 1];
    else if (option == "--part")
      hipsight::bench::only = argv[argc - 1];
    else
      break;
  }
  return hipsight::bench::main_of(argc, argv, hipsight::bench::run);
}
