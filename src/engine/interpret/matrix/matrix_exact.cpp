// Matrix instructions, exact mode: the sums that hardware was measured to form (P. Xie et al.,
// "MMA-Sim: Bit-Accurate Reference Model of Tensor Cores and Matrix Cores", arXiv 2511.10909). f32
// and f64 are chains of FMAs, as in fast mode. CDNA4 was not measured and is taken for CDNA3;
// SMFMAC was not either, and stays fast (docs/matrix.md). WMMA is in matrix.cpp.

#include "engine/interpret/matrix/mfma.h"

namespace hipsight::engine::HIPSIGHT_HOST_ISA {
namespace {

template <int N>
using Ints = Vec<std::int32_t, N>;
template <int N>
using Doubles = Vec<double, N>;

template <int N>
Floats<N> load(const float* from) {
  Floats<N> v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
/// Rows of the result, N columns at a time: d(i)[j...] is row_sum(i, j, c(i)[j...]), NaNs positive.
template <unsigned M, class C, class D, class RowSum>
void each_row(C c, D d, RowSum row_sum) {
  constexpr int N = M % 16 == 0 ? 16 : 4;
  for (unsigned j = 0; j < M; j += N) {
    for (unsigned i = 0; i < M; ++i) {
      Floats<N> sum = row_sum(i, j, load<N>(c(i) + j));
      sum = sum == sum ? sum : Floats<N>(std::bit_cast<float>(0x7fc00000u));
      std::memcpy(d(i) + j, &sum, sizeof sum);
    }
  }
}

// --- CDNA2 --------------------------------------------------------------------------------------

template <int N>
Floats<N> flushed(Floats<N> a) {
  return __builtin_elementwise_abs(a) < 0x1p-126f
             ? std::bit_cast<Floats<N>>(std::bit_cast<Ints<N>>(a) & std::int32_t(0x80000000))
             : a;
}

/// Products rounded to f32, Terms of them added in a tree, then to C. Denormals count as zero:
/// those of operands as +0, those of results keep their sign.
template <unsigned Terms>
struct FlushedTree {
  template <class TA, class TB, unsigned M, unsigned K, class A, class B, class C, class D>
  static void add(A a, B b, C from, D to) {
    for (unsigned k = 0; k < K; ++k) {
      for (unsigned i = 0; i < M; ++i) {
        if (std::fabs(a(k)[i]) < smallest<TA>) a(k)[i] = 0;
        if (std::fabs(b(k)[i]) < smallest<TB>) b(k)[i] = 0;
      }
    }
    each_row<M>(from, to, [&]<int N>(unsigned i, unsigned j, Floats<N> c) {
      const auto product = [&](unsigned k) { return flushed<N>(load<N>(b(k) + j) * a(k)[i]); };
      c = __builtin_elementwise_abs(c) < 0x1p-126f ? Floats<N>(0) : c;
      for (unsigned k = 0; k < K; k += Terms) {
        Floats<N> sum = flushed<N>(product(k) + product(k + 1));
        if constexpr (Terms == 4)
          sum = flushed<N>(sum + flushed<N>(product(k + 2) + product(k + 3)));
        c = flushed<N>(c + sum);
      }
      return c;
    });
  }

 private:
  template <class T>
  static constexpr float smallest = std::bit_cast<float>(T::min_exponent + 127 << 23);
};

// --- CDNA3 --------------------------------------------------------------------------------------

/// 2^e; zero below the normal numbers.
template <int N>
Floats<N> power_f32(Ints<N> e) {
  return std::bit_cast<Floats<N>>(__builtin_elementwise_max(e + 127, Ints<N>(0)) << 23);
}
template <int N>
Doubles<N> power_f64(Ints<N> e) {
  return std::bit_cast<Doubles<N>>(__builtin_convertvector(e + 1023, Vec<std::int64_t, N>) << 52);
}
template <int N>
Ints<N> not_finite(Floats<N> a) {
  return (std::bit_cast<Ints<N>>(a) & 0x7f800000) == 0x7f800000;
}

/// x = s * 2^e with 1 <= |s| < 2, but e >= minimum, as of zero.
template <int N>
struct Parts {
  Floats<N> s;
  Ints<N> e;
};
template <int N>
Parts<N> parts(Floats<N> x, int minimum) {
  const Ints<N> denormal = (std::bit_cast<Ints<N>>(x) & 0x7f800000) == 0;
  const Ints<N> u = std::bit_cast<Ints<N>>(denormal ? x * 0x1p64f : x);
  const Ints<N> exponent = (u >> 23 & 0xff) - 127 - (denormal & 64);
  const Ints<N> e = __builtin_elementwise_max(exponent, Ints<N>(minimum));
  const auto s = std::bit_cast<Floats<N>>((u & std::int32_t(0x807fffff)) | 0x3f800000);
  return {x == 0 ? Floats<N>(0) : s * power_f32<N>(exponent - e), e};
}

constexpr int kept = 24;      ///< bits below the largest exponent, of products and of C
constexpr int kept_sum = 31;  ///< of the sum of products, when C is added

/// A sum in units of 2^(e - kept).
template <int N>
struct Sum {
  Ints<N> units, e;
};
/// The products of every Step-th k, cut to units of the largest exponent.
template <unsigned Step, int N, unsigned Count>
Sum<N> cut_sum(const Parts<N> (&products)[Count], unsigned first) {
  Ints<N> largest = products[first].e, units(0);
  for (unsigned k = first; k < Count; k += Step)
    largest = __builtin_elementwise_max(largest, products[k].e);
  for (unsigned k = first; k < Count; k += Step)
    units += __builtin_convertvector(products[k].s * power_f32<N>(products[k].e - largest + kept),
                                     Ints<N>);
  return {units, largest};
}
/// The sum in units of 2^(e - bits), rounded down; e is not below its own.
template <int N>
Doubles<N> aligned(const Sum<N>& sum, Ints<N> e, int bits) {
  return __builtin_elementwise_floor(__builtin_convertvector(sum.units, Doubles<N>) *
                                     power_f64<N>(sum.e - e + (bits - kept)));
}

/// Up to Terms products, cut to a common exponent and summed; then C likewise; rounded once. With
/// Halves, products of even and odd k are first summed apart.
template <unsigned Terms, bool Halves>
struct Aligned {
  template <class TA, class TB, unsigned M, unsigned K, class A, class B, class C, class D>
  static void add(A a, B b, C from, D to) {
    constexpr unsigned count = std::min(K, Terms);
    constexpr int width = M % 16 == 0 ? 16 : 4;
    Parts<width> b_parts[K][M / width];
    float a_s[K][M];
    int a_e[K][M];
    for (unsigned k = 0; k < K; ++k) {
      for (unsigned j = 0; j < M; j += width) {
        b_parts[k][j / width] = parts<width>(load<width>(b(k) + j), TB::min_exponent);
        const auto p = parts<width>(load<width>(a(k) + j), TA::min_exponent);
        std::memcpy(&a_s[k][j], &p.s, sizeof p.s);
        std::memcpy(&a_e[k][j], &p.e, sizeof p.e);
      }
    }
    each_row<M>(from, to, [&]<int N>(unsigned i, unsigned j, Floats<N> c) {
      for (unsigned first = 0; first < K; first += count) {
        Parts<N> products[count];
        Floats<N> specials = not_finite<N>(c) ? c : Floats<N>(0);
        Ints<N> special = not_finite<N>(c);
        for (unsigned k = 0; k < count; ++k) {
          const Parts<N>& right = b_parts[first + k][j / N];
          products[k].s = right.s * a_s[first + k][i];
          products[k].e = products[k].s == 0 ? Ints<N>(-126) : right.e + a_e[first + k][i];
          const Floats<N> plain =
              load<N>(b(first + k) + j) * a(first + k)[i];  // exact, or infinite
          special |= not_finite<N>(plain);
          specials += not_finite<N>(plain) ? plain : Floats<N>(0);
        }
        c = special ? specials : finite_sum<N>(products, c);
      }
      return c;
    });
  }

 private:
  template <int N, unsigned Count>
  static Floats<N> finite_sum(const Parts<N> (&products)[Count], Floats<N> c) {
    const Parts<N> pc = parts<N>(c, -126);
    Ints<N> largest;
    Doubles<N> sum, c_s = __builtin_convertvector(pc.s, Doubles<N>);
    if constexpr (Halves) {
      const Sum<N> even = cut_sum<2>(products, 0), odd = cut_sum<2>(products, 1);
      largest = __builtin_elementwise_max(even.e, odd.e);
      sum = aligned(even, largest, kept) + aligned(odd, largest, kept);
      const Ints<N> top = __builtin_elementwise_max(largest, pc.e);
      sum = __builtin_elementwise_floor(sum * power_f64<N>(largest - top + (kept_sum - kept)));
      // What of C is far below is dropped, not rounded down.
      c_s = __builtin_convertvector(pc.e < top - kept - 1 ? Floats<N>(0) : pc.s, Doubles<N>);
    } else {
      const Sum<N> all = cut_sum<1>(products, 0);
      largest = all.e;
      sum = aligned(all, __builtin_elementwise_max(largest, pc.e), kept_sum);
    }
    const Ints<N> top = __builtin_elementwise_max(largest, pc.e);
    const Doubles<N> c_units = __builtin_elementwise_floor(c_s * power_f64<N>(pc.e - top + kept));
    return __builtin_convertvector(
        (sum + c_units * (1 << (kept_sum - kept))) * power_f64<N>(top - kept_sum), Floats<N>);
  }
};

/// The one for CDNA2, or that for later ones.
template <Run Cdna2, Run Cdna3>
const Op* by_cdna(Wave& w, const Op* op) {
  return op->instruction->gfx == isa::Gfx::Gfx90a ? Cdna2(w, op) : Cdna3(w, op);
}

using Of8 = Aligned<8, false>;
/// f16 and bf16: CDNA2 adds so many products in a tree.
template <class T, unsigned Terms, unsigned M, unsigned K, unsigned Blocks>
constexpr Run of_cdna =
    by_cdna<mfma<T, T, M, K, Blocks, FlushedTree<Terms>>, mfma<T, T, M, K, Blocks, Of8>>;

}  // namespace

void add_exact_matrix(Table& table) {
  const auto add = [&](std::string_view name, Run run) { table.add(name, {run, run}); };
  add("V_MFMA_F32_32X32X4F16@EXACT", of_cdna<F16, 4, 32, 4, 2>);
  add("V_MFMA_F32_16X16X4F16@EXACT", of_cdna<F16, 4, 16, 4, 4>);
  add("V_MFMA_F32_4X4X4F16@EXACT", of_cdna<F16, 4, 4, 4, 16>);
  add("V_MFMA_F32_32X32X8F16@EXACT", of_cdna<F16, 4, 32, 8, 1>);
  add("V_MFMA_F32_16X16X16F16@EXACT", of_cdna<F16, 4, 16, 16, 1>);
  add("V_MFMA_F32_32X32X2BF16@EXACT", of_cdna<BF16, 2, 32, 2, 2>);
  add("V_MFMA_F32_16X16X2BF16@EXACT", of_cdna<BF16, 2, 16, 2, 4>);
  add("V_MFMA_F32_4X4X2BF16@EXACT", of_cdna<BF16, 2, 4, 2, 16>);
  add("V_MFMA_F32_32X32X4BF16@EXACT", of_cdna<BF16, 2, 32, 4, 1>);
  add("V_MFMA_F32_16X16X8BF16@EXACT", of_cdna<BF16, 2, 16, 8, 1>);
  add("V_MFMA_F32_32X32X4BF16_1K@EXACT", of_cdna<BF16, 4, 32, 4, 2>);
  add("V_MFMA_F32_16X16X4BF16_1K@EXACT", of_cdna<BF16, 4, 16, 4, 4>);
  add("V_MFMA_F32_4X4X4BF16_1K@EXACT", of_cdna<BF16, 4, 4, 4, 16>);
  add("V_MFMA_F32_32X32X8BF16_1K@EXACT", of_cdna<BF16, 4, 32, 8, 1>);
  add("V_MFMA_F32_16X16X16BF16_1K@EXACT", of_cdna<BF16, 4, 16, 16, 1>);
  add("V_MFMA_F32_32X32X4XF32@EXACT", mfma<XF32, XF32, 32, 4, 1, Aligned<4, false>>);
  add("V_MFMA_F32_16X16X8XF32@EXACT", mfma<XF32, XF32, 16, 8, 1, Aligned<4, false>>);
  add("V_MFMA_F32_32X32X16_F16@EXACT", mfma<F16, F16, 32, 16, 1, Of8>);
  add("V_MFMA_F32_16X16X32_F16@EXACT", mfma<F16, F16, 16, 32, 1, Of8>);
  add("V_MFMA_F32_32X32X16_BF16@EXACT", mfma<BF16, BF16, 32, 16, 1, Of8>);
  add("V_MFMA_F32_16X16X32_BF16@EXACT", mfma<BF16, BF16, 16, 32, 1, Of8>);
  using Of16 = Aligned<16, true>;
#define HIPSIGHT_F8(A, B, TA, TB)                                                                  \
  add("V_MFMA_F32_16X16X32_" A "_" B "@EXACT", mfma<F8<TA, true>, F8<TB, true>, 16, 32, 1, Of16>); \
  add("V_MFMA_F32_32X32X16_" A "_" B "@EXACT", mfma<F8<TA, true>, F8<TB, true>, 32, 16, 1, Of16>); \
  add("V_MFMA_F32_16X16X32_" A "_" B "@OCP@EXACT",                                                 \
      mfma<F8<TA, false>, F8<TB, false>, 16, 32, 1, Of16>);                                        \
  add("V_MFMA_F32_32X32X16_" A "_" B "@OCP@EXACT",                                                 \
      mfma<F8<TA, false>, F8<TB, false>, 32, 16, 1, Of16>);
  HIPSIGHT_F8("FP8", "FP8", 4, 4)
  HIPSIGHT_F8("FP8", "BF8", 4, 5)
  HIPSIGHT_F8("BF8", "FP8", 5, 4)
  HIPSIGHT_F8("BF8", "BF8", 5, 5)
#undef HIPSIGHT_F8
}

}  // namespace hipsight::engine::HIPSIGHT_HOST_ISA
