#include <algorithm>
#include <cmath>

#include "kernels.h"
#include "timing/power.h"

namespace hipsight::bench {

double matrix_rate(const gpus::Gpu& gpu, const std::string& type, double beside) {
  const gpus::Gpu::Rate* rate = gpu.rate(type);
  if (!rate || !rate->matrix) return NAN;
  // An FMA in each of a SIMD's 16 lanes, and what the matrix units do of a cycle.
  const double vector = beside * gpu.simds_per_cu * 16 * 2 * gpu.vector_pj.value_or(0),
               matrix = *rate->matrix * timing::matrix_pj(gpu, *rate);
  double best = 0;
  for (int percent = 1; percent <= 100; ++percent) {
    const double busy = percent / 100.0 / std::max(1.0, beside);
    const double pj = busy * (matrix + vector) * gpu.compute_units;
    best = std::max(best, busy * timing::clock_under(gpu, {.pj_per_cycle = pj}));
  }
  return *rate->matrix * gpu.compute_units * best * 1e9;
}

double memory_bytes_per_second(const gpus::Gpu& gpu) {
  return gpu.dram_gb_per_s_measured.value_or(0.8 * gpu.dram_gb_per_s) * 1e9;
}

double launch_seconds(const gpus::Gpu& gpu) {
  return gpu.launch_us.value_or(2) * 1e-6;
}

Row of_limit(std::string name, double limit, double seconds, std::pair<std::string, double> rate,
             const KernelReport& kernel) {
  return {.name = std::move(name),
          .value = 100 * limit / seconds,
          .unit = "% of the limit",
          .floor = NAN,
          .aim = NAN,
          .beside = {{"us", seconds * 1e6},
                     std::move(rate),
                     {"conflict cycles", kernel.profile->all.lds_conflict_cycles},
                     {"VGPRs", double(kernel.kernel.vgprs)},
                     {"spills", double(kernel.kernel.vgpr_spills)}}};
}

}  // namespace hipsight::bench
