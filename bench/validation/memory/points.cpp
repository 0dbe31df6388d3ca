#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <span>

#include "gpus/gpu.h"
#include "validation/csv.h"
#include "validation/gemm/split.h"
#include "validation/profile_run.h"
#include "validation/validation.h"

namespace hipsight::bench {
namespace {

using Row = std::vector<std::string>;

const char* const file = "memory.hipfb";

/// `observed`: workgroups, neighbours and places all over the grid. No others run.
LaunchConfig launch(Dim3 grid, Dim3 block, std::uint32_t observed, std::uint32_t lds = 0) {
  return {.grid = grid,
          .block = block,
          .dynamic_lds = lds,
          .profile = observed,
          .predict = true,
          .caches = Caches::Warm,
          .sampled_only = true};
}

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

/// One work-item follows pointers through lines of 128 bytes.
KernelReport chase(const std::string& gpu, std::size_t lines, std::int64_t steps) {
  constexpr std::size_t words = 128 / sizeof(std::byte*);  // of a line
  const Kernels kernels(gpu, file);
  const Buffer memory = kernels.array<std::byte*>(lines * words),
               out = kernels.array<std::int64_t>(1);
  std::vector<std::uint32_t> order(lines);  // one cycle through all lines
  std::iota(order.begin(), order.end(), 0u);
  std::shuffle(order.begin() + 1, order.end(), std::mt19937(1));
  const std::span<std::byte*> pointers = memory.as<std::byte*>();
  for (std::size_t i = 0; i < lines; ++i)
    pointers[order[i] * words] =
        reinterpret_cast<std::byte*>(&pointers[order[(i + 1) % lines] * words]);
  return kernels.launch("chase", launch({1}, {1}, 1), memory, out, steps);
}

/// A line of 128 bytes a step. Twice through all lines, so that caches are in what state they will
/// be, unless they are very many.
void add_latency(Points& points, std::size_t every) {
  for (const Row& row : read_table("memory/latency.csv", every).rows) {
    const double lines = std::stod(row[1]), bytes = 128;
    const double steps =
        32 * std::floor(std::max({std::min(2 * lines, 262144.0), lines, 32768.0}) / 32);
    const KernelReport report =
        chase(row[0], static_cast<std::size_t>(lines), static_cast<std::int64_t>(steps));
    points.push_back(point(row[0],
                           {.family = "gpu-latency",
                            .file = row[0],
                            .kernel = "chase",
                            .shape = fmt::format("{:.1f} KiB", lines / 8),
                            .of_unit = lines * bytes,
                            .of_gpu = lines * bytes},
                           bytes / (std::stod(row[2]) / std::stod(row[3]) * 1e-6), bytes * steps,
                           Predicted(report)));
  }
}

/// A workgroup for each compute unit reads the same 2 x `elements` of 16 bytes.
KernelReport sum(const gpus::Gpu& gpu, int elements, int rounds) {
  const std::set<int> known{128, 256, 512, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384};
  const int block = elements < 512 ? elements : 512;
  const Kernels kernels(gpu.name, file);
  const auto count = static_cast<std::size_t>(elements) * 8;  // floats
  const Buffer a = kernels.array<float>(count), b = kernels.array<float>(count);
  return kernels.launch(fmt::format("sum<{}, {}>", known.contains(elements) ? elements : 0, block),
                        launch({gpu.hip_multiprocessors()}, {static_cast<std::uint32_t>(block)}, 4),
                        a, b, 0, rounds, elements);
}

void add_cache(Points& points, std::size_t every) {
  for (const Row& row : read_table("memory/cache.csv", every).rows) {
    const gpus::Gpu gpu = gpus::find(row[0]);
    const double bytes = std::stod(row[1]) * 1024;
    const int elements = static_cast<int>(bytes / 32), rounds = std::max(2, 131072 / elements);
    const KernelReport report = sum(gpu, elements, rounds);
    points.push_back(point(row[0],
                           {.family = "gpu-cache",
                            .file = row[0],
                            .kernel = "sum",
                            .shape = row[1] + " KiB",
                            .of_unit = bytes,
                            .of_gpu = bytes},
                           std::stod(row[2]) * 1e9, bytes * double(rounds) * gpu.compute_units,
                           Predicted(report)));
  }
}

void add_l2_cache(Points& points, std::size_t every) {
  for (const Row& row : read_table("memory/l2_cache.csv", every).rows) {
    const double bytes = 524288;
    const int chunks = std::stoi(row[1]);
    const Kernels kernels(row[0], file);
    const Buffer a = kernels.array<double>(1024),
                 b = kernels.array<double>(static_cast<std::size_t>(chunks) * 65536);
    const KernelReport report =
        kernels.launch("l2_sum", launch({200000}, {1024}, 16), a, b, chunks);
    points.push_back(point(row[0],
                           {.family = "gpu-l2-cache",
                            .file = row[0],
                            .kernel = "sum",
                            .shape = row[1] + " x 512 KiB",
                            .of_unit = bytes,
                            .of_gpu = bytes * std::stod(row[1])},
                           std::stod(row[2]) * 1e9, bytes * 200000, Predicted(report)));
  }
}

/// 2^30 work-items go round in arrays of `length` doubles, `workgroups` on a compute unit.
std::vector<KernelReport> l2_stream(const std::string& gpu, std::size_t length, std::size_t block,
                                    std::size_t workgroups) {
  constexpr std::size_t n = (std::size_t{1} << 30) + 2;
  const Kernels kernels(gpu, file);
  const Buffer a = kernels.array<double>(length), b = kernels.array<double>(length),
               c = kernels.array<double>(length), d = kernels.array<double>(length);
  const LaunchConfig how =
      launch({static_cast<std::uint32_t>(n / block + 1)}, {static_cast<std::uint32_t>(block)}, 64,
             lds_for(gpus::find(gpu), workgroups));
  std::vector<KernelReport> reports;
  for (int kind = 0; kind < 4; ++kind)
    reports.push_back(kernels.launch(fmt::format("stream<(Kind){}, {}>", kind, length), how, a, b,
                                     c, d, n, false));
  return reports;
}

void add_l2_stream(Points& points, std::size_t every) {
  const std::map<std::string, double> arrays{{"read", 1}, {"scale", 2}, {"triad", 4}, {"write", 1}};
  const Table table = read_table("memory/l2_stream.csv", every);
  for (const Row& row : table.rows) {
    const std::vector<KernelReport> reports =
        l2_stream(row[0], 8192 * std::stoul(row[1]) + 8161, std::stoul(row[2]), std::stoul(row[3]));
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
                             Predicted(reports.at(k - 4))));
    }
  }
}

