// Kernels that run by interpretation and translated, on every kind of bits: device code without
// HIP's headers.

#define KERNEL extern "C" __attribute__((global, amdgpu_flat_work_group_size(1, 256))) void
#define DEVICE __attribute__((device))
#define LDS __attribute__((shared))

using u32 = unsigned int;
using u64 = unsigned long long;
using half = _Float16;

DEVICE inline u32 lane() {
  return __builtin_amdgcn_workitem_id_x();
}
DEVICE inline u32 index() {
  return __builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() + lane();
}
DEVICE inline u32 bits(float f) {
  return __builtin_bit_cast(u32, f);
}
DEVICE inline float number(u32 u) {
  return __builtin_bit_cast(float, u);
}
DEVICE inline u64 bits(double f) {
  return __builtin_bit_cast(u64, f);
}
DEVICE inline u32 mix(u32 h, u32 v) {
  return (h ^ v) * 0x9e3779b1u;
}
DEVICE inline u32 mix(u32 h, u64 v) {
  return mix(mix(h, static_cast<u32>(v)), static_cast<u32>(v >> 32));
}

/// Chains of f32 arithmetic.
KERNEL float32(const u32* a, const u32* b, u32* out, u32 n) {
  const u32 i = index();
  if (i >= n) return;
  const float x = number(a[i]), y = number(b[i]), z = number(a[i] ^ b[i]);
  float sum = __builtin_fmaf(x, y, z);
  sum = sum + x * y;
  sum = __builtin_fmaf(sum, y, x) - z;
  u32 h = bits(sum);
  h = mix(h, bits(__builtin_fmaxf(x, y)));
  h = mix(h, bits(__builtin_fminf(y, z)));
  h = mix(h, bits(x < y ? x : z));
  h = mix(h, bits(-__builtin_fabsf(x) + y));
  h = mix(h, bits(__builtin_floorf(x) + __builtin_rintf(y)));
  out[i] = mix(h, bits(__builtin_truncf(z) * -y));
}

/// The transcendental instructions, division and conversions.
KERNEL special(const u32* a, const u32* b, u32* out, u32 n) {
  const u32 i = index();
  if (i >= n) return;
  const float x = number(a[i]), y = number(b[i]);
  u32 h = bits(__builtin_amdgcn_rcpf(x));
  h = mix(h, bits(__builtin_amdgcn_sqrtf(y)));
  h = mix(h, bits(__builtin_amdgcn_rsqf(x)));
  h = mix(h, bits(__builtin_amdgcn_exp2f(y)));
  h = mix(h, bits(__builtin_amdgcn_logf(x)));
  h = mix(h, bits(__builtin_amdgcn_sinf(y)));
  h = mix(h, bits(__builtin_amdgcn_fractf(x)));
  h = mix(h, bits(__builtin_amdgcn_ldexpf(x, static_cast<int>(b[i] % 300) - 150)));
  h = mix(h, bits(x / y));
  h = mix(h, static_cast<u32>(__builtin_bit_cast(unsigned short, static_cast<half>(x))));
  h = mix(h, bits(static_cast<float>(static_cast<int>(a[i]))));
  out[i] = mix(h, bits(static_cast<float>(b[i])));
}

/// A long chain of few values, with instructions that AVX-512 has itself.
KERNEL powers(const u32* a, const u32* b, u32* out, u32 n) {
  const u32 i = index();
  if (i >= n) return;
  float x = number(a[i]);
  const float y = number(b[i]);
#pragma unroll
  for (int k = 0; k < 6; ++k)
    x = __builtin_amdgcn_exp2f(__builtin_amdgcn_ldexpf(x, static_cast<int>(b[i] >> k) % 9)) - y;
  out[i] = bits(x);
}

/// f64 and f16.
KERNEL widths(const u32* a, const u32* b, u32* out, u32 n) {
  const u32 i = index();
  if (i >= n) return;
  const double x = __builtin_bit_cast(double, static_cast<u64>(a[i]) << 32 | b[i]);
  const double y = static_cast<double>(number(b[i]));
  u32 h = mix(1u, bits(x * y + x));
  h = mix(h, bits(__builtin_fma(x, y, -x)));
  h = mix(h, bits(static_cast<float>(x)));
  const half p = __builtin_bit_cast(half, static_cast<unsigned short>(a[i]));
  const half q = __builtin_bit_cast(half, static_cast<unsigned short>(b[i] >> 16));
  h = mix(h, static_cast<u32>(__builtin_bit_cast(unsigned short, static_cast<half>(p * q))));
  h = mix(h, static_cast<u32>(__builtin_bit_cast(unsigned short, static_cast<half>(p + q))));
  out[i] = mix(h, bits(static_cast<float>(q)));
}

/// Integers of all widths.
KERNEL integers(const u32* a, const u32* b, u32* out, u32 n) {
  const u32 i = index();
  if (i >= n) return;
  const u32 x = a[i], y = b[i];
  const u64 wide = static_cast<u64>(x) * y + (static_cast<u64>(y) << 17);
  u32 h = mix(static_cast<u32>(static_cast<int>(x) >> (y & 31)), wide);
  h = mix(h, static_cast<u32>(__builtin_popcount(x) + (x ? __builtin_clz(x) : 32)));
  h = mix(h, static_cast<u32>((static_cast<u64>(x) << 32 | y) >> (i & 63)));
  h = mix(h, x > y ? x - y : y * 3 + x);
  h = mix(h, x / (y | 1));
  h = mix(h, static_cast<u32>(static_cast<short>(x) * static_cast<short>(y >> 16)));
  h = mix(h, (x >> 7 & 0x1ff) | (y & 0xff) << 12);
  out[i] = mix(h, wide > (static_cast<u64>(x) << 31) ? 5u : 9u);
}

