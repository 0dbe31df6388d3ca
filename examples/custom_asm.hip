// Instructions written by hand, where each GPU spells or has them differently: what a compiler
// would not choose, or not know how to.
//   custom_asm [N]
#include <cstdint>
#include <cstring>

#include "common.h"

// The bytes of a word in reverse order, by the selector's bytes.
__device__ uint32_t reverse_bytes(uint32_t word) {
  uint32_t result;
  asm("v_perm_b32 %0, %1, %1, %2" : "=v"(result) : "v"(word), "s"(0x00010203));
  return result;
}

// c plus the sum of four products of signed bytes. RDNA3's instruction takes each operand as signed
// or unsigned: neg_lo makes it signed.
__device__ int32_t dot4(uint32_t a, uint32_t b, int32_t c) {
  int32_t result;
#if defined(__GFX11__) || defined(__GFX12__)
  asm("v_dot4_i32_iu8 %0, %1, %2, %3 neg_lo:[1,1,0]" : "=v"(result) : "v"(a), "v"(b), "v"(c));
#else
  asm("v_dot4_i32_i8 %0, %1, %2, %3" : "=v"(result) : "v"(a), "v"(b), "v"(c));
#endif
  return result;
}

// The value of the lane whose number differs in all of the low five bits. The result of an LDS
// instruction is there after a wait, which the compiler does not insert for us.
__device__ uint32_t reverse_half_wave(uint32_t value) {
  uint32_t result;
#if defined(__GFX12__)
  asm volatile("ds_swizzle_b32 %0, %1 offset:swizzle(BITMASK_PERM, \"iiiii\")\n\ts_wait_dscnt 0x0"
               : "=v"(result)
               : "v"(value));
#else
  asm volatile(
      "ds_swizzle_b32 %0, %1 offset:swizzle(BITMASK_PERM, \"iiiii\")\n\ts_waitcnt lgkmcnt(0)"
      : "=v"(result)
      : "v"(value));
#endif
  return result;
}

// A counter that runs on while the wave does.
__device__ uint64_t now() {
  uint64_t time;
#if defined(__GFX12__)
  asm volatile("s_sendmsg_rtn_b64 %0, sendmsg(MSG_RTN_GET_REALTIME)\n\ts_wait_kmcnt 0x0"
               : "=s"(time)::"memory");
#elif defined(__GFX11__)
  asm volatile("s_sendmsg_rtn_b64 %0, sendmsg(MSG_RTN_GET_REALTIME)\n\ts_waitcnt lgkmcnt(0)"
               : "=s"(time)::"memory");
#else
  asm volatile("s_memtime %0\n\ts_waitcnt lgkmcnt(0)" : "=s"(time)::"memory");
#endif
  return time;
}

struct Results {
  uint32_t reversed_bytes;
  int32_t dot;
  uint32_t other_lane;
  uint32_t time_went_back;
};

__global__ void by_hand(int n, const uint32_t* a, const uint32_t* b, Results* results) {
  const uint64_t start = now();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const uint32_t my_a = i < n ? a[i] : 0, my_b = i < n ? b[i] : 0;
  Results result;
  result.reversed_bytes = reverse_bytes(my_a);
  result.dot = dot4(my_a, my_b, i);
  result.other_lane = reverse_half_wave(my_a);
  result.time_went_back = now() < start;
  if (i < n) results[i] = result;
}

int main(int argc, char** argv) {
  const int n = size_argument(argc, argv, 1, 10'007);
  std::vector<uint32_t> a(n), b(n);
  std::mt19937 generator(1);
  for (int i = 0; i < n; i++) a[i] = generator(), b[i] = generator();

  DeviceArray<uint32_t> device_a(a), device_b(b);
  DeviceArray<Results> device_results(n);
  const int threads = 256;
  by_hand<<<ceil_div(n, threads), threads>>>(n, device_a.data(), device_b.data(),
                                             device_results.data());
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipDeviceSynchronize());

  const auto results = device_results.to_host();
  Comparison comparison;
  for (int i = 0; i < n; i++) {
    int8_t a_bytes[4], b_bytes[4];
    std::memcpy(a_bytes, &a[i], 4);
    std::memcpy(b_bytes, &b[i], 4);
    int dot = i;
    for (int j = 0; j < 4; j++) dot += a_bytes[j] * b_bytes[j];
    comparison.add(results[i].reversed_bytes, __builtin_bswap32(a[i]), 0);
    comparison.add(results[i].dot, dot, 0);
    comparison.add(results[i].other_lane, (i ^ 31) < n ? a[i ^ 31] : 0, 0);
    comparison.add(results[i].time_went_back, 0, 0);
  }
  return comparison.report("custom_asm " + std::to_string(n), "exact");
}
