#include "report/side_by_side.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "support/printable.h"
#include "support/quantity.h"

namespace hipsight::report {
namespace {

struct Row {
  std::size_t run;
  double seconds;
  std::string bound, scope;
  std::string trust = {};  ///< how far off a prediction may be
};

std::string trust(const Prediction& prediction) {
  if (!prediction.error) return "UNVALIDATED  ";
  const std::optional<double>& most = prediction.error->seconds_at_most;
  return fmt::format("{} to {}  ", duration(prediction.error->seconds_at_least),
                     most ? duration(*most) : "?");
}

Row row_of(std::size_t run, const KernelReport& kernel) {
  const std::uint64_t items = kernel.block.volume();
  if (const auto& prediction = kernel.prediction)
    return {run, prediction->seconds, prediction->bound.sentence,
            fmt::format("1 launch, blocks of {}", items), trust(*prediction)};
  return {run, 0, "",
          fmt::format("{} launch{}, blocks of {}", kernel.counts.launches,
                      kernel.counts.launches == 1 ? "" : "es", items)};
}

/// The rows of each kernel, in order of first appearance. A block size may depend on the GPU's
/// waves, so kernels are the same by their names, and then by order.
std::vector<std::pair<std::string, std::vector<Row>>> rows_by_kernel(std::span<const GpuRun> runs) {
  std::vector<std::pair<std::string, std::vector<Row>>> kernels;
  for (std::size_t run = 0; run < runs.size(); ++run) {
    if (!runs[run].report) continue;
    std::map<std::string, int> seen;
    for (const KernelReport& kernel : runs[run].report->kernels) {
      std::string title = kernel.kernel.title;
      if (const int before = seen[title]++) title += fmt::format(" ({})", before + 1);
      auto found = std::ranges::find(kernels, title, [](const auto& k) { return k.first; });
      if (found == kernels.end()) found = kernels.insert(found, {title, {}});
      found->second.push_back(row_of(run, kernel));
    }
  }
  return kernels;
}

}  // namespace

std::string to_text(std::span<const GpuRun> runs) {
  std::string out =
      "\nhipsight: the same program on several GPUs. Times of one launch, predicted; nine of ten\n"
      "measured ones of such kernels lie between the two beside it (docs/timing.md)\n";
  std::size_t width = 0;
  for (const GpuRun& run : runs) width = std::max(width, run.gpu.size());
  for (const auto& [title, rows] : rows_by_kernel(runs)) {
    out += fmt::format("\n{}\n", title);
    for (std::size_t run = 0; run < runs.size(); ++run) {
      const auto row = std::ranges::find(rows, run, &Row::run);
      if (row == rows.end()) {
        out += fmt::format("  {:<{}}  did not run\n", runs[run].gpu, width);
      } else {
        out += fmt::format("  {:<{}}  {:>8}  {}{} ({})\n", runs[run].gpu, width,
                           row->bound.empty() ? "?" : duration(row->seconds), row->trust,
                           row->bound.empty() ? "not predicted" : row->bound, row->scope);
      }
    }
  }
  for (const GpuRun& run : runs)
    if (!run.problem.empty()) out += fmt::format("\n{}: {}\n", run.gpu, run.problem);
  return printable(out, true);
}

}  // namespace hipsight::report
