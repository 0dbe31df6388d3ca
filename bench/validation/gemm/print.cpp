#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <map>

#include "validation/gemm/gemm.h"
#include "validation/statistics.h"

namespace hipsight::bench {
namespace {

std::vector<double> errors(const std::vector<GemmPoint>& points, double GemmPoint::* model) {
  std::vector<double> all;
  for (const GemmPoint& p : points) all.push_back(p.error(model));
  return all;
}
double rank(const std::vector<GemmPoint>& points) {
  std::vector<double> a, b;
  for (const GemmPoint& p : points) a.push_back(p.measured()), b.push_back(p.predicted);
  return points.size() < 5 ? NAN : rank_correlation(a, b);
}

using Groups = std::map<std::string, std::vector<GemmPoint>>;
Groups grouped(const std::vector<GemmPoint>& points,
               const std::function<std::string(const GemmPoint&)>& name) {
  Groups groups;
  for (const GemmPoint& p : points) groups[name(p)].push_back(p);
  return groups;
}

void print_head(const std::string& what) {
  fmt::print("{:58} {:>6} {:>7} {:>7} {:>7} {:>6} {:>10} {:>11} {:>8}\n", what, "points", "median",
             "p90", "bias", "rank", "specified", "achievable", "+ launch");
}
void print(const std::string& name, const std::vector<GemmPoint>& points, double rank) {
  const auto roof = [&](double GemmPoint::* model) { return quantile(errors(points, model), 0.5); };
  const auto e = errors(points, &GemmPoint::predicted);
  fmt::print("{:58} {:6} {:5.1f} % {:5.1f} % {:+5.1f} % {:>6} {:8.1f} % {:9.1f} % {:6.1f} %\n",
             name, points.size(), quantile(e, 0.5), quantile(e, 0.9), mean(e),
             std::isnan(rank) ? "" : fmt::format("{:.3f}", rank), roof(&GemmPoint::specified_roof),
             roof(&GemmPoint::achievable_roof), roof(&GemmPoint::launch_roof));
}
/// The mean over binaries of their medians and 90th percentiles.
void print_macro(const std::string& name, const Groups& binaries) {
  std::vector<double> medians, tails, ranks;
  for (const auto& [binary, points] : binaries) {
    const auto e = errors(points, &GemmPoint::predicted);
    medians.push_back(quantile(e, 0.5));
    tails.push_back(quantile(e, 0.9));
    if (const double r = rank(points); !std::isnan(r)) ranks.push_back(r);
  }
  fmt::print("{:58} {:6} {:5.1f} % {:5.1f} % {:8} {:>6.3f}\n", name, binaries.size(), mean(medians),
             mean(tails), "", mean(ranks));
}

}  // namespace

GemmErrors print_gemms(const std::vector<GemmPoint>& points, const std::string& csv) {
  const auto half = [](const GemmPoint& p) { return p.fitted ? "fitted" : "reported"; };
  print_head("GEMM binary");
  const Groups binaries = grouped(points, [&](const GemmPoint& p) {
    return fmt::format("{} {} {}", half(p), p.gpu, p.binary);
  });
  for (const auto& [name, some] : binaries) print(name, some, rank(some));
  fmt::print("\n");
  print_head("GPU and family");
  for (const auto& [name, some] : grouped(points, [&](const GemmPoint& p) {
         return fmt::format("{} {} {}", half(p), p.gpu, p.family);
       }))
    print(name, some, NAN);
  fmt::print("\n");
  GemmErrors result{};
  for (const auto& [name, some] : grouped(points, half)) {
    print(name + ", all points", some, NAN);
    print_macro(name + ", mean of binaries",
                grouped(some, [](const GemmPoint& p) { return p.gpu + " " + p.binary; }));
    const auto e = errors(some, &GemmPoint::predicted);
    if (name == "reported") result = {quantile(e, 0.5), quantile(e, 0.9)};
  }
  std::vector<double> spreads;
  for (const GemmPoint& p : points)
    if (p.most > p.least) spreads.push_back(100 * (p.most / p.least - 1));
  fmt::print(
      "\nMeasured again: {} points, whose figures differ by {:.1f} % (median), {:.1f} % (90th "
      "percentile).\nErrors of predicted times; bias: mean, below 0 too short; rank: "
      "Spearman's within a binary;\nthe last columns: medians of rooflines, of specified and "
      "of achievable rates, and with the launch.\n\n",
      spreads.size(), quantile(spreads, 0.5), quantile(spreads, 0.9));

  std::ofstream out(csv);
  out << "half,gpu,family,binary,m,n,k,split_k,measured_us,predicted_us,error_percent,family_of_"
         "model,bound\n";
  for (const GemmPoint& p : points)
    out << fmt::format("{},{},{},{},{},{},{},{},{:.2f},{:.2f},{:.1f},\"{}\",{}\n", half(p), p.gpu,
                       p.family, p.binary, p.m, p.n, p.k, p.split_k, p.measured() * 1e6,
                       p.predicted * 1e6, p.error(), p.model_family, p.bound);
  return result;
}

}  // namespace hipsight::bench
