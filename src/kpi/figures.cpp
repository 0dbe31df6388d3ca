#include "kpi/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "conditions/condition.h"
#include "support/error.h"
#include "support/printable.h"

namespace hipsight::kpi {
namespace {

using Json = nlohmann::ordered_json;
using conditions::Better;
using conditions::Figure;

constexpr double usual_tolerance = 0.02;  // without a suite: of predicted times and all else

std::string dimensions(const Dim3& d) {
  return fmt::format("{}x{}x{}", d.x, d.y, d.z);
}

/// Shares of a program's time say nothing of a kernel.
bool counts(const Figure& figure) {
  return figure.name != "share" && figure.name != "gain";
}

/// By what share it is worse than before; below 0: better.
double worsening(const Figure& figure, double before, double now) {
  const double change = figure.better == Better::Less ? now - before : before - now;
  if (change == 0) return 0;
  return before != 0 ? change / std::abs(before) : change > 0 ? INFINITY : -INFINITY;
}

}  // namespace

std::vector<Measured> measure(const Case& one, const std::string& gpu, const RunReport& run) {
  std::vector<Measured> all;
  for (const KernelReport& kernel : run.kernels) {
    Measured& measured = all.emplace_back();
    measured.in = one.name;
    measured.gpu = gpu;
    measured.kernel = fmt::format("{} [{} of {}]", kernel.kernel.title, dimensions(kernel.grid),
                                  dimensions(kernel.block));
    if (kernel.dynamic_lds) measured.kernel += fmt::format(" with {} B of LDS", kernel.dynamic_lds);
    if (!kernel.range.empty()) measured.kernel += " in " + kernel.range;
    measured.bound = kernel.verdict.bound;
    for (const Figure& figure : conditions::figures()) {
      const bool asked = one.figures.empty()
                             ? counts(figure)
                             : std::ranges::find(one.figures, figure.name) != one.figures.end();
      if (!asked || !conditions::is_known(figure, kernel)) continue;
      if (const auto value = figure.of(kernel)) measured.figures[std::string(figure.name)] = *value;
    }
    if (one.must.empty()) continue;
    const conditions::Condition must(one.must);
    if (!must.holds(kernel))
      measured.broken = fmt::format("not {}: {}", one.must, must.values(kernel));
  }
  std::ranges::stable_sort(all, {}, &Measured::kernel);
  return all;
}

std::string to_json(const std::vector<Measured>& all) {
  Json json = Json::array();
  for (const Measured& one : all) {
    Json figures = Json::object();
    for (const auto& [name, value] : one.figures)
      figures[name] = Json::parse(fmt::format("{:.12g}", value));
    Json& kernel = json.emplace_back(Json{{"case", printable(one.in)},
                                          {"gpu", printable(one.gpu)},
                                          {"kernel", printable(one.kernel)}});
    if (!one.bound.empty()) kernel["bound"] = printable(one.bound);
    kernel["figures"] = std::move(figures);
  }
  return json.dump(1) + "\n";
}

std::vector<Measured> from_json(const std::string& text, const std::string& origin) {
  std::vector<Measured> all;
  try {
    for (const Json& one : Json::parse(text)) {
      Measured& measured = all.emplace_back();
      one.at("case").get_to(measured.in);
      one.at("gpu").get_to(measured.gpu);
      one.at("kernel").get_to(measured.kernel);
      measured.bound = one.value("bound", "");
      one.at("figures").get_to(measured.figures);
    }
  } catch (const Json::exception& error) {
    fail("{}: no figures of `hipsight kpi record`: {}", printable(origin), error.what());
  }
  return all;
}

std::string Change::text() const {
  std::string out = fmt::format("{} to {}", conditions::text_of(figure->kind, before),
                                conditions::text_of(figure->kind, now));
  if (before != 0) out += fmt::format(", {:+.1f} %", 100 * (now - before) / std::abs(before));
  return out;
}

std::vector<Difference> compare(const std::vector<Measured>& before,
                                const std::vector<Measured>& now, const Suite* suite, bool exact) {
  std::vector<Difference> differences;
  const auto find = [](const std::vector<Measured>& in, const Measured& one) {
    return std::ranges::find_if(in, [&](const Measured& m) { return m.same_as(one); });
  };
  for (const Measured& old : before) {
    const Case* of = nullptr;
    if (suite) {
      const auto found = std::ranges::find(suite->cases, old.in, &Case::name);
      if (found == suite->cases.end()) continue;  // it is no longer asked about
      of = &*found;
    }
    const auto found = find(now, old);
    if (found == now.end()) {
      differences.push_back({.of = old,
                             .problem = "the kernel, or this shape of it, is no longer launched",
                             .rule = "gone"});
      continue;
    }
    Difference difference{.of = *found, .problem = found->broken, .rule = "must"};
    for (const auto& [name, value] : found->figures) {
      const Figure* figure = conditions::figure(name);
      const auto known = old.figures.find(name);
      // Files have 12 digits.
      if (!figure || known == old.figures.end() ||
          std::abs(value - known->second) <= 1e-9 * std::abs(value))
        continue;
      Change change{figure, known->second, value};
      change.how = figure->better == Better::Neither                   ? "differs"
                   : worsening(*figure, change.before, change.now) > 0 ? "worse"
                                                                       : "better";
      if (exact) {
        change.fails = true;
      } else if (figure->better != Better::Neither) {
        const auto allowed = of ? of->may_worsen.find(name) : decltype(of->may_worsen.end()){};
        const bool gates = !of || allowed != of->may_worsen.end();
        const double most = of && gates ? allowed->second : usual_tolerance;
        change.fails = gates && worsening(*figure, change.before, change.now) > most;
      }
      difference.changes.push_back(change);
    }
    if (!old.bound.empty() && old.bound != found->bound) difference.bound_before = old.bound;
    if (exact && difference.changes.empty() && !difference.bound_before.empty()) {
      difference.problem = fmt::format("bound by {}, was by {}", found->bound, old.bound);
      difference.rule = "bound";
    }
    if (difference.changes.empty() && difference.bound_before.empty() && !difference.fails())
      continue;
    std::ranges::stable_sort(difference.changes, std::ranges::greater(), &Change::fails);
    if (!difference.changes.empty() && difference.changes.front().fails)
      difference.rule = difference.changes.front().figure->name;
    for (const Change& change : difference.changes)
      if (change.fails)
        difference.problem += fmt::format("{}{}: {}", difference.problem.empty() ? "" : "; ",
                                          change.figure->name, change.text());
    differences.push_back(std::move(difference));
  }
  for (const Measured& one : now)
    if (find(before, one) == before.end())
      differences.push_back({.of = one,
                             .problem = exact ? "new: nothing is recorded of it" : one.broken,
                             .rule = exact ? "new" : "must"});
  return differences;
}

}  // namespace hipsight::kpi