/// Lanes part: loops and branches that differ from lane to lane.
KERNEL diverge(const u32* a, const u32* b, u32* out, u32 n) {
  const u32 i = index();
  u32 h = i;
  if (i < n) {
    float x = number((a[i] & 0x007fffff) | 0x3f800000);
    for (u32 k = 0; k < b[i] % 37; ++k) {
      x = __builtin_fmaf(x, 0.75f, 0.4f);
      if (bits(x) & 1) {
        h = mix(h, bits(x));
      } else {
        h += k;
        x = x * 1.5f - 0.5f;
      }
    }
    h = mix(h, bits(x));
  }
  if (i < n) out[i] = h;
}

/// Tiles in LDS, and a loop of uniform control flow over them; NaNs come in some tiles only.
KERNEL tiles(const u32* a, const u32* b, u32* out, u32 n) {
  LDS u32 left[16][20], right[16][16];
  const u32 t = lane(), x = t % 16, y = t / 16, i = index();
  float sum[4] = {};
  for (u32 tile = 0; tile < 4; ++tile) {
    const u32 at = (i + tile * 256) % n;
    left[y][x] = a[at];
    right[y][x] = tile & 1 ? b[at] : (b[at] & 0x3fffffff);
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
#pragma clang loop unroll_count(4)
    for (u32 k = 0; k < 16; ++k)
      for (u32 j = 0; j < 4; ++j)
        sum[j] = __builtin_fmaf(number(left[y][k]), number(right[k][(x + j * 4) & 15]), sum[j]);
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  }
  if (i < n) out[i] = mix(mix(bits(sum[0]), bits(sum[1])), mix(bits(sum[2]), bits(sum[3])));
}

/// Loads of several widths whose addresses lie in many ways.
KERNEL gathers(const u32* a, const u32* b, u32* out, u32 n) {
  const u32 i = index();
  struct Four {
    u32 v[4];
  };
  u32 h = i;
  for (u32 k = 0; k < 8; ++k) {
    const u32 at = (b[(i + k) % n] % (n - 4)) & ~3u;
    const Four four = *reinterpret_cast<const Four*>(a + at);
    h = mix(h, four.v[0] ^ four.v[1] ^ four.v[2] ^ four.v[3]);
    h = mix(h, a[(k * 64 + i / 32) % n]);
  }
  if (i < n) out[i] = h;
}

/// Scalar instructions between vector ones: loads from a table that is another one in every third
/// workgroup, through an offset that was loaded; carries, conditions, masks; and quotients, which
/// make some waves go back to the interpreter with what the scalar instructions have left.
KERNEL scalars(const u32* a, const u32* b, u32* out, u32 n) {
  const u32 i = index(), group = __builtin_amdgcn_workgroup_id_x();
  const u32* table = group % 3 == 1 ? b : a;
  const u32* words = table + table[group * 37 % n] % (n - 16);
  const u64 x = static_cast<u64>(words[1]) << 32 | words[0];
  const u64 y = static_cast<u64>(words[3]) << 32 | words[2];
  const u64 sum = x + y * (group + 3);
  const u32 few = words[4] >> (words[5] & 31) ^ words[9];
  u32 h = mix(a[i % n], sum);
  h = mix(h, bits(number(b[i % n]) / number(few)));
  h = sum >> 17 & 1 ? h : h ^ few;
  h = mix(h, static_cast<long long>(x) < static_cast<long long>(y) ? lane() : words[12]);
  h = mix(h, bits(number(h) / number(words[6])));
  if (i < n) out[i] = h;
}

/// Loads from LDS at indices made from work-item numbers: alike, side by side, strided, and others
/// that only look so.
KERNEL patterns(const u32* a, const u32* b, u32* out, u32 n) {
  LDS u32 words[1024];
  const u32 t = lane(), i = index();
  for (u32 k = t; k < 1024; k += __builtin_amdgcn_workgroup_size_x()) words[k] = a[k % n] ^ k;
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  const u32 indices[]{t,
                      t | 3,
                      t >> 4,
                      t >> 3,
                      t & 15,
                      t & 7,
                      t & 20,
                      (t & 15) << 2,
                      (t << 1) | 1,
                      (t & 15) | 16,
                      t * 3,
                      (t & 15) * 5,
                      (t >> 4) * 20,
                      255 - t,
                      (t << 2) & 60,
                      t + (t & 1),
                      (t >> 1) & 0x3f,
                      ((t >> 4) << 4) + 5,
                      (t ^ 5) & 255,
                      (t | 16) + 2};
  u32 h = i;
#pragma clang loop unroll(full)
  for (u32 k = 0; k < sizeof indices / sizeof *indices; ++k) {
    h = mix(h, words[indices[k] & 1023]);
    h = mix(h, words[(indices[k] & 255) * 4]);
    h = mix(h, words[(indices[k] & 255) * 4 + 1]);
  }
  if (i < n) out[i] = h;
}

