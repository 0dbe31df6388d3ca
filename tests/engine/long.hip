// Kernels of more than 5,000 instructions, as assembly GEMMs and attention's backward pass have:
// device code without HIP's headers. The bench takes the time that translating them takes.

#define KERNEL extern "C" __attribute__((global, amdgpu_flat_work_group_size(1, 256))) void

using u32 = unsigned int;

__attribute__((device)) inline u32 index() {
  return __builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() +
         __builtin_amdgcn_workitem_id_x();
}
__attribute__((device)) inline float number(u32 u) {
  return __builtin_bit_cast(float, u);
}

template <class T, T... rounds>
struct Rounds {
  /// In each round, each number is made of others. No loop, which compilers would not take apart.
  template <u32 numbers>
  __attribute__((device)) static void run(float (&x)[numbers], float y) {
    (round<rounds>(x, y), ...);
  }
  template <T r, u32 numbers>
  __attribute__((device)) static void round(float (&x)[numbers], float y) {
#pragma unroll
    for (u32 k = 0; k < numbers; ++k)
      x[k] = __builtin_fmaf(x[(k + 1) % numbers], y, x[(k + r) % numbers]);
  }
};

/// One stretch without a branch.
KERNEL long_straight(const u32* a, const u32* b, u32* out, u32 n) {
  const u32 i = index();
  if (i >= n) return;
  constexpr u32 numbers = 16;
  float x[numbers];
#pragma unroll
  for (u32 k = 0; k < numbers; ++k) x[k] = number((a[i] ^ k << 20) & 0xbfffffff);
  const float y = number(b[i] & 0xbfffffff);
  __make_integer_seq<Rounds, u32, 375>::run(x, y);
  u32 h = 0;
#pragma unroll
  for (u32 k = 0; k < numbers; ++k) h = (h ^ __builtin_bit_cast(u32, x[k])) * 0x9e3779b1u;
  out[i] = h;
}

/// Many short stretches, behind branches that lanes take or not.
KERNEL long_branches(const u32* a, const u32* b, u32* out, u32 n) {
  const u32 i = index();
  if (i >= n) return;
  constexpr u32 branches = 700;
  u32 x = a[i], y = b[i];
#pragma unroll
  for (u32 k = 0; k < branches; ++k) {
    x = (x ^ x >> 15) * 0x85ebca6bu + k;
    if (x & 1u << k % 32) {
      asm volatile("");  // a branch, no selection
      y = (y << 5 ^ x) + y * 0xc2b2ae35u;
    }
  }
  out[i] = x ^ y;
}
