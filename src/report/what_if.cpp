#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "report/plot.h"
#include "report/render.h"
#include "support/formats.h"
#include "support/printable.h"
#include "support/quantity.h"

namespace hipsight::report {
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
        csv_field(printable(kernel.kernel.title)) + "," + csv_field(printable(kernel.range));
    text += fmt::format("{},,{},0,{},\n", begin, kernel.prediction->seconds,
                        csv_field(kernel.verdict.bound));
    for (const WhatIf& one : kernel.verdict.what_if)
      text += one.why_none.empty() ? fmt::format("{},{},{},{},{},\n", begin, csv_field(one.change),
                                                 one.seconds, one.gain, csv_field(one.bound))
                                   : fmt::format("{},{},,,,{}\n", begin, csv_field(one.change),
                                                 csv_field(one.why_none));
  }
  return text;
}

std::string what_if_svg(const RunReport& run) {
  std::vector<Plot> plots;
  for (const KernelReport& kernel : run.kernels) {
    const std::size_t first = plots.size();
    for (const WhatIf& one : kernel.verdict.what_if) {
      const std::size_t equals = one.change.find('=');
      double value = 0;
      if (!one.why_none.empty() || equals == one.change.npos ||
          std::from_chars(one.change.data() + equals + 1, one.change.data() + one.change.size(),
                          value)
                  .ec != std::errc())
        continue;
      const std::string name = one.change.substr(0, equals);
      auto plot = std::find_if(plots.begin() + std::ptrdiff_t(first), plots.end(),
                               [&](const Plot& p) { return p.x_words == name; });
      if (plot == plots.end())
        plot =
            plots.insert(plot, {.title = fmt::format("{} on {}", kernel.kernel.title, run.gpu.name),
                                .x_words = name,
                                .x_text = [](double x) { return fmt::format("{:g}", x); },
                                .y_text = duration,
                                .dots = {},
                                .through_all = true});
      plot->dots.push_back({value, one.seconds,
                            fmt::format("{}: {}, {}", one.change, duration(one.seconds), one.bound),
                            false});
    }
  }
  return to_svg(plots);
}

}  // namespace hipsight::report