/// Atomics that return nothing: they name a register, and leave it alone.
KERNEL atomics(const u32* a, const u32*, u32* out, u32 n) {
  const u32 word = a[index() % n];
  __hip_atomic_fetch_add(out + (word & 255), 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  __hip_atomic_fetch_add(out + (word >> 8 & 255), 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  __hip_atomic_fetch_add(out + (word >> 16 & 255), 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  __hip_atomic_fetch_add(out + (word >> 24), 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

// --- accesses to memory at places that grow by a stride from lane to lane, and some that only may

using u32x2 = u32 __attribute__((ext_vector_type(2)));
using u32x3 = u32 __attribute__((ext_vector_type(3)));
using u32x4 = u32 __attribute__((ext_vector_type(4)));

/// Loads by signed and unsigned indices, forwards and backwards, of several widths.
KERNEL strided_loads(const u32* a, const u32* b, u32* out, u32 n) {
  const u32 i = index();
  const int s = static_cast<int>(i);
  if (s >= static_cast<int>(n / 4)) return;
  u32 h = mix(1, a[s]);
  h = mix(h, b[n - 1 - i]);
  h = mix(h, a[3 * s + 1]);
  h = mix(h, b[i >> 4]);
  h = mix(h, b[__builtin_amdgcn_workgroup_id_y() + 5]);
  h = mix(h, reinterpret_cast<const u64*>(a)[s]);
  const u32x4 four = reinterpret_cast<const u32x4*>(b)[s];
  h = mix(mix(mix(mix(h, four.x), four.y), four.z), four.w);
  const u32* row = a + u64{i & 15} * 17;
  h = mix(mix(mix(h, row[0]), row[1]), row[2]);
  const auto* byte = reinterpret_cast<const char*>(b) + 4 * s;
  h = mix(h, *reinterpret_cast<const u32*>(byte + 8));
  out[s] = h;
}
/// Rows of eight lanes: loads of several widths along a row and down a column, and a tile that is
/// turned in LDS.
KERNEL halves(const u32* a, const u32* b, u32* out, u32 n) {
  constexpr u32 kRow = 8, kPadded = 33, kLong = 40;
  LDS __attribute__((aligned(16))) u32 turned[kRow * 4 * kPadded];
  const u32 t = lane(), i = index(), row = t / kRow, column = t % kRow;
  const u32* first = a + u64{row} * kLong;
  u32 h = mix(mix(1, first[column]), b[(t | 256) / kRow * 17 + 2 * column]);
  const u32x2 two = reinterpret_cast<const u32x2*>(first)[column];
  const u32x4 four = reinterpret_cast<const u32x4*>(b + row * kLong)[column];
  h = mix(mix(h, two.x), two.y);
  for (u32 d = 0; d < 4; ++d) turned[(column * 4 + d) * kPadded + (row & 31)] = four[d] + d;
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  h = mix(h, turned[column * 4 * kPadded + (row & 31)]);
  h = mix(h, turned[(t & 31) * kPadded + 1]);
  if (i < n) out[i] = h;
}
/// Some dwords a lane from LDS, behind those of the lane before, and apart from them.
KERNEL lds_rows(const u32* a, const u32* b, u32* out, u32 n) {
  LDS u32x4 tile[256 + 2];
  auto* words = reinterpret_cast<u32*>(tile);
  const u32 t = lane(), i = index();
  for (u32 j = t; j < 258 * 4; j += __builtin_amdgcn_workgroup_size_x()) words[j] = a[j] ^ b[j + 7];
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  const u32x4 four = tile[t], next = tile[t + 2];
  const u32x2 two = reinterpret_cast<const u32x2*>(tile)[t];
  const u32x4 other = tile[(t * 5) & 255];
  const u32x2 odd = reinterpret_cast<const u32x2*>(tile)[(t * 3) & 255];
  u32 h = mix(mix(mix(mix(1, four.x), four.y), four.z), four.w);
  h = mix(mix(mix(mix(h, next.w), next.z), next.y), next.x);
  h = mix(mix(mix(mix(h, two.x), two.y), odd.x), odd.y);
  if (i < n) out[i] = mix(mix(mix(mix(h, other.x), other.y), other.z), other.w);
}
/// Operands of matrix instructions as kernels read them from LDS, up to its last byte: some dwords
/// of each line, which are close together, or not, or meet.
KERNEL lds_operands(const u32* a, const u32* b, u32* out, u32 n) {
  constexpr u32 kLines = 16, kLine = 20;
  LDS __attribute__((aligned(16))) u32 lines[kLines * kLine];
  const u32 t = lane(), i = index();
  for (u32 j = t; j < kLines * kLine; j += __builtin_amdgcn_workgroup_size_x())
    lines[j] = a[j] ^ b[j + 5];
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  u32 h = 1;
  const auto read = [&](u32 line, u32 from) {
    constexpr u32 twos[]{0, 4, 8, 12, 18, 2, 14, 6, 16}, fours[]{0, 4, 16};
#pragma clang loop unroll(full)
    for (const u32 at : twos) {
      const u32x2 x = *reinterpret_cast<const u32x2*>(lines + line * kLine + from + at);
      h = mix(mix(h, x.x), x.y);
    }
#pragma clang loop unroll(full)
    for (const u32 at : fours) {
      const u32x4 x = *reinterpret_cast<const u32x4*>(lines + line * kLine + at);
      h = mix(mix(mix(mix(h, x.x), x.y), x.z), x.w);
    }
  };
  read(t & 15, 0);
  read(15 - (t & 15), 0);
  read(t >> 1 & 7, t >> 5 & 2);
  read((t & 7) * 2, t >> 4 & 2);
  if (i < n) out[i] = h;
}
/// Words that go from lane to lane between arithmetic, where all lanes are on, and where some are.
KERNEL permutes(const u32* a, const u32* b, u32* out, u32 n) {
  const u32 i = index(), t = lane();
  const auto from = [](u32 lane, u32 word) {
    return static_cast<u32>(
        __builtin_amdgcn_ds_bpermute(static_cast<int>(lane * 4), static_cast<int>(word)));
  };
  u32 h = mix(a[i % n], b[(i + 7) % n]);
  h = mix(h, from(t ^ 16, h * 3 + 1));
  const u32 other = from(h, t);
  if (h & 1) h = mix(other, from(t + 5, h));
  h += static_cast<u32>(
      __builtin_amdgcn_ds_permute(static_cast<int>((t ^ 3) * 4), static_cast<int>(h)));
#if defined(__GFX11__) || defined(__GFX12__)
  const u32 some = static_cast<u32>(__builtin_amdgcn_readfirstlane(static_cast<int>(other)));
  h = mix(h, __builtin_amdgcn_permlanex16(h, h + t, 0xfedcba98, some, false, false));
  h = mix(h * 5, __builtin_amdgcn_permlane16(t, h * 3, some, 0x76543210, true, false));
  if (h & 2) h += __builtin_amdgcn_permlanex16(h, h ^ t, some, 0x76543210, false, true);
#endif
  if (i < n) out[i] = mix(h, other);
}
/// A word of another lane of the row, as DPP has it; `old` where there is none.
template <int control, int banks = 0xf, bool zeros = false>
DEVICE u32 of_row(u32 old, u32 word) {
  return static_cast<u32>(__builtin_amdgcn_update_dpp(static_cast<int>(old), static_cast<int>(word),
                                                      control, 0xf, banks, zeros));
}
/// The same as operands of words and of numbers, all lanes on and some of them.
KERNEL rows(const u32* a, const u32* b, u32* out, u32 n) {
  const u32 i = index();
  u32 h = mix(a[i % n], b[(i + 7) % n]);
  const auto go = [&] {
    h += of_row<0x1b>(h, h);               // quad_perm:[3,2,1,0]
    h = mix(h, of_row<0x111>(h * 3, h));   // row_shr:1
    h ^= of_row<0x118, 0xf, true>(0, h);   // row_shr:8
    h = mix(h, of_row<0x104>(h + 1, h));   // row_shl:4
    h -= of_row<0x12d>(h, h);              // row_ror:13
    h = mix(h, of_row<0x140, 0xa>(h, h));  // row_mirror, two of the banks
    h = mix(h, of_row<0x141>(h, h));       // row_half_mirror
#if defined(__GFX9__)
    h = mix(h, of_row<0x138>(h + 5, h));  // wave_shr:1
    h = mix(h, of_row<0x142>(h + 5, h));  // row_bcast:15
    h += of_row<0x143, 0xf, true>(0, h);  // row_bcast:31
#else
    h = mix(h, of_row<0x155>(h, h));  // row_share:5
    h ^= of_row<0x16b>(h, h);         // row_xmask:11
    h += __builtin_amdgcn_mov_dpp8(h, 0x53977);
#endif
    const float x = number(a[(i + h) % n]);
    const auto next = [](float y) { return number(of_row<0x111, 0xf, true>(0, bits(y))); };
    h = mix(h, bits(next(x) + x));
    h = mix(h, bits(__builtin_fmaf(next(x), x, x)));
    h = mix(h, bits(__builtin_fmaxf(next(-x), x)));
  };
  go();
  if (h % 3) go();
  if (i < n) out[i] = h;
}
/// Parts of words, which GFX9 takes as operands (SDWA).
KERNEL parts(const u32* a, const u32* b, u32* out, u32 n) {
  const u32 i = index();
  u32 x = a[i % n], y = b[(i + 3) % n];
  const auto go = [&] {
    const auto signed_byte = [](u32 word, unsigned at) { return int(word << (24 - at)) >> 24; };
    u32 h = (x >> 8 & 255) + (y >> 16);
    h = mix(h, (x >> 24) * 3 ^ (y >> 16 & 255));
    h = mix(h, u32(signed_byte(x, 8) + signed_byte(y, 16)));
    h = mix(h, u32((int(x) >> 16) - int(short(y))));
    using u16 = unsigned short;
    const half low = __builtin_bit_cast(half, static_cast<u16>(y));
    const half high = __builtin_bit_cast(half, static_cast<u16>(x >> 16));
    h = mix(h, bits(float(high) + float(low)));
    const half sum = high + low, product = high * low;
    h = mix(h, __builtin_bit_cast(u16, sum) | u32{__builtin_bit_cast(u16, product)} << 16);
    y = (h & 0xffu) << 16 | (x & 0xff00ffffu);
    x = h;
  };
  go();
  if (x & 1) go();
  if (i < n) out[i] = mix(x, y);
}
/// f16 while denormals of f32 are taken for zeros.
KERNEL flushed(const u32* a, const u32* b, u32* out, u32 n) {
  const u32 i = index();
  u32 x = a[i % n], y = b[(i + 3) % n];
  // hwreg(HW_REG_MODE, 4, 2): denormals of f32.
  asm volatile("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 0" : "+v"(x), "+v"(y));
  const half low = __builtin_bit_cast(half, static_cast<unsigned short>(x));
  const half high = __builtin_bit_cast(half, static_cast<unsigned short>(y >> 16));
  const auto word = [](half value) { return u32{__builtin_bit_cast(unsigned short, value)}; };
  u32 h = bits(float(low) * number(y));
  h = mix(h, word(low * high) | word(low + high) << 16);
  h = mix(h, word(__builtin_fmaf16(low, high, low)) | word(low - high) << 16);
  h = mix(h, word(half(number(x))) | word(half(number(y & 0x007fffff))) << 16);
  h = mix(h, word(half(__builtin_fmaf(float(low), number(y), float(high)))));
  h = mix(h, word(half(__builtin_fmaf(float(high), number(x), number(y)))));
  h = mix(h, word(low < high ? low : high) | word(__builtin_fmaxf16(low, high)) << 16);
  h = mix(h, bits(__builtin_fmaf(float(low), float(high), number(x & 0x807fffff))));
  h = mix(h, bits(double(number(x)) * double(low)));
  if (i < n) out[i] = h;
}
/// From LDS at places that tiles of 16 by 16 work-items have, and at some that look like them.
KERNEL lds_tiles(const u32* a, const u32* b, u32* out, u32 n) {
  LDS u32 words[256];
  const u32 t = lane(), i = index();
  for (u32 j = t; j < 256; j += __builtin_amdgcn_workgroup_size_x()) words[j] = a[j] ^ b[j + 3];
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  const u32 row = t >> 1 & 0x78, column = t << 3 & 0x78;
  u32 h = mix(mix(mix(mix(1, words[row]), words[column]), words[row + 5]), words[column + 5]);
  h = mix(mix(h, words[t >> 1 & 0x7c]), words[t << 3 & 0x38]);
  h = mix(mix(h, words[t << 3 & 0x70]), words[t >> 2 & 0x3e]);
  if (i < n) out[i] = mix(mix(h, words[(t >> 4) * 8]), words[(t & 15) * 8 + 1]);
}
/// Each access as it is written; volatile alone would make it a FLAT one.
template <class T>
using InLds = volatile __attribute__((address_space(3))) T*;
DEVICE inline void barrier() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
/// Rows of a tile in LDS that all rows of sixteen lanes read, or some of them, or that each has to
/// itself.
KERNEL lds_columns(const u32* a, const u32* b, u32* out, u32 n) {
  LDS float left[16][16], right[8][32];
  const u32 t = lane() & 255, i = index(), x = t & 15, y = t >> 4;
  const u32 columns[]{x, x + (y << 3 & 16), x + (y << 4 & 16)};
  float sum[3] = {};
#pragma unroll 1
  for (u32 tile = 0; tile < 3; ++tile) {
    for (u32 j = t; j < 256; j += __builtin_amdgcn_workgroup_size_x()) {
      left[j >> 4][j & 15] = number(a[j + tile]);
      right[j >> 5][j & 31] = number(b[j + tile]);
    }
    for (u32 c = 0; c < 3; ++c) {
      barrier();
      for (u32 k = 0; k < 8; ++k) sum[c] = __builtin_fmaf(left[y][k], right[k][columns[c]], sum[c]);
    }
    barrier();
  }
  if (i < n) out[i] = mix(mix(bits(sum[0]), bits(sum[1])), bits(sum[2]));
}
/// Across both ends of LDS: loads give 0 there, and stores vanish.
KERNEL lds_ends(const u32* a, const u32* b, u32* out, u32 n) {
  LDS u32 words[256];
  const InLds<u32> kept = (InLds<u32>)words;
  const u32 size = __builtin_amdgcn_workgroup_size_x(), t = lane() & 255, i = index();
  // Sums of a scalar and a multiple of the lane's number, made before EXEC changes.
  u32 behind = (261 - size) * 4, before = (size - 7) * 4, down;
  asm volatile("" : "+s"(behind), "+s"(before));
  asm volatile("v_mul_lo_u32 %0, %1, -4" : "=v"(down) : "v"(t));
  u32 up = t * 4 + behind;
  down += before;
  asm volatile("" : "+v"(up), "+v"(down));
  for (u32 j = t; j < 256; j += size) kept[j] = a[j];
  u32 h = 1;
#pragma unroll 1
  for (u32 trip = 0; trip < 3; ++trip) {
    barrier();
    h = mix(h, *(InLds<u32>)(u64)up);
    *(InLds<u32>)(u64)up = b[i % n] + trip;
    barrier();
    h = mix(h, *(InLds<u32>)(u64)up);
    barrier();
    h = mix(h, *(InLds<u32>)(u64)down);
    *(InLds<u32>)(u64)down = h;
    barrier();
    h = mix(h, *(InLds<u32>)(u64)down);
  }
  if (i < n) out[i] = h;
}
/// To LDS: words, halves and bytes, side by side, apart, in one place and anywhere, and over what
/// the same instruction's other lanes have just read. Some numbers are NaNs, so that what lanes
/// store is left to the interpreter in the middle of a wave.
KERNEL lds_stores(const u32* a, const u32* b, u32* out, u32 n) {
  LDS u32 words[2048];
  LDS unsigned short shorts[2048];
  LDS unsigned char chars[2048];
  const InLds<u32> kept = (InLds<u32>)words;
  const InLds<unsigned short> halves = (InLds<unsigned short>)shorts;
  const InLds<unsigned char> bytes = (InLds<unsigned char>)chars;
  LDS u32x4 fours[64];
  LDS u32x2 twos[128];
  const u32 t = lane() & 255, i = index();
  for (u32 j = t; j < 2048; j += __builtin_amdgcn_workgroup_size_x()) {
    kept[j] = 0;
    halves[j] = 0;
    bytes[j] = 0;
    fours[j & 63] = 0;
    twos[j & 127] = 0;
  }
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  const float x = number(a[t]), y = number(b[t]);
  kept[t] = bits(__builtin_fmaf(x, y, x));
  kept[t & 63] = kept[(t & 63) ^ 63] + bits(x * y);
  kept[256 + (t & 15) * 16 + (t >> 4)] = bits(x + y);
  halves[t] = static_cast<unsigned short>(a[t]);
  halves[300 + t * 2] = static_cast<unsigned short>(bits(y * y) >> 16);
  bytes[t] = static_cast<unsigned char>(b[t]);
  bytes[512 + t * 2] = static_cast<unsigned char>(a[t] >> 16);
  kept[1020 + (t >> 4 & 1)] = a[t];
  kept[1024 + (b[t] & 127)] = bits(x - y);
  halves[1400 + (a[t] & 63)] = static_cast<unsigned short>(t);
  bytes[1800 + (a[t] & 63)] = static_cast<unsigned char>(b[t] + t);
  fours[t & 31] = u32x4{a[t], b[t], bits(x * x), t};
  twos[t & 63] = u32x2{b[t], bits(y * x)};
  twos[64 + (a[t] & 15)] = u32x2{t, b[t]};
  fours[32 + (b[t] & 15)] = u32x4{t, t + 1, a[t], b[t]};
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  u32 h = mix(mix(mix(1, kept[t & 63]), kept[256 + t]), u32{halves[300 + (t & 127) * 2]});
  h = mix(mix(mix(h, u32{bytes[t]}), u32{bytes[512 + (t & 63) * 2]}), kept[1020]);
  h = mix(mix(h, kept[1024 + (b[t] & 127)]), u32{halves[1400 + (a[t] & 63)]});
  h = mix(mix(h, u32{bytes[1800 + (a[t] & 63)]}), u32{halves[t]});
  const u32x4 four = fours[t & 63];
  const u32x2 two = twos[t & 127];
  h = mix(mix(mix(mix(mix(mix(h, four.x), four.y), four.z), four.w), two.x), two.y);
  if (i < n) out[i] = h;
}
/// Indices that are cut off, in no lane, in some and in all.
KERNEL clamped(const u32* a, const u32* b, u32* out, u32 n) {
  const u32 i = index();
  const int at = static_cast<int>(i);
  if (i >= n) return;
  u32 h = mix(a[__builtin_elementwise_min(i, n / 2)], b[__builtin_elementwise_min(i + 1, n - 1)]);
  h = mix(h, a[__builtin_elementwise_min(at, 1000)]);
  h = mix(h, a[__builtin_elementwise_max(at - 520, 0)]);
  h = mix(h, b[__builtin_elementwise_max(__builtin_elementwise_min(at - 77, 2050), 37)]);
  const long long far = __builtin_elementwise_min(at * 2, 4000) - 1000;
  out[i] = mix(h, (b + 1000)[__builtin_elementwise_min(far, 1000ll)]);
}
/// Numbers, of which some are NaNs: lanes before one are stored already when the rest is left.
KERNEL stores(const u32* a, const u32* b, u32* out, u32 n) {
  const u32 i = index();
  if (i >= n) return;
  out[n - 1 - i] = bits(__builtin_fmaf(number(a[i]), number(b[i]), number(a[i])));
}
KERNEL apart_two(const u32* a, const u32* b, u32* out, u32 n) {
  const u32 i = index();
  if (i >= n / 8) return;
  const u32x2 x = reinterpret_cast<const u32x2*>(a)[i], y = reinterpret_cast<const u32x2*>(b)[i];
  reinterpret_cast<u32x2*>(out)[3 * i] = x * y + 1;
}
KERNEL apart_four(const u32* a, const u32* b, u32* out, u32 n) {
  const u32 i = index();
  if (i >= n / 8) return;
  const u32x4 x = reinterpret_cast<const u32x4*>(a)[i], y = reinterpret_cast<const u32x4*>(b)[i];
  reinterpret_cast<u32x4*>(out)[2 * i] = x * y + 1;
}
KERNEL wide_stores(const u32* a, const u32* b, u32* out, u32 n) {
  const u32 i = index();
  if (i >= n / 8) return;
  const u32x2 x = reinterpret_cast<const u32x2*>(a)[i], y = reinterpret_cast<const u32x2*>(b)[i];
  reinterpret_cast<u32x2*>(out)[i] = x * y + 1;
  const u32x4 z = reinterpret_cast<const u32x4*>(a)[i];
  reinterpret_cast<u32x4*>(out + n / 2)[i] = u32x4{z.y, z.x ^ x.x, z.w, z.z + y.y};
}
/// Lanes load what other lanes have stored, and store where others have.
KERNEL overlapping(const u32* a, const u32* b, u32* out, u32 n) {
  const u32 i = index() % 64, begin = index() / 64 * 64;
  if (begin + 128 >= n) return;
  volatile u32* mine = out + begin;
  mine[i] = a[begin + i];
  mine[i + 1] = mine[63 - i] + b[begin + i];
  mine[i] = mine[i] * 3 + mine[i / 2];
}
/// One address for all lanes of a group: the last one stays.
KERNEL same_place(const u32* a, const u32* b, u32* out, u32 n) {
  const u32 i = index();
  if (i >= n) return;
  out[i >> 4] = a[i] + b[i];
}
/// Indices joined by OR: of bits that do not meet, and of bits that do.
KERNEL joined(const u32* a, const u32* b, u32* out, u32 n) {
  const u32 t = lane();
  const u64 i = u64{__builtin_amdgcn_workgroup_id_x()} * 256 + t;
  if (i >= n) return;
  const auto* bytes = reinterpret_cast<const char*>(a);
  u32 h = mix(a[i], b[i]);
  h = mix(h, *reinterpret_cast<const u32*>(bytes + ((t << 4) | (n & 8))));
  h = mix(h, *reinterpret_cast<const u32*>(bytes + ((t << 2) | (n & 60))));
  h = mix(h, *reinterpret_cast<const u32*>(bytes + ((t << 2) | (n & 16))));
  out[i] = h;
}

// --- loops that lanes leave at different times
// ----------------------------------------------------

/// Integers, some for longer than a slice goes round at once.
KERNEL loop_collatz(const u32* a, const u32* b, u32* out, u32 n) {
  const u32 i = index();
  if (i >= n) return;
  u32 x = (a[i] & 0xffff) + 1, steps = 0;
  while (x != 1 && steps < 150) {
    x = x & 1 ? 3 * x + 1 : x >> 1;
    ++steps;
  }
  out[i] = mix(steps, b[i]);
}

/// Floats, with ways that pass over parts, go on early and leave in the middle; some turn into
/// NaNs.
KERNEL loop_ways(const u32* a, const u32* b, u32* out, u32 n) {
  const u32 i = index();
  u32 h = i;
  if (i < n) {
    float x = number(a[i]), y = number(b[i] & 0xbfffffff);
    const u32 most = b[i] % 90;
    for (u32 k = 0; k < most; ++k) {
      x = __builtin_fmaf(x, 0.75f, y);
      if (bits(x) & 1) {
        h = mix(h, bits(x));
        if ((h & 0x70) == 0) continue;
        y = -y;
      } else if ((bits(x) & 6) == 2) {
        if ((h & 0x1f) == 3) break;
        x = x * 1.5f - 0.5f;
      }
      h += k ^ bits(y);
    }
    h = mix(h, mix(bits(x), bits(y)));
  }
  if (i < n) out[i] = h;
}

/// Loads from memory whose places depend on the lane, and a count that all lanes share.
KERNEL loop_search(const u32* a, const u32* b, u32* out, u32 n) {
  const u32 i = index();
  if (i >= n) return;
  u32 low = 0, high = n, h = 0;
  while (low < high) {
    const u32 middle = (low + high) / 2, value = b[middle];
    h = mix(h, value);
    if (value < a[i])
      low = middle + 1;
    else
      high = middle;
  }
  out[i] = mix(h, low);
}

/// A load from a place that scalar registers hold; compilers do not always leave it there.
DEVICE inline u32 load_at(const u32* base, u32 offset) {
  u32 value;
#if defined(__GFX12__)
  asm volatile("global_load_b32 %0, %1, %2\ns_wait_loadcnt 0x0"
#elif defined(__GFX11__)
  asm volatile("global_load_b32 %0, %1, %2\ns_waitcnt vmcnt(0)"
#else
  asm volatile("global_load_dword %0, %1, %2\ns_waitcnt vmcnt(0)"
#endif
               : "=v"(value)
               : "v"(offset), "s"(base));
  return value;
}

/// A uniform loop whose loads go on by a scalar: their places are others in each trip.
KERNEL walk(const u32* a, const u32* b, u32* out, u32 n) {
  const u32 i = index(), t = lane();
  u32 sum = b[i % n];
  const u32* row = a;
#pragma unroll 1
  for (u32 k = 0; k < 37; ++k, row += 64) sum = mix(sum, load_at(row, 4 * t));
  if (t == 3) {
    row = b;
#pragma unroll 1
    for (u32 k = 0; k < n; ++k, ++row) sum = mix(sum, load_at(row, 0));
  }
  if (i < n) out[i] = sum;
}

/// Chases numbers through LDS; what the loop leaves behind is looked at by all lanes together.
KERNEL loop_chase(const u32* a, const u32* b, u32* out, u32 n) {
  LDS u32 next[256];
  const u32 i = index(), t = lane();
  next[t] = a[i % n] & 255;
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  u32 at = t, trips = 0;
  const u32 most = __builtin_amdgcn_readfirstlane(b[i % n] & 127);
  bool found = false;
  while (trips < most) {
    at = next[at] % __builtin_amdgcn_workgroup_size_x();
    ++trips;
    if (at == (b[t] & 63)) {
      found = true;
      break;
    }
  }
  const u64 all = __builtin_amdgcn_ballot_w64(found);
  if (i < n) out[i] = mix(mix(at, trips), all);
}

/// f64 and f16 in loops, and carries.
KERNEL loop_widths(const u32* a, const u32* b, u32* out, u32 n) {
  const u32 i = index();
  if (i >= n) return;
  double x = __builtin_bit_cast(double, static_cast<u64>(a[i]) << 32 | b[i]);
  half p = __builtin_bit_cast(half, static_cast<unsigned short>(a[i]));
  u64 sum = a[i];
  u32 k = 0;
  do {
    x = __builtin_fma(x, 0.5, 1.25);
    p = p * static_cast<half>(0.75) + static_cast<half>(0.5);
    sum += (static_cast<u64>(b[i]) << 13) + (sum >> 7);
    ++k;
  } while (k < (a[i] >> 8 & 31) && (static_cast<u32>(sum) & 0xf0) != 0x50);
  out[i] = mix(mix(mix(k, sum), bits(x)), static_cast<u32>(__builtin_bit_cast(unsigned short, p)));
}

/// Loops inside each other.
KERNEL loop_nested(const u32* a, const u32* b, u32* out, u32 n) {
  const u32 i = index();
  if (i >= n) return;
  u32 h = a[i];
  for (u32 k = 0; k < (b[i] & 7); ++k) {
    u32 x = h & 0x3ff;
    while (x > k) {
      h = mix(h, x);
      x -= (h & 31) + 1 < x ? (h & 31) + 1 : x;
    }
    if ((h & 0x300) == 0) h ^= k;
  }
  out[i] = h;
}

#ifndef WAVE64  // whose matrix instructions have operands of other sizes

/// Matrix instructions in chains that share operands, with other instructions and barriers between
/// them; and one whose operand another has made.
#if defined(__GFX11__) || defined(__GFX12__)
using Sums = float __attribute__((ext_vector_type(8)));
#ifdef __GFX11__
using Halves = half __attribute__((ext_vector_type(16)));
DEVICE Sums product(Halves a, Halves b, Sums c) {
  return __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(a, b, c);
}
DEVICE Sums product_bf16(Halves a, Halves b, Sums c) {
  using Words = short __attribute__((ext_vector_type(16)));
  return __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32(__builtin_bit_cast(Words, a),
                                                     __builtin_bit_cast(Words, b), c);
}
#else
using Halves = half __attribute__((ext_vector_type(8)));
DEVICE Sums product(Halves a, Halves b, Sums c) {
  return __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12(a, b, c);
}
DEVICE Sums product_bf16(Halves a, Halves b, Sums c) {
  return product(b, a, c);
}
#endif
#else
using Sums = float __attribute__((ext_vector_type(16)));
using Halves = half __attribute__((ext_vector_type(4)));
using FewSums = float __attribute__((ext_vector_type(4)));
DEVICE Sums product(Halves a, Halves b, Sums c) {
  return __builtin_amdgcn_mfma_f32_32x32x8f16(a, b, c, 0, 0, 0);
}
DEVICE Sums product_bf16(Halves a, Halves b, Sums c) {
  using Words = short __attribute__((ext_vector_type(4)));
  return __builtin_amdgcn_mfma_f32_32x32x8bf16_1k(__builtin_bit_cast(Words, a),
                                                  __builtin_bit_cast(Words, b), c, 0, 0, 0);
}
#endif
KERNEL products(const u32* a, const u32* b, u32* out, u32 n) {
  LDS u32 tile[1024];
  const u32 i = index(), t = lane();
  constexpr u32 words = sizeof(Halves) / 4;
  struct Words {
    u32 at[words];
  };
  const auto operand = [&](u32 first) {
    Words w;
    for (u32 k = 0; k < words; ++k) w.at[k] = tile[(t * words + k * 5 + first) % 1024];
    return __builtin_bit_cast(Halves, w);
  };
  // Few infinities and NaNs, or all results would be.
  for (u32 k = t; k < 1024; k += 256) {
    const u32 word = a[(i + k) % n];
    tile[k] = (word & 0xff) == 7 ? word : word & 0xbf7fbfff;
  }
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  Sums sum[4] = {};
  for (u32 k = 0; k < sizeof(Sums) / 4; ++k) sum[1][k] = number(b[(i + k) % n]);
#pragma unroll 1
  for (u32 trip = 0; trip < 3; ++trip) {
    const Halves p = operand(trip), q = operand(trip + 100), r = operand(trip + 200),
                 s = operand(trip + 300);
    sum[0] = product(p, r, sum[0]);
    sum[1] = product(p, s, sum[1]);
    sum[2] = product_bf16(q, r, sum[2]);
    sum[0] = product(q, s, sum[0]);
    __builtin_amdgcn_s_barrier();
    sum[1] = product(q, r, sum[1]);
    sum[2] = product_bf16(p, s, sum[2]);
    // Of a result, an operand.
    struct Parts {
      Halves part[sizeof(Sums) / sizeof(Halves)];
    };
    const auto made = __builtin_bit_cast(Parts, sum[0]);
    sum[3] = product(made.part[0], r, sum[1]);
    sum[3] = product(s, made.part[sizeof(Sums) / sizeof(Halves) - 1], sum[3]);
    if (trip == 1) sum[1] = sum[3];
  }
  u32 h = 0;
  for (const Sums& one : sum)
    for (u32 k = 0; k < sizeof(Sums) / 4; ++k) h = mix(h, bits(one[k]));
#if !defined(__GFX11__) && !defined(__GFX12__)
  FewSums few = {1, 2, 3, 4};
  few = __builtin_amdgcn_mfma_f32_16x16x16f16(operand(1), operand(2), few, 0, 0, 0);
  few = __builtin_amdgcn_mfma_f32_16x16x16f16(operand(3), operand(4), few, 0, 0, 0);
  for (u32 k = 0; k < 4; ++k) h = mix(h, bits(few[k]));
#endif
  if (i < n) out[i] = h;
}

#endif
