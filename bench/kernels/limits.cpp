#include <algorithm>
#include <cmath>

#include "kernels.h"

namespace hipsight::bench {

double matrix_rate(const gpus::Gpu& gpu, const std::string& type, double beside) {
  const gpus::Gpu::Rate* rate = gpu.rate(type);
  const double per_clock = rate ? rate->matrix.value_or(NAN) * gpu.compute_units : NAN;
  const double loaded = gpu.matrix_clock_ghz.value_or(gpu.clock_ghz);
  double best = 0;
  for (int percent = 1; percent <= 100; ++percent) {
    const double busy = percent / 100.0 / std::max(1.0, beside);
    const double load = std::min(1.0, busy * (1 + std::min(1.0, beside)));  // docs/timing.md
    best = std::max(best, busy * (gpu.clock_ghz - (gpu.clock_ghz - loaded) * load));
  }
  return per_clock * best * 1e9;
}

double memory_bytes_per_second(const gpus::Gpu& gpu) {
  return gpu.dram_gb_per_s_measured.value_or(0.8 * gpu.dram_gb_per_s) * 1e9;
}

double launch_seconds(const gpus::Gpu& gpu) {
  return gpu.launch_us.value_or(2) * 1e-6;
}

}  // namespace hipsight::bench
