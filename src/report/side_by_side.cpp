#include "report/side_by_side.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "support/printable.h"
#include "support/quantity.h"

namespace hipsight::report {
namespace {

using Json = nlohmann::ordered_json;

struct Row {
  std::size_t run;
  double seconds;
  std::string bound, scope;
  std::string trust = {};  ///< how far off a prediction may be
};

std::string trust(const Json& prediction) {
  if (!prediction.contains("error")) return "UNVALIDATED  ";
  const Json &error = prediction.at("error"), &most = error.at("seconds_at_most");
  return fmt::format("{} to {}  ", duration(error.at("seconds_at_least")),
                     most.is_null() ? "?" : duration(most));
}

/// The rows of each kernel, in order of first appearance. A block size may depend on the GPU's
/// waves, so kernels are the same by their names, and then by order.
std::vector<std::pair<std::string, std::vector<Row>>> rows_by_kernel(std::span<const GpuRun> runs) {
  std::vector<std::pair<std::string, std::vector<Row>>> kernels;
  for (std::size_t run = 0; run < runs.size(); ++run) {
    if (runs[run].json.empty()) continue;
    std::map<std::string, int> seen;
    const Json report = Json::parse(runs[run].json);
    for (const Json& kernel : report.at("kernels")) {
      std::string title = kernel.at("title");
      if (const int before = seen[title]++) title += fmt::format(" ({})", before + 1);
      auto found = std::ranges::find(kernels, title, [](const auto& k) { return k.first; });
      if (found == kernels.end()) found = kernels.insert(found, {title, {}});
      const Json& block = kernel.at("block");
      const std::uint64_t items = block[0].get<std::uint64_t>() * block[1].get<std::uint64_t>() *
                                  block[2].get<std::uint64_t>();
      if (kernel.contains("prediction")) {
        const Json& prediction = kernel.at("prediction");
        found->second.push_back({run, prediction.at("seconds"), prediction.at("bound"),
                                 fmt::format("1 launch, blocks of {}", items), trust(prediction)});
        continue;
      }
      found->second.push_back(
          {run, kernel.at("verdict").at("seconds"), kernel.at("verdict").at("bound"),
           fmt::format("{} launch{}, blocks of {}", kernel.at("launches").get<std::uint64_t>(),
                       kernel.at("launches") == 1 ? "" : "es", items)});
    }
  }
  return kernels;
}

}  // namespace

std::string side_by_side(std::span<const GpuRun> runs) {
  const bool predicted = runs.front().json.find("\"prediction\"") != std::string::npos;
  std::string out =
      predicted
          ? "\nhipsight: the same program on several GPUs. Times of one launch, predicted; nine "
            "of ten\nmeasured ones of such kernels lie between the two beside it "
            "(docs/timing.md)\n"
          : "\nhipsight: the same program on several GPUs. UNVALIDATED: first-order "
            "times, of the longest roof\nalone, not measured on hardware\n";
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
                           duration(row->seconds), row->trust,
                           row->bound.empty() ? "no roof" : row->bound, row->scope);
      }
    }
  }
  for (const GpuRun& run : runs)
    if (!run.problem.empty()) out += fmt::format("\n{}: {}\n", run.gpu, run.problem);
  return printable(out, true);
}

std::string side_by_side_json(std::span<const GpuRun> runs) {
  Json json = Json::parse(runs.front().json);
  json["also"] = Json::array();
  for (const GpuRun& run : runs.subspan(1)) {
    Json other = {{"gpu", run.gpu}};
    other["report"] = run.json.empty() ? Json() : Json::parse(run.json);
    other["problem"] = run.problem.empty() ? Json() : Json(run.problem);
    json["also"].push_back(other);
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace hipsight::report
