#include "support/formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "kpi/figures.h"
#include "report/sarif.h"
#include "support/printable.h"

namespace hipsight::kpi {
namespace {

using Json = nlohmann::ordered_json;

std::string name_of(const Measured& one) {
  return fmt::format("{} on {}: {}", printable(one.in), printable(one.gpu), printable(one.kernel));
}

std::size_t failures(const std::vector<Difference>& differences) {
  return static_cast<std::size_t>(std::ranges::count_if(differences, &Difference::fails));
}

/// Counts by what came of kernels.
std::string summary(const std::vector<Difference>& differences, std::size_t kernels) {
  return fmt::format("{} kernel{}: {} differ{}, {} fail{}", kernels, kernels == 1 ? "" : "s",
                     differences.size(), differences.size() == 1 ? "s" : "", failures(differences),
                     failures(differences) == 1 ? "s" : "");
}

/// What a line says first of a kernel that fails. By `check --exact` it may fail for what is
/// better.
std::string_view verdict(const Difference& one) {
  if (!one.fails()) return "";
  const auto fails_as = [&](std::string_view how) {
    return std::ranges::any_of(one.changes,
                               [&](const Change& c) { return c.fails && c.how == how; });
  };
  if (fails_as("worse")) return "WORSE: ";
  if (fails_as("differs")) return "DIFFERS: ";
  return fails_as("better") ? "BETTER: " : "FAILS: ";
}

std::string cell(std::string text) {
  for (std::size_t at = text.find('|'); at != text.npos; at = text.find('|', at + 2))
    text.insert(at, 1, '\\');
  return text;
}

}  // namespace

std::string to_text(const std::vector<Difference>& differences, std::size_t kernels) {
  std::string out;
  for (const Difference& one : differences) {
    out += fmt::format("{}{}\n", verdict(one), name_of(one.of));
    if (one.changes.empty() && (one.fails() || one.bound_before.empty()))
      out += fmt::format("  {}\n", one.fails() ? one.problem : "new: nothing was recorded of it");
    for (const Change& change : one.changes)
      out += fmt::format("  {}{}: {}\n", change.fails ? fmt::format("{}: ", change.how) : "",
                         change.figure->name, change.text());
    if (!one.bound_before.empty())
      out += fmt::format("  bound by {}, was by {}\n", one.of.bound, one.bound_before);
  }
  return out + summary(differences, kernels) + "\n";
}

std::string to_markdown(const std::vector<Difference>& differences, std::size_t kernels) {
  std::string out = fmt::format("**hipsight kpi**: {}\n", summary(differences, kernels));
  if (differences.empty()) return out;
  out += "\n| kernel | figure | before | now | |\n|---|---|---|---|---|\n";
  for (const Difference& one : differences) {
    const std::string name = cell(name_of(one.of));
    if (one.changes.empty() && (one.fails() || one.bound_before.empty()))
      out += fmt::format("| {} | | | | {} |\n", name, one.fails() ? one.problem : "new");
    for (const Change& change : one.changes)
      out += fmt::format("| {} | `{}` | {} | {} | {} |\n", name, change.figure->name,
                         conditions::text_of(change.figure->kind, change.before),
                         conditions::text_of(change.figure->kind, change.now),
                         change.fails ? fmt::format("**{}**", change.how) : "");
    if (!one.bound_before.empty())
      out += fmt::format("| {} | bound by | {} | {} | |\n", name, cell(one.bound_before),
                         cell(one.of.bound));
  }
  return out;
}

std::string to_junit(const std::vector<Difference>& differences, const std::vector<Measured>& all) {
  // Kernels that are gone have no figures, but a difference.
  std::vector<Measured> tests = all;
  for (const Difference& one : differences)
    if (std::ranges::none_of(tests, [&](const Measured& m) { return m.same_as(one.of); }))
      tests.push_back(one.of);
  std::string out = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite name=\"hipsight kpi\" "
      "tests=\"{}\" failures=\"{}\">\n",
      tests.size(), failures(differences));
  for (const Measured& one : tests) {
    out += fmt::format("<testcase classname=\"{}.{}\" name=\"{}\">", markup(one.in),
                       markup(one.gpu), markup(one.kernel));
    for (const Difference& difference : differences) {
      if (!difference.fails() || !difference.of.same_as(one)) continue;
      out += fmt::format("<failure message=\"{}\">", markup(difference.problem));
      for (const Change& change : difference.changes)
        out += markup(fmt::format("{}: {}", change.figure->name, change.text())) + "\n";
      out += "</failure>";
    }
    out += "</testcase>\n";
  }
  return out + "</testsuite>\n</testsuites>\n";
}

std::string to_sarif(const std::vector<Difference>& differences, const std::string& suite) {
  Json results = Json::array();
  for (const Difference& one : differences) {
    if (!one.fails()) continue;
    results.push_back(
        {{"ruleId", one.rule},
         {"level", "error"},
         {"message", {{"text", name_of(one.of) + ": " + one.problem}}},
         {"locations",
          {{{"physicalLocation", {{"artifactLocation", {{"uri", printable(suite)}}}}}}}}});
  }
  return report::sarif_log("hipsight kpi", std::move(results));
}

}  // namespace hipsight::kpi