constexpr int stride_rounds = 1024;
/// One workgroup of 1,024, lanes so many elements apart; or in rows of so many.
template <class T>
KernelReport one_workgroup(const std::string& gpu, const std::string& kernel, int argument) {
  const Kernels kernels(gpu, file);
  const Buffer a = kernels.array<T>(1 << 20), b = kernels.array<T>(1 << 20);
  const auto width = static_cast<std::uint32_t>(argument);
  const bool rows = kernel.starts_with("blocks");
  return kernels.launch(kernel, launch({1}, rows ? Dim3{width, 1024 / width} : Dim3{1024}, 1), a, b,
                        0, rows ? 4096 + 2 : argument, stride_rounds);
}

/// One workgroup of 1,024 that loads eight elements 1,024 times: bytes of a compute unit.
void add_strides(Points& points, std::size_t every) {
  for (const Row& row : read_table("memory/strides.csv", every).rows) {
    const gpus::Gpu gpu = gpus::find(row[0]);
    const double element = row[2] == "float" ? 4 : 8, loads = 8.0 * 1024 * 1024 / 32,
                 warp = 32 * element;
    const std::string kernel = fmt::format("{}<{}>", row[1], row[2]);
    const int argument = std::stoi(row[3]);
    const KernelReport report = row[2] == "float" ? one_workgroup<float>(row[0], kernel, argument)
                                                  : one_workgroup<double>(row[0], kernel, argument);
    Point p =
        point(row[0],
              {.family = "gpu-strides",
               .file = row[0],
               .kernel = row[1] + " " + row[2],
               .shape = row[3],
               .of_unit = 0,
               .of_gpu = 0},
              warp / (std::stod(row[4]) / gpu.clock_ghz * 1e-9), warp * loads, Predicted(report));
    p.specified_roof /= gpu.compute_units;  // one works
    p.measured_roof /= gpu.compute_units;
    points.push_back(p);
  }
}

KernelReport scale(const std::string& gpu, int elements, int block) {
  const Kernels kernels(gpu, file);
  const auto count = static_cast<std::size_t>(elements);
  const Buffer a = kernels.array<double>(count), b = kernels.array<double>(count);
  return kernels.launch("scale",
                        launch({static_cast<std::uint32_t>(elements / block + 1)},
                               {static_cast<std::uint32_t>(block)}, 64),
                        a, b, elements, false);
}

/// With the launch: one after the other.
void add_small(Points& points, std::size_t every) {
  const Table table = read_table("memory/small.csv", every);
  std::map<std::string, Predicted> known;  // both files have the same shapes
  for (const Row& row : table.rows)
    for (std::size_t k = 3; k < table.head.size(); ++k) {
      const double bytes = 16 * std::stod(row[2]);
      Predicted& predicted = known[fmt::format("{} {} {}", row[0], row[2], table.head[k])];
      if (predicted.seconds == 0)
        predicted = Predicted(scale(row[0], std::stoi(row[2]), std::stoi(table.head[k])));
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
