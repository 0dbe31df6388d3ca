#include "validation/gemm/gemm.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "timing/recording.h"
#include "validation/gemm/launches.h"
#include "validation/gemm/split.h"

namespace hipsight::bench {
namespace {

/// Clocks under sustained matrix load, GHz: ROCm blogs, measuring max-achievable FLOPs part 2 (1.2
/// to 1.55), and ROCm/aiter's timings.
const std::map<std::string, double> sustained_clock{
    {"mi300x", 1.4}, {"mi308x", 1.4}, {"mi355x", 1.55}};

/// aiter's tuners go round in 101 copies of the matrices (aiter/test_common.py): when those fit
/// into the MALL, they stay there.
timing::Caches caches_of(const gpus::Gpu& gpu, double bytes) {
  return 101 * bytes <= double(gpu.mall_bytes.value_or(0)) ? timing::Caches::InMall
                                                           : timing::Caches::Cold;
}

}  // namespace

GemmPoint gemm_point(const GemmLaunch& l) {
  const auto known = timing::read(l.recording);
  const gpus::Gpu& gpu = known->gpu;
  const double bytes = l.bytes();
  const timing::Prediction prediction =
      known->predict({.caches = caches_of(gpu, bytes), .more_waves = false});
  const double memory = gpu.dram_gb_per_s_measured.value_or(0.8 * gpu.dram_gb_per_s) * 1e9;

  const gpus::Gpu::Rate* rate = gpu.rate(l.object.family);
  const double operations = 2.0 * l.m * l.n * l.k,
               each_ghz = rate->matrix.value_or(NAN) * gpu.compute_units * 1e9;
  GemmPoint p{.gpu = l.gpu,
              .family = l.object.family,
              .binary = l.binary(),
              .fitted = is_fitted(l.object.path),
              .m = l.m,
              .n = l.n,
              .k = l.k,
              .split_k = l.split_k,
              .least = l.least * 1e-6,
              .most = l.most * 1e-6,
              // What was measured has the zeroing in it.
              .predicted = prediction.seconds + l.zeroing_seconds(gpu, prediction.launch_seconds),
              .bound = timing::text(prediction.bound),
              .model_family = std::string(prediction.family)};
  p.specified_roof =
      std::max(operations / (each_ghz * gpu.clock_ghz), bytes / (gpu.dram_gb_per_s * 1e9));
  p.achievable_roof =
      std::max(operations / (each_ghz * sustained_clock.at(gpu.name)), bytes / memory);
  p.launch_roof = p.achievable_roof + prediction.launch_seconds;
  return p;
}

std::vector<GemmPoint> gemm_points(const std::string& source) {
  std::vector<GemmPoint> points;
  for (const GemmLaunch& launch : gemm_launches(source)) points.push_back(gemm_point(launch));
  return points;
}

}  // namespace hipsight::bench
