#include "validation/bands.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "timing/validated.h"
#include "validation/statistics.h"

namespace hipsight::bench {
namespace {

constexpr std::size_t enough = 10;  // points of a family
constexpr double same = 0.051;      // percent: both are rounded

}  // namespace

std::size_t wrong_bands(const std::vector<Outcome>& outcomes) {
  struct Family {
    std::vector<double> fitted, reported;
  };
  std::map<std::pair<std::string, std::string>, Family> families;
  for (const Outcome& o : outcomes) {
    if (o.family.empty()) continue;
    Family& family = families[{o.gpu, o.family}];
    (o.fitted ? family.fitted : family.reported).push_back(o.error);
  }
  std::size_t wrong = 0;
  for (const auto& [name, family] : families) {
    const bool fitted = family.reported.size() < enough;
    const std::vector<double>& errors = fitted ? family.fitted : family.reported;
    const timing::ModelError* stated = timing::error_of(name.first, name.second);
    if (errors.size() < enough && !stated) continue;
    const double median = quantile(errors, 0.5), p90 = quantile(errors, 0.9);
    if (stated && stated->points == errors.size() && stated->fitted == fitted &&
        std::fabs(stated->median - median) < same && std::fabs(stated->p90 - p90) < same)
      continue;
    if (wrong++ == 0)
      fmt::print("hipsight states otherwise; in src/timing/validated.cpp should stand:\n");
    fmt::print("    {{\"{}\", \"{}\", {{{:.1f}, {:.1f}, {}, {}}}}},\n", name.first, name.second,
               median, p90, errors.size(), fitted);
  }
  return wrong;
}

}  // namespace hipsight::bench
