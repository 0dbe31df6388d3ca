#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "gpus/gpu.h"
#include "validation/csv.h"
#include "validation/profile_run.h"
#include "validation/validation.h"

namespace hipsight::bench {
namespace {

/// Arrays that each kernel of stream.hip moves.
const std::map<std::string, double> arrays{{"init", 1},  {"read", 1},     {"scale", 2},
                                           {"triad", 4}, {"stencil3", 2}, {"stencil5", 2}};

}  // namespace

std::vector<KernelReport> stream_launches(const std::string& gpu, const Stream& of,
                                          LaunchConfig how) {
  const Kernels stream(gpu, "stream.hipfb");
  const Buffer a = stream.array<double>(of.elements), b = stream.array<double>(of.elements),
               c = stream.array<double>(of.elements), d = stream.array<double>(of.elements);
  how.grid = {static_cast<std::uint32_t>(of.elements / of.block + 1)};
  how.block = {static_cast<std::uint32_t>(of.block)};
  how.dynamic_lds = lds_for(gpus::find(gpu), of.workgroups);
  how.predict = true;
  std::vector<KernelReport> reports;
  for (std::size_t kind = 0; kind < arrays.size(); ++kind)
    reports.push_back(
        stream.launch(fmt::format("stream<(Kind){}>", kind), how, a, b, c, d, of.elements, false));
  return reports;
}

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
    const std::vector<KernelReport> kernels =
        stream_launches(row[0], {block, workgroups, elements}, {.profile = usual_sample});
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
