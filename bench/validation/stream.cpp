#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "gpus/gpu.h"
#include "validation/profile_run.h"
#include "validation/validation.h"

namespace hipsight::bench {
namespace {

/// Arrays that each kernel of stream.hip moves.
const std::map<std::string, double> arrays{{"init", 1},  {"read", 1},     {"scale", 2},
                                           {"triad", 4}, {"stencil3", 2}, {"stencil5", 2}};

}  // namespace

std::vector<Point> stream_points(std::size_t every) {
  const Table table = read_table("stream.csv", every);
  const std::vector<std::string>& head = table.head;
  std::vector<Point> points;
  for (const auto& row : table.rows) {
    const gpus::Gpu gpu = gpus::find(row[0]);
    const std::size_t block = std::stoul(row[1]), workgroups = std::stoul(row[2]);
    // Enough rounds that the begin and the end do not count; measured were 2^28 elements.
    const std::size_t elements =
        std::min<std::size_t>(gpu.compute_units * block * workgroups * 24, 8'000'000);
    const auto kernels =
        profile(row[0], fmt::format("stream {} {} {}", block, workgroups, elements))["kernels"];
    for (std::size_t k = 3; k < head.size(); ++k) {
      const Predicted predicted(kernels.at(k - 3));
      points.push_back({.gpu = row[0],
                        .kernel = head[k],
                        .shape = fmt::format("{} x {}", block, workgroups),
                        .measured = std::stod(row[k]) * 1e9,
                        .predicted = arrays.at(head[k]) * 8.0 * double(elements) / predicted.work(),
                        .specified_roof = gpu.dram_gb_per_s * 1e9,
                        .measured_roof = gpu.dram_gb_per_s_measured.value_or(0) * 1e9,
                        .family = "gpu-stream",
                        .model_family = predicted.family,
                        .fitted = row[0] == "mi210"});
    }
  }
  return points;
}

}  // namespace hipsight::bench
