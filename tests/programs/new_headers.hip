// What HIP 5's headers lack, and HIP 7's have. The cooperative groups come first, since they must
// bring what they need.
#include <hip/hip_cooperative_groups.h>

// In any order.
#include <hip/hip_bf16.h>
#include <hip/hip_fp16.h>
#include <hip/hip_fp8.h>

#include "check.h"

namespace cg = cooperative_groups;

#if defined(__gfx942__)
using Fp8 = __hip_fp8_e4m3_fnuz;
#else
using Fp8 = __hip_fp8_e4m3;
#endif

__global__ void lanes(int* out) {
  const int i = static_cast<int>(threadIdx.x);
  const auto all = __activemask();
  const int swapped = __shfl_xor_sync(all, i, 1);
  const int next = __shfl_down_sync(all, i, 1);
  const int first = __shfl_sync(all, i + 100, 0);
  const auto odd = __ballot_sync(all, i % 2);
  const int some = __any_sync(all, i == 5) + 2 * __all_sync(all, i == 5);
  const auto alike = __match_any_sync(all, i / 4);
  __syncwarp();
  const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  const auto of_tile = tile.ballot(i % 4 == 3);
  const int any_of_tile = tile.any(i == 31);
  if (i != 6) return;
  out[0] = swapped;
  out[1] = next;
  out[2] = first;
  out[3] = static_cast<int>(odd & 0xff);
  out[4] = some;
  out[5] = static_cast<int>(alike & 0xff);
  out[6] = static_cast<int>(tile.size());
  out[7] = static_cast<int>(of_tile & 0xff);
  out[8] = any_of_tile + static_cast<int>(cg::this_thread_block().size());
  printf("work-item %d of %u\n", threadIdx.x, blockDim.x);
}

__global__ void numbers(float* out, __half2* halves, __hip_bfloat162* bfloats) {
  unsafeAtomicAdd(halves, __floats2half2_rn(1.5F, -2.0F));
  unsafeAtomicAdd(bfloats, __float22bfloat162_rn(float2{0.5F, 4.0F}));
  if (threadIdx.x != 0) return;
  const __hip_bfloat16 third = __float2bfloat16(1.0F / 3);
  out[0] = __bfloat162float(third);
  out[1] = __bfloat162float(__hfma(third, __float2bfloat16(3.0F), __float2bfloat16(-1.0F)));
  out[2] = static_cast<float>(Fp8(0.3F));
  out[3] = static_cast<float>(Fp8(-1000.0F));
}

int main() {
  int* const of_lanes = device_array<int>(9);
  lanes<<<1, 32>>>(of_lanes);
  MUST(hipDeviceSynchronize());
  int ints[9];
  MUST(hipMemcpy(ints, of_lanes, sizeof ints, hipMemcpyDeviceToHost));
  for (const int value : ints) std::printf("%d ", value);

  float* const out = device_array<float>(4);
  __half2* const halves = device_array<__half2>(1);
  __hip_bfloat162* const bfloats = device_array<__hip_bfloat162>(1);
  MUST(hipMemset(halves, 0, sizeof *halves));
  MUST(hipMemset(bfloats, 0, sizeof *bfloats));
  numbers<<<1, 4>>>(out, halves, bfloats);
  float floats[4];
  __half2 half;
  __hip_bfloat162 bfloat;
  MUST(hipMemcpy(floats, out, sizeof floats, hipMemcpyDeviceToHost));
  MUST(hipMemcpy(&half, halves, sizeof half, hipMemcpyDeviceToHost));
  MUST(hipMemcpy(&bfloat, bfloats, sizeof bfloat, hipMemcpyDeviceToHost));
  for (const float value : floats) std::printf("%g ", value);
  std::printf("%g %g %g %g\n", __half2float(__low2half(half)), __half2float(__high2half(half)),
              __bfloat162float(__low2bfloat16(bfloat)), __bfloat162float(__high2bfloat16(bfloat)));
}
