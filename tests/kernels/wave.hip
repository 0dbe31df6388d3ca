// Kernels of wave_test.cpp.
#include "hipsight/kernels/wave.h"
#include "wave_case.h"

namespace {

using namespace hipsight::kernels;

template <int mask>
__device__ void exchange_all(int in, int* out) {
  if constexpr (mask < arch::wave_size) {
    out[mask * arch::wave_size + arch::lane()] = arch::exchange<mask>(in);
    exchange_all<mask + 1>(in, out);
  }
}

__global__ void exchange_kernel(const int* in, int* out) {
  exchange_all<0>(in[arch::lane()], out);
}

__global__ void over_lanes_kernel(const float* in, float* out) {
  const float mine = in[arch::lane()];
  out[arch::lane()] = over_lanes(mine, Plus{});
  out[arch::wave_size + arch::lane()] = over_lanes(mine, Larger{});
  out[2 * arch::wave_size + arch::lane()] = over_lanes<2, 8>(mine, Plus{});
}

}  // namespace

int wave_size() {
  int device = 0, lanes = 0;
  if (hipGetDevice(&device) != hipSuccess) return 0;
  return hipDeviceGetAttribute(&lanes, hipDeviceAttributeWarpSize, device) == hipSuccess ? lanes
                                                                                         : 0;
}

bool run_exchange(const int* in, int* out) {
  exchange_kernel<<<1, wave_size()>>>(in, out);
  return hipDeviceSynchronize() == hipSuccess;
}

bool run_over_lanes(const float* in, float* out) {
  over_lanes_kernel<<<1, wave_size()>>>(in, out);
  return hipDeviceSynchronize() == hipSuccess;
}
