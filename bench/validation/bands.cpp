#include "validation/bands.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "timing/validated.h"
#include "validation/statistics.h"

namespace hipsight::bench {
namespace {

constexpr double same = 0.051;  // percent: both are rounded
constexpr double most = 0.9, most_of_others = 0.7;

struct Family {
  std::vector<double> errors;
  std::vector<std::string> kernels;  ///< of each

  /// Shares of the points that lie inside the band of all of them; and of points that lie inside
  /// the band of those of other kernels: NaN where there are no other ones.
  double inside(double p90) const {
    const auto count =
        std::ranges::count_if(errors, [&](double e) { return std::fabs(e) <= p90 + same; });
    return double(count) / double(errors.size());
  }
  double inside_of_others() const {
    std::size_t count = 0;
    for (const std::string& one : std::set(kernels.begin(), kernels.end())) {
      Family its, others;
      for (std::size_t i = 0; i < errors.size(); ++i)
        (kernels[i] == one ? its : others).errors.push_back(errors[i]);
      if (others.errors.empty()) return NAN;
      const double p90 = quantile(others.errors, 0.9);
      count += std::size_t(std::lround(its.inside(p90) * double(its.errors.size())));
    }
    return double(count) / double(errors.size());
  }
};

}  // namespace

std::size_t wrong_bands(const std::vector<Outcome>& outcomes) {
  std::map<std::pair<std::string, std::string>, Family> families;
  for (const Outcome& o : outcomes) {
    if (o.family.empty() || o.fitted) continue;
    Family& family = families[{o.gpu, o.family}];
    family.errors.push_back(o.error);
    family.kernels.push_back(o.kernel);
  }
  fmt::print("{:8} {:26} {:>6} {:>8} {:>7} {:>7} {:>20}\n", "band", "", "points", "median", "p90",
             "inside", "of other kernels'");
  std::size_t wrong = 0;
  std::string instead;
  for (const auto& [name, family] : families) {
    const auto& [gpu, what] = name;
    const std::size_t points = family.errors.size();
    const timing::ModelError* stated = timing::error_of(gpu, what);
    if (points < timing::enough_points && !stated) continue;
    const double median = quantile(family.errors, 0.5), p90 = quantile(family.errors, 0.9),
                 inside = family.inside(stated ? stated->p90 : p90),
                 of_others = family.inside_of_others();
    const bool holds = inside >= most && !(of_others < most_of_others);
    fmt::print("{:8} {:26} {:6} {:6.1f} % {:5.1f} % {:5.0f} % {:>20}{}\n", gpu, what, points,
               median, p90, 100 * inside,
               std::isnan(of_others) ? "there are none" : fmt::format("{:.0f} %", 100 * of_others),
               holds ? "" : "  does not hold");
    const bool right = stated && holds && stated->points == points &&
                       std::fabs(stated->median - median) < same &&
                       std::fabs(stated->p90 - p90) < same;
    const bool to_state = points >= timing::enough_points && family.inside(p90) >= most &&
                          !(of_others < most_of_others);
    if (right || (!stated && !to_state)) continue;
    ++wrong;
    instead += to_state ? fmt::format("    {{\"{}\", \"{}\", {{{:.1f}, {:.1f}, {}}}}},\n", gpu,
                                      what, median, p90, points)
                        : fmt::format("    nothing of {}, {}\n", gpu, what);
  }
  fmt::print("\n");
  if (wrong) fmt::print("in src/timing/validated.cpp should stand:\n{}\n", instead);
  return wrong;
}

}  // namespace hipsight::bench
