#include "timing/power.h"

#include <algorithm>
#include <cmath>

#include "timing/roofs.h"

namespace hipsight::timing {
namespace {

/// No launch takes a GPU below this share of its peak clock.
constexpr double lowest = 0.25;

}  // namespace

double matrix_pj(const gpus::Gpu& gpu, const gpus::Gpu::Rate& rate) {
  if (rate.matrix_pj) return *rate.matrix_pj;
  double most = 0;
  for (const gpus::Gpu::Rate& other : gpu.rates)
    most = std::max(most, other.matrix_pj.value_or(0) * other.matrix.value_or(0));
  return most / rate.matrix.value_or(INFINITY);
}

double energy_of(const gpus::Gpu& gpu, const isa::Work& work, unsigned lanes) {
  switch (work.pipe) {
    case isa::Pipe::Matrix: {
      const gpus::Gpu::Rate* rate = gpu.rate(rate_name(work.number));
      return rate ? work.operations_per_wave * matrix_pj(gpu, *rate) : 0;
    }
    case isa::Pipe::Vector:
    case isa::Pipe::Transcendental: {
      // An instruction takes what an FMA of its lanes does, a packed one what all its operations
      // do; those of 16 bits take half of it, those of 64 bits twice as much.
      const double size = work.number == isa::Number::F64   ? 2
                          : work.number == isa::Number::F32 ? 1
                                                            : 0.5;
      return std::max(2.0, size * work.operations_per_lane) * lanes * gpu.vector_pj.value_or(0);
    }
    default:
      return 0;
  }
}

double clock_under(const gpus::Gpu& gpu, const Activity& activity) {
  if (!gpu.power_watts) return gpu.clock_ghz;
  // So many pJ a cycle are as many mW at 1 GHz.
  const double switching = gpu.power_clock_watts.value_or(0) + 1e-3 * activity.pj_per_cycle;
  if (switching <= 0) return gpu.clock_ghz;
  const double left = *gpu.power_watts - gpu.power_base_watts.value_or(0) -
                      1e-3 * activity.memory_gb_per_s * gpu.dram_pj_per_byte.value_or(0);
  return std::clamp(std::sqrt(std::max(0.0, left) / switching), lowest * gpu.clock_ghz,
                    gpu.clock_ghz);
}

}  // namespace hipsight::timing
