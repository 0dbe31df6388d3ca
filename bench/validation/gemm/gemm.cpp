#include "validation/gemm/gemm.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <stdexcept>

#include "timing/recording.h"
#include "validation/gemm/split.h"
#include "validation/profile_run.h"
#include "validation/recordings.h"

namespace hipsight::bench {
namespace {

namespace fs = std::filesystem;
const fs::path folder = fs::path(HIPSIGHT_VALIDATION) / "gemm";

struct Object {
  std::string path, family, kernel;
  unsigned tile_m, tile_n;
};
struct Launch {
  std::string gpu;
  unsigned m, n, k, split_k, bias, out_bytes;
  double least, most;
};

/// Recordings of one binary on one GPU, in the order of timings.csv.
fs::path file_of(const std::string& gpu, const Object& object) {
  return folder / (gpu + "." + fs::path(object.path).stem().string() + ".zst");
}

std::string record_launch(const std::string& source, const Object& object, const Launch& l) {
  return record(
      l.gpu, "--sample 1",
      fmt::format("{}/gemm_launch {}/{} {} {} {} {} {} {} {} {} {} {}", programs().string(), source,
                  object.path, object.kernel, object.family, l.m, l.n, l.k, object.tile_m,
                  object.tile_n, l.split_k, l.bias, l.out_bytes));
}

/// Clocks under sustained matrix load, GHz: ROCm blogs, measuring max-achievable FLOPs part 2 (1.2
/// to 1.55), and ROCm/aiter's timings.
const std::map<std::string, double> sustained_clock{
    {"mi300x", 1.4}, {"mi308x", 1.4}, {"mi355x", 1.55}};

/// The matrices' bytes, and what crosses to memory at least.
double bytes_of(const Object& object, const Launch& l) {
  const double in = object.family == "bf16" ? 2 : 1;
  return (double(l.m) + l.n) * l.k * in + double(l.m) * l.n * l.out_bytes;
}

/// aiter's tuners go round in 101 copies of the matrices (aiter/test_common.py): when those fit
/// into the MALL, they stay there.
timing::Caches caches_of(const gpus::Gpu& gpu, double bytes) {
  return 101 * bytes <= double(gpu.mall_bytes.value_or(0)) ? timing::Caches::InMall
                                                           : timing::Caches::Cold;
}

GemmPoint predict(const std::string& recording, const Object& object, const Launch& l) {
  const auto known = timing::read(recording);
  const gpus::Gpu& gpu = known->gpu;
  const double bytes = bytes_of(object, l);
  const timing::Prediction prediction =
      known->predict({.caches = caches_of(gpu, bytes), .more_waves = false});
  const double memory = gpu.dram_gb_per_s_measured.value_or(0.8 * gpu.dram_gb_per_s) * 1e9;
  // Partial sums of fp8 and i8 are added up in memory, which another kernel sets to zero before;
  // what was measured has it in.
  const bool zeroed = object.family != "bf16" && l.split_k > 1;
  const double zeroing =
      zeroed ? prediction.launch_seconds + double(l.m) * l.n * l.out_bytes / memory : 0;

  const gpus::Gpu::Rate* rate = gpu.rate(object.family);
  const double operations = 2.0 * l.m * l.n * l.k,
               each_ghz = rate->matrix.value_or(NAN) * gpu.compute_units * 1e9;
  GemmPoint p{.gpu = l.gpu,
              .family = object.family,
              .binary = fs::path(object.path).stem().string(),
              .fitted = is_fitted(object.path),
              .m = l.m,
              .n = l.n,
              .k = l.k,
              .split_k = l.split_k,
              .least = l.least * 1e-6,
              .most = l.most * 1e-6,
              .predicted = prediction.seconds + zeroing,
              .bound = prediction.bound,
              .model_family = std::string(prediction.family)};
  p.specified_roof =
      std::max(operations / (each_ghz * gpu.clock_ghz), bytes / (gpu.dram_gb_per_s * 1e9));
  p.achievable_roof =
      std::max(operations / (each_ghz * sustained_clock.at(gpu.name)), bytes / memory);
  p.launch_roof = p.achievable_roof + prediction.launch_seconds;
  return p;
}

}  // namespace

std::vector<GemmPoint> gemm_points(const std::string& source) {
  std::vector<Object> objects;
  for (const auto& row : read_table("gemm/objects.csv").rows)
    objects.push_back(
        {row[0], row[1], row[2], unsigned(std::stoul(row[3])), unsigned(std::stoul(row[4]))});
  std::map<std::pair<std::string, std::size_t>, std::vector<Launch>> launches;
  for (const auto& row : read_table("gemm/timings.csv").rows) {
    const auto number = [&](std::size_t i) { return unsigned(std::stoul(row[i])); };
    launches[{row[0], number(1)}].push_back({row[0], number(2), number(3), number(4), number(5),
                                             number(6), number(7), std::stod(row[8]),
                                             std::stod(row[9])});
  }
  std::vector<GemmPoint> points;
  for (const auto& [key, all] : launches) {
    const Object& object = objects.at(key.second);
    const fs::path file = file_of(key.first, object);
    std::vector<std::string> recordings;
    if (source.empty()) {
      recordings = unpack(file);
    } else {
      for (const Launch& launch : all) recordings.push_back(record_launch(source, object, launch));
      pack(file, recordings);
    }
    if (recordings.size() != all.size())
      throw std::runtime_error(fmt::format("{}: {} recordings of {} launches", file.string(),
                                           recordings.size(), all.size()));
    for (std::size_t i = 0; i < all.size(); ++i)
      points.push_back(predict(recordings[i], object, all[i]));
  }
  return points;
}

}  // namespace hipsight::bench
