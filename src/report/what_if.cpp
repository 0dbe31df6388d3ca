#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/render.h"
#include "support/printable.h"
#include "support/quantity.h"

namespace hipsight::report {
namespace {

/// A field of a line: in quotes where it has what would end it.
std::string field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == text.npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

}  // namespace

std::string change_of_time(double gain) {
  const double percent = -100 * gain;
  if (std::fabs(percent) < 0.1) return "as now";
  return fmt::format("{:+.{}f} %", percent, std::fabs(percent) < 9.95 ? 1 : 0);
}

std::string what_if_text(const KernelReport& kernel, std::size_t indent) {
  struct Row {
    std::string change, time, difference, bound;
  };
  std::vector<Row> rows{{"now", duration(kernel.prediction->seconds), "", kernel.verdict.bound}};
  for (const WhatIf& one : kernel.verdict.what_if)
    if (one.why_none.empty())
      rows.push_back({one.change, duration(one.seconds), change_of_time(one.gain), one.bound});
    else
      rows.push_back({one.change, "none", "", one.why_none});
  std::size_t width = 0;
  for (const Row& row : rows) width = std::max(width, row.change.size());
  std::string text;
  for (const Row& row : rows) {
    if (!text.empty()) text += fmt::format("\n{:{}}", "", indent);
    text += fmt::format("{:<{}}  {:>8}  {:>8}  {}", row.change, width, row.time, row.difference,
                        row.bound);
  }
  return text;
}

std::string to_csv(const RunReport& run) {
  std::string text = "kernel,range,change,seconds,gain,bound,why_none\n";
  for (const KernelReport& kernel : run.kernels) {
    if (!kernel.prediction) continue;
    const std::string begin =
        field(printable(kernel.kernel.title)) + "," + field(printable(kernel.range));
    text += fmt::format("{},,{},0,{},\n", begin, kernel.prediction->seconds,
                        field(kernel.verdict.bound));
    for (const WhatIf& one : kernel.verdict.what_if)
      text += one.why_none.empty()
                  ? fmt::format("{},{},{},{},{},\n", begin, field(one.change), one.seconds,
                                one.gain, field(one.bound))
                  : fmt::format("{},{},,,,{}\n", begin, field(one.change), field(one.why_none));
  }
  return text;
}

}  // namespace hipsight::report
