// Small kernels of different kinds, whose translation golden_test.cpp keeps count of. No HIP
// headers. One workgroup of 256.
#define KERNEL extern "C" __attribute__((global)) void
#define LDS __attribute__((shared)) static

using u32 = unsigned int;
using half2 = _Float16 __attribute__((ext_vector_type(2)));

__attribute__((device)) static u32 item() {
  return __builtin_amdgcn_workitem_id_x();
}
__attribute__((device)) static void barrier() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

KERNEL stream(float* out, const float* in) {
  out[item()] = 2.5f * in[item()] + out[item()];
}

/// Sums of 4 x 4, from tiles in LDS.
KERNEL product(float* out, const float* in) {
  constexpr u32 depth = 8;
  LDS float a[depth][64 + 4], b[depth][64 + 4];
  for (u32 i = item(); i < depth * 64; i += 256) {
    a[i / 64][i % 64] = in[i];
    b[i / 64][i % 64] = in[512 + i];
  }
  barrier();
  float sum[4][4] = {};
#pragma clang loop unroll(disable)
  for (u32 k = 0; k < depth; ++k)
#pragma clang loop unroll(full)
    for (u32 i = 0; i < 4; ++i)
#pragma clang loop unroll(full)
      for (u32 j = 0; j < 4; ++j)
        sum[i][j] = __builtin_fmaf(a[k][item() / 16 * 4 + i], b[k][item() % 16 * 4 + j], sum[i][j]);
#pragma clang loop unroll(full)
  for (u32 i = 0; i < 4; ++i)
#pragma clang loop unroll(full)
    for (u32 j = 0; j < 4; ++j) out[(item() / 16 * 4 + i) * 64 + item() % 16 * 4 + j] = sum[i][j];
}

/// Lanes leave a loop at different times.
KERNEL escape(float* out, const float* in) {
  const float cx = in[item()], cy = in[256 + item()];
  float x = 0, y = 0;
  u32 steps = 0;
  while (steps < 20 && x * x + y * y < 4) {
    const float next = __builtin_fmaf(x, x, __builtin_fmaf(-y, y, cx));
    y = __builtin_fmaf(2 * x, y, cy);
    x = next;
    ++steps;
  }
  out[item()] = static_cast<float>(steps);
}

KERNEL hash(u32* out, const u32* in) {
  u32 h = in[item()];
#pragma clang loop unroll(full)
  for (u32 i = 0; i < 6; ++i) {
    h ^= h >> 15;
    h *= 0x2c1b3c6d + 2 * i;
    h = h << 13 | h >> 19;
    h += __builtin_popcount(h) + (h > 0x80000000 ? i : h & 255);
  }
  out[item()] = h;
}

KERNEL halves(half2* out, const half2* in) {
  half2 x = in[item()], y = x;
#pragma clang loop unroll(full)
  for (u32 i = 0; i < 8; ++i) y = y * x + x;
  out[item()] = y;
}

/// Scalars alone, which gfx11 compares by a vector instruction: it has no such scalar one of 64
/// bits.
KERNEL count(long* out, const int* in) {
  const long n = in[0] & 63;
  long sum = 0;
  for (int i = 0; i < n; ++i) sum += i % 3;
  out[0] = sum;
}

KERNEL look_up(u32* out, const u32* in) {
  u32 at = in[item()] & 1023;
#pragma clang loop unroll(full)
  for (u32 i = 0; i < 4; ++i) at = in[at] & 1023;
  out[item()] = at;
}
