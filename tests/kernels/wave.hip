// Kernels of wave_test.cpp.
#include <hip/hip_runtime.h>

#include "hipsight/kernels/tile/pipeline.h"
#include "hipsight/kernels/wave.h"
#include "hipsight/kernels/wave_roles.h"
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

/// One wave copies, tile after tile, and goes first; two others sum up what is there, each half.
using Roles = WaveRoles<1, 2>;
constexpr int depth = 64 / sizeof(float);
using Tile = SharedTile<float, lines_of_sums, depth, Swizzle{}>;
using Tiles = Pipeline<Tile, true, Roles::threads_of<0>>;

__global__ __launch_bounds__(Roles::threads) void sums_kernel(GlobalTile<const float> in,
                                                              float* out) {
  __shared__ Tile shared[Tiles::buffers];
  Tiles tiles(in, 0, shared);
  Roles::run([&](auto role, int wave) {
    if constexpr (role == 0) {
      arch::set_priority<3>();
      tiles.start(0);
      for (int t = 0; t < tiles.count(); t++) {
        tiles.finish(t);
        arch::barrier();
        tiles.start(t + 1);
      }
    } else {
      float sum[ceil_div(lines_of_sums, arch::wave_size)] = {};
      for (int t = 0; t < tiles.count(); t++) {
        arch::barrier();
        for (int line = arch::lane(); line < lines_of_sums; line += arch::wave_size)
          for (int at = wave * depth / 2; at < (wave + 1) * depth / 2; at += chunk_size<float>)
            for (int i = 0; i < chunk_size<float>; i++)
              sum[line / arch::wave_size] += shared[t % Tiles::buffers].chunk(line, at)[i];
      }
      for (int line = arch::lane(); line < lines_of_sums; line += arch::wave_size)
        out[wave * lines_of_sums + line] = sum[line / arch::wave_size];
    }
  });
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

bool run_sums(const float* in, int columns, float* out) {
  const GlobalTile<const float> all{in, lines_of_sums, columns, columns, true};
  sums_kernel<<<1, 3 * wave_size()>>>(all, out);
  return hipDeviceSynchronize() == hipSuccess;
}
