#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "gpus/gpu.h"
#include "validation/gemm/split.h"
#include "validation/profile_run.h"
#include "validation/validation.h"

namespace hipsight::bench {
namespace {

using Json = nlohmann::json;
using Row = std::vector<std::string>;

/// Workgroups that are observed: neighbours and places all over the grid. No others run.
const std::string options = "--caches warm --sampled-only --sample ";

/// Bytes per second of the level that holds what a compute unit, and the GPU, go round in.
double roof(const gpus::Gpu& gpu, double of_unit, double of_gpu, bool measured) {
  const auto fits = [](double bytes, double cache) { return bytes <= cache; };
  if (fits(of_unit, double(gpu.l1_bytes_per_cu.value_or(0))))
    return 64e9 * gpu.clock_ghz * gpu.compute_units;
  if (fits(of_gpu, double(gpu.l2_bytes) / gpu.xcds)) return 1e9 * gpu.l2_gb_per_s.value();
  if (fits(of_gpu, double(gpu.mall_bytes.value_or(0)))) return 1e9 * gpu.mall_gb_per_s.value();
  return 1e9 *
         (measured ? gpu.dram_gb_per_s_measured.value_or(gpu.dram_gb_per_s) : gpu.dram_gb_per_s);
}

struct Shape {
  std::string family, file, kernel, shape;  ///< file: of the figures; "mi210"
  double of_unit, of_gpu;                   ///< bytes that they go round in
};
/// `measured`: bytes per second. `bytes`: that move in so many seconds.
Point point(const std::string& name, const Shape& s, double measured, double bytes,
            const Predicted& predicted, double seconds) {
  const gpus::Gpu gpu = gpus::find(name);
  return {.gpu = name,
          .kernel = s.kernel,
          .shape = s.shape,
          .measured = measured,
          .predicted = bytes / seconds,
          .specified_roof = roof(gpu, s.of_unit, s.of_gpu, false),
          .measured_roof = roof(gpu, s.of_unit, s.of_gpu, true),
          .family = s.family,
          .model_family = predicted.family,
          .fitted = is_fitted(s.family + "/" + s.file + ".txt")};
}
/// The launch apart.
Point point(const std::string& name, const Shape& s, double measured, double bytes,
            const Predicted& predicted) {
  return point(name, s, measured, bytes, predicted, predicted.work());
}

using Points = std::vector<Point>;

/// A line of 128 bytes a step. Twice through all lines, so that caches are in what state they will
/// be, unless they are very many.
void add_latency(Points& points, std::size_t every) {
  for (const Row& row : read_table("memory/latency.csv", every).rows) {
    const double lines = std::stod(row[1]), bytes = 128;
    const double steps =
        32 * std::floor(std::max({std::min(2 * lines, 262144.0), lines, 32768.0}) / 32);
    const Json report =
        profile(row[0], fmt::format("memory latency {} {:.0f}", row[1], steps), options + "1");
    points.push_back(point(row[0],
                           {.family = "gpu-latency",
                            .file = row[0],
                            .kernel = "chase",
                            .shape = fmt::format("{:.1f} KiB", lines / 8),
                            .of_unit = lines * bytes,
                            .of_gpu = lines * bytes},
                           bytes / (std::stod(row[2]) / std::stod(row[3]) * 1e-6), bytes * steps,
                           Predicted(report["kernels"][0])));
  }
}

void add_cache(Points& points, std::size_t every) {
  for (const Row& row : read_table("memory/cache.csv", every).rows) {
    const gpus::Gpu gpu = gpus::find(row[0]);
    const double bytes = std::stod(row[1]) * 1024;
    const auto elements = static_cast<long>(bytes / 32), rounds = std::max(2L, 131072 / elements);
    const Json report =
        profile(row[0], fmt::format("memory cache {} {}", elements, rounds), options + "4");
    points.push_back(point(row[0],
                           {.family = "gpu-cache",
                            .file = row[0],
                            .kernel = "sum",
                            .shape = row[1] + " KiB",
                            .of_unit = bytes,
                            .of_gpu = bytes},
                           std::stod(row[2]) * 1e9, bytes * double(rounds) * gpu.compute_units,
                           Predicted(report["kernels"][0])));
  }
}

void add_l2_cache(Points& points, std::size_t every) {
  for (const Row& row : read_table("memory/l2_cache.csv", every).rows) {
    const double bytes = 524288;
    const Json report = profile(row[0], "memory l2-cache " + row[1], options + "16");
    points.push_back(point(row[0],
                           {.family = "gpu-l2-cache",
                            .file = row[0],
                            .kernel = "sum",
                            .shape = row[1] + " x 512 KiB",
                            .of_unit = bytes,
                            .of_gpu = bytes * std::stod(row[1])},
                           std::stod(row[2]) * 1e9, bytes * 200000,
                           Predicted(report["kernels"][0])));
  }
}

void add_l2_stream(Points& points, std::size_t every) {
  const std::map<std::string, double> arrays{{"read", 1}, {"scale", 2}, {"triad", 4}, {"write", 1}};
  const Table table = read_table("memory/l2_stream.csv", every);
  for (const Row& row : table.rows) {
    const Json report = profile(
        row[0], fmt::format("memory l2-stream {} {} {}", row[1], row[2], row[3]), options + "64");
    for (std::size_t k = 4; k < table.head.size(); ++k) {
      const double each = arrays.at(table.head[k]) * sizeof(double),
                   all = each * (8192 * std::stod(row[1]) + 8161);
      points.push_back(point(row[0],
                             {.family = "gpu-l2-stream",
                              .file = row[0],
                              .kernel = table.head[k],
                              .shape = fmt::format("{:.1f} MB {} x {}", all * 1e-6, row[2], row[3]),
                              .of_unit = all,
                              .of_gpu = all},
                             std::stod(row[k]) * 1e9, each * double(1 << 30),
                             Predicted(report["kernels"][k - 4])));
    }
  }
}

/// One workgroup of 1,024 that loads eight elements 1,024 times: bytes of a compute unit.
void add_strides(Points& points, std::size_t every) {
  for (const Row& row : read_table("memory/strides.csv", every).rows) {
    const gpus::Gpu gpu = gpus::find(row[0]);
    const double element = row[2] == "float" ? 4 : 8, loads = 8.0 * 1024 * 1024 / 32,
                 warp = 32 * element;
    const Json report =
        profile(row[0], fmt::format("memory {} {} {}", row[1], row[2], row[3]), options + "1");
    Point p = point(row[0],
                    {.family = "gpu-strides",
                     .file = row[0],
                     .kernel = row[1] + " " + row[2],
                     .shape = row[3],
                     .of_unit = 0,
                     .of_gpu = 0},
                    warp / (std::stod(row[4]) / gpu.clock_ghz * 1e-9), warp * loads,
                    Predicted(report["kernels"][0]));
    p.specified_roof /= gpu.compute_units;  // one works
    p.measured_roof /= gpu.compute_units;
    points.push_back(p);
  }
}

/// With the launch: one after the other.
void add_small(Points& points, std::size_t every) {
  const Table table = read_table("memory/small.csv", every);
  std::map<std::string, Predicted> known;  // both files have the same shapes
  for (const Row& row : table.rows)
    for (std::size_t k = 3; k < table.head.size(); ++k) {
      const double bytes = 16 * std::stod(row[2]);
      const std::string program = fmt::format("memory small {} {}", row[2], table.head[k]);
      Predicted& predicted = known[row[0] + program];
      if (predicted.seconds == 0)
        predicted = Predicted(profile(row[0], program, options + "64")["kernels"][0]);
      points.push_back(point(row[0],
                             {.family = "gpu-small-kernels",
                              .file = row[0] + (row[1] == "graph" ? "_graph" : ""),
                              .kernel = row[1] + " " + table.head[k],
                              .shape = fmt::format("{:.0f} KB", bytes * 1e-3),
                              .of_unit = bytes,
                              .of_gpu = bytes},
                             std::stod(row[k]) * 1e9, bytes, predicted, predicted.seconds));
    }
}

}  // namespace

std::vector<Point> memory_points(std::size_t every) {
  Points points;
  for (const auto add :
       {add_latency, add_cache, add_l2_cache, add_l2_stream, add_strides, add_small})
    add(points, every);
  return points;
}

}  // namespace hipsight::bench
