// Matrix instructions, fast mode: each element is a chain of float (double, int) FMAs over k in
// order. EXEC is ignored, as on the hardware. Layouts: AMD matrix instruction calculator; RDNA3 and
// RDNA4 ISA manuals, "WMMA". Exact mode of WMMA is here, too.

#include "engine/interpret/lanes/rdna_dot.h"
#include "engine/interpret/matrix/mfma.h"

namespace hipsight::engine::HIPSIGHT_HOST_ISA {
namespace {

// --- MFMA ---------------------------------------------------------------------------------------

double f64_at(const std::uint32_t* registers, unsigned index, unsigned lane) {
  const std::uint64_t u =
      registers[index * 128 + lane] | std::uint64_t{registers[index * 128 + 64 + lane]} << 32;
  return std::bit_cast<double>(u);
}
void put_f64(std::uint32_t* registers, unsigned index, unsigned lane, double value) {
  auto u = std::bit_cast<std::uint64_t>(value);
  if (value != value) u = 0x7ff8000000000000ull;
  registers[index * 128 + lane] = static_cast<std::uint32_t>(u);
  registers[index * 128 + 64 + lane] = static_cast<std::uint32_t>(u >> 32);
}
/// f64: 16x16x4, or four blocks of 4x4x4. BLGP negates A, B and C.
template <unsigned M, unsigned Blocks>
const Op* mfma_f64(Wave& w, const Op* op) {
  const isa::Instruction& in = *op->instruction;
  const std::uint32_t *ra = registers_of(w, op, 0), *rb = registers_of(w, op, 1),
                      *rc = registers_of(w, op, 2);
  const bool constant = op->base[2] == Base::Constant;
  std::uint32_t* d = reinterpret_cast<std::uint32_t*>(w.bytes() + op->dst);
  const double sign_a = in.blgp & 1 ? -1 : 1, sign_b = in.blgp & 2 ? -1 : 1,
               sign_c = in.blgp & 4 ? -1 : 1;
  double result[M * M * Blocks / 64][64];
  for (unsigned block = 0; block < Blocks; ++block) {
    for (unsigned i = 0; i < M; ++i) {
      for (unsigned j = 0; j < M; ++j) {
        const unsigned r = M == 16 ? i / 4 : 0;
        const unsigned lane = M == 16 ? i % 4 * 16 + j : i * 16 + block * 4 + j;
        double sum = sign_c * f64_at(rc, constant ? 0 : r, lane);
        for (unsigned k = 0; k < 4; ++k) {
          const unsigned at = k * 16 + block * (M == 16 ? 0 : 4);
          sum = std::fma(sign_a * f64_at(ra, 0, at + i), sign_b * f64_at(rb, 0, at + j), sum);
        }
        result[r][lane] = sum;
      }
    }
  }
  for (unsigned r = 0; r < M * M * Blocks / 64; ++r)
    for (unsigned lane = 0; lane < 64; ++lane) put_f64(d, r, lane, result[r][lane]);
  return op + 1;
}

// --- WMMA ---------------------------------------------------------------------------------------

enum class Output { Word, F16, BF16 };

/// How WMMA sums: fast mode's chain, or the hardware's dot products of two (RDNA4: four) elements,
/// a chain of them, each as wide as the result.
struct WmmaChain {
  template <class T, unsigned M, unsigned K, class A, class B, class C, class D>
  static void add(A a, B b, C c, D d) {
    multiply<T, M, M, K>(a, b, c, d);
  }
};
template <DotSum sum, class Type, bool narrow>
struct WmmaDots {
  template <class T, unsigned M, unsigned K, class A, class B, class C, class D>
  static void add(A a, B b, C c, D d) {
    constexpr unsigned count = sum == DotSum::Rdna3 ? 2 : 4;
    const auto row_at = [](const float* from) {
      Floats<M> row;
      std::memcpy(&row, from, sizeof row);
      return row;
    };
    for (unsigned i = 0; i < M; ++i) {
      Floats<M> row = row_at(c(i));
      for (unsigned step = 0; step < K; step += count) {
        // RDNA4: four elements of the lower lanes, four of the upper ones, then the other halves.
        const unsigned k = sum == DotSum::Rdna3 ? step : (step & 4) << 1 | (step & 8) >> 1;
        Floats<M> left[count], right[count];
        for (unsigned e = 0; e < count; ++e) left[e] = a(k + e)[i], right[e] = row_at(b(k + e));
        const Words<M> bits = RdnaDot<M>::template dot<sum, Type, narrow>(left, right, row);
        if constexpr (!narrow)
          row = std::bit_cast<Floats<M>>(bits);
        else
          row = from_bits<Type, M>(bits).v;
      }
      std::memcpy(d(i), &row, sizeof row);
    }
  }
};

/// D = A * B + C, 16x16xK. gfx11: every lane holds all k of row lane % 16, the upper lanes repeat
/// the lower; D register r, lane l: row 2r + l/16. gfx12: lane l holds k from (l/16) * K/2; D
/// register r, lane l: row 8 (l/16) + r. Sixteen-bit results: gfx11 one per register, in the half
/// that op_sel says; gfx12 two per register. Wave64: in lanes 32 and up gfx11 has odd registers of
/// D, gfx12 the upper half of all registers of A, B and D.
template <class TA, class TB, unsigned K, bool Gfx12, Output output, class Sum = WmmaChain>
const Op* wmma(Wave& w, const Op* op) {
  using T = typename TA::Value;
  constexpr unsigned M = 16, lanes = 32;
  constexpr unsigned groups = Gfx12 ? 2 : 1, per_lane = K / groups;
  constexpr Spread in_spread = Gfx12 ? Spread::Halves : Spread::Nothing,
                   out_spread = Gfx12 ? Spread::Halves : Spread::Odd;
  constexpr unsigned out_registers = Gfx12 && output != Output::Word ? 4 : 8;
  const isa::Instruction& in = *op->instruction;
  Wave32Operand<TA, per_lane> a_registers(w, registers_of(w, op, 0), in_spread);
  Wave32Operand<TB, per_lane> b_registers(w, registers_of(w, op, 1), in_spread);
  alignas(64) T a_lanes[per_lane][64], b_lanes[per_lane][64];
  widen_all<TA, per_lane>(a_registers.data(), lanes, a_lanes, groups * M);
  widen_all<TB, per_lane>(b_registers.data(), lanes, b_lanes, groups * M);
  if constexpr (std::is_same_v<T, float>) {
    // neg_lo and neg_hi negate even and odd k.
    for (unsigned e = 0; (in.neg_lo | in.neg_hi) & 3 && e < per_lane; ++e) {
      const unsigned negated = e % 2 ? in.neg_hi : in.neg_lo;
      for (unsigned lane = 0; lane < groups * M; ++lane) {
        if (negated & 1) a_lanes[e][lane] = -a_lanes[e][lane];
        if (negated & 2) b_lanes[e][lane] = -b_lanes[e][lane];
      }
    }
  }
  const auto a = [&](unsigned k) { return &a_lanes[k % per_lane][k / per_lane * M]; };
  const auto b = [&](unsigned k) { return &b_lanes[k % per_lane][k / per_lane * M]; };
  const unsigned c_step = op->base[2] == Base::Constant ? 0 : lanes;
  auto* const dst = reinterpret_cast<std::uint32_t*>(w.bytes() + op->dst);
  Wave32Registers<out_registers> c_registers(w, c_step ? registers_of(w, op, 2) : dst, out_spread);
  const std::uint32_t* c = c_step ? c_registers.data() : registers_of(w, op, 2);
  // A row lies side by side in a register.
  struct Place {
    unsigned r, lane, shift;
  };
  const auto place = [&](unsigned row) -> Place {
    if constexpr (!Gfx12)
      return {row / 2, row % 2 * 16, in.op_sel & 4 && output != Output::Word ? 16u : 0u};
    else if constexpr (output == Output::Word)
      return {row % 8, row / 8 * 16, 0};
    else
      return {row % 8 / 2, row / 8 * 16, row % 2 * 16};
  };
  Wave32Registers<out_registers> d_registers(w, dst, out_spread);
  std::uint32_t* const d = d_registers.data();
  alignas(64) T acc[M][M];
  const auto row_of = [&](unsigned i) { return acc[i]; };
  if (output == Output::Word && c_step && !((in.neg_hi | in.neg_lo) & 4)) {
    auto* const to = reinterpret_cast<T*>(d);
    const auto* from = apart(reinterpret_cast<const T*>(c), to, M * M, acc[0]);
    const auto at = [&](unsigned i) { return place(i).r * lanes + place(i).lane; };
    Sum::template add<T, M, K>(
        a, b, [&](unsigned i) { return from + at(i); }, [&](unsigned i) { return to + at(i); });
    d_registers.write_back();
    return op + 1;
  }
  for (unsigned i = 0; i < M; ++i) {
    const Place p = place(i);
    Words<M> words(c[0]);
    if (c_step) std::memcpy(&words, &c[p.r * lanes + p.lane], sizeof words);
    Vec<T, M> row;
    if constexpr (output == Output::Word) {
      row = std::bit_cast<Vec<T, M>>(words);
    } else {
      words = words >> (c_step ? p.shift : 0) & 0xffff;
      row = output == Output::F16 ? widen_half<M>(words) : std::bit_cast<Floats<M>>(words << 16);
    }
    if constexpr (std::is_same_v<T, float>) {
      if (in.neg_hi & 4) row = __builtin_elementwise_abs(row);
      if (in.neg_lo & 4) row = -row;
    }
    std::memcpy(acc[i], &row, sizeof row);
  }
  Sum::template add<T, M, K>(a, b, row_of, row_of);
  for (unsigned i = 0; i < M; ++i) {
    const Place p = place(i);
    std::uint32_t* const to = &d[p.r * lanes + p.lane];
    if constexpr (output == Output::Word) {
      std::memcpy(to, acc[i], sizeof acc[i]);
    } else {
      Floats<M> row;
      std::memcpy(&row, acc[i], sizeof row);
      const Words<M> half = output == Output::F16 ? narrow_half<M>(row) : narrow_bfloat<M>(row);
      Words<M> words;
      std::memcpy(&words, to, sizeof words);
      words = (words & ~(0xffffu << p.shift)) | half << p.shift;
      std::memcpy(to, &words, sizeof words);
    }
  }
  d_registers.write_back();
  return op + 1;
}

/// Integer WMMA: neg_lo bits 0 and 1 say that A and B are signed.
template <class Signed, class Unsigned, unsigned K, bool Gfx12>
const Op* wmma_integer(Wave& w, const Op* op) {
  switch (op->instruction->neg_lo & 3) {
    case 0:
      return wmma<Unsigned, Unsigned, K, Gfx12, Output::Word>(w, op);
    case 1:
      return wmma<Signed, Unsigned, K, Gfx12, Output::Word>(w, op);
    case 2:
      return wmma<Unsigned, Signed, K, Gfx12, Output::Word>(w, op);
    default:
      return wmma<Signed, Signed, K, Gfx12, Output::Word>(w, op);
  }
}
template <Run Gfx11Form, Run Gfx12Form>
const Op* by_generation(Wave& w, const Op* op) {
  return op->instruction->gfx == isa::Gfx::Gfx12 ? Gfx12Form(w, op) : Gfx11Form(w, op);
}

}  // namespace

void add_matrix(Table& table) {
  const auto add = [&](std::string_view name, Run run) { table.add(name, {run, run}); };
  add("V_MFMA_F32_32X32X1F32", mfma<F32, F32, 32, 1, 2>);
  add("V_MFMA_F32_16X16X1F32", mfma<F32, F32, 16, 1, 4>);
  add("V_MFMA_F32_4X4X1F32", mfma<F32, F32, 4, 1, 16>);
  add("V_MFMA_F32_32X32X2F32", mfma<F32, F32, 32, 2, 1>);
  add("V_MFMA_F32_16X16X4F32", mfma<F32, F32, 16, 4, 1>);
  add("V_MFMA_F32_32X32X4XF32", mfma<XF32, XF32, 32, 4, 1>);
  add("V_MFMA_F32_16X16X8XF32", mfma<XF32, XF32, 16, 8, 1>);
  add("V_MFMA_F32_32X32X4F16", mfma<F16, F16, 32, 4, 2>);
  add("V_MFMA_F32_16X16X4F16", mfma<F16, F16, 16, 4, 4>);
  add("V_MFMA_F32_4X4X4F16", mfma<F16, F16, 4, 4, 16>);
  add("V_MFMA_F32_32X32X8F16", mfma<F16, F16, 32, 8, 1>);
  add("V_MFMA_F32_16X16X16F16", mfma<F16, F16, 16, 16, 1>);
  add("V_MFMA_F32_32X32X16_F16", mfma<F16, F16, 32, 16, 1>);
  add("V_MFMA_F32_16X16X32_F16", mfma<F16, F16, 16, 32, 1>);
  add("V_MFMA_F32_32X32X2BF16", mfma<BF16, BF16, 32, 2, 2>);
  add("V_MFMA_F32_16X16X2BF16", mfma<BF16, BF16, 16, 2, 4>);
  add("V_MFMA_F32_4X4X2BF16", mfma<BF16, BF16, 4, 2, 16>);
  add("V_MFMA_F32_32X32X4BF16", mfma<BF16, BF16, 32, 4, 1>);
  add("V_MFMA_F32_16X16X8BF16", mfma<BF16, BF16, 16, 8, 1>);
  add("V_MFMA_F32_32X32X4BF16_1K", mfma<BF16, BF16, 32, 4, 2>);
  add("V_MFMA_F32_16X16X4BF16_1K", mfma<BF16, BF16, 16, 4, 4>);
  add("V_MFMA_F32_4X4X4BF16_1K", mfma<BF16, BF16, 4, 4, 16>);
  add("V_MFMA_F32_32X32X8BF16_1K", mfma<BF16, BF16, 32, 8, 1>);
  add("V_MFMA_F32_16X16X16BF16_1K", mfma<BF16, BF16, 16, 16, 1>);
  add("V_MFMA_F32_32X32X16_BF16", mfma<BF16, BF16, 32, 16, 1>);
  add("V_MFMA_F32_16X16X32_BF16", mfma<BF16, BF16, 16, 32, 1>);
  add("V_MFMA_I32_32X32X4I8", mfma<I8, I8, 32, 4, 2>);
  add("V_MFMA_I32_16X16X4I8", mfma<I8, I8, 16, 4, 4>);
  add("V_MFMA_I32_4X4X4I8", mfma<I8, I8, 4, 4, 16>);
  add("V_MFMA_I32_32X32X8I8", mfma<I8, I8, 32, 8, 1>);
  add("V_MFMA_I32_16X16X16I8", mfma<I8, I8, 16, 16, 1>);
  add("V_MFMA_I32_32X32X16I8", mfma<I8, I8, 32, 16, 1>);
  add("V_MFMA_I32_16X16X32I8", mfma<I8, I8, 16, 32, 1>);
  add("V_MFMA_I32_32X32X32_I8", mfma<I8, I8, 32, 32, 1>);
  add("V_MFMA_I32_16X16X64_I8", mfma<I8, I8, 16, 64, 1>);
#define HIPSIGHT_F8_MFMA(A, B, TA, TB)                                                       \
  add("V_MFMA_F32_16X16X32_" A "_" B, mfma<F8<TA, true>, F8<TB, true>, 16, 32, 1>);          \
  add("V_MFMA_F32_32X32X16_" A "_" B, mfma<F8<TA, true>, F8<TB, true>, 32, 16, 1>);          \
  add("V_MFMA_F32_16X16X32_" A "_" B "@OCP", mfma<F8<TA, false>, F8<TB, false>, 16, 32, 1>); \
  add("V_MFMA_F32_32X32X16_" A "_" B "@OCP", mfma<F8<TA, false>, F8<TB, false>, 32, 16, 1>);
  HIPSIGHT_F8_MFMA("FP8", "FP8", 4, 4)
  HIPSIGHT_F8_MFMA("FP8", "BF8", 4, 5)
  HIPSIGHT_F8_MFMA("BF8", "FP8", 5, 4)
  HIPSIGHT_F8_MFMA("BF8", "BF8", 5, 5)
#undef HIPSIGHT_F8_MFMA
  add("V_MFMA_F64_16X16X4F64", mfma_f64<16, 1>);
  add("V_MFMA_F64_4X4X4F64", mfma_f64<4, 4>);

#define HIPSIGHT_WMMA(NAME, T, TYPE, OUTPUT)                                                       \
  add(NAME,                                                                                        \
      by_generation<wmma<T, T, 16, false, Output::OUTPUT>, wmma<T, T, 16, true, Output::OUTPUT>>); \
  add(NAME "@EXACT",                                                                               \
      by_generation<wmma<T, T, 16, false, Output::OUTPUT,                                          \
                         WmmaDots<DotSum::Rdna3, isa::TYPE, Output::OUTPUT != Output::Word>>,      \
                    wmma<T, T, 16, true, Output::OUTPUT,                                           \
                         WmmaDots<DotSum::Rdna4, isa::TYPE, Output::OUTPUT != Output::Word>>>);
  HIPSIGHT_WMMA("V_WMMA_F32_16X16X16_F16", F16, f16, Word)
  HIPSIGHT_WMMA("V_WMMA_F32_16X16X16_BF16", BF16, bf16, Word)
  HIPSIGHT_WMMA("V_WMMA_F16_16X16X16_F16", F16, f16, F16)
  HIPSIGHT_WMMA("V_WMMA_BF16_16X16X16_BF16", BF16, bf16, BF16)
#undef HIPSIGHT_WMMA
  add("V_WMMA_I32_16X16X16_IU8",
      by_generation<wmma_integer<I8, U8, 16, false>, wmma_integer<I8, U8, 16, true>>);
  add("V_WMMA_I32_16X16X16_IU4",
      by_generation<wmma_integer<I4, U4, 16, false>, wmma_integer<I4, U4, 16, true>>);
  add("V_WMMA_I32_16X16X32_IU4", wmma_integer<I4, U4, 32, true>);
#define HIPSIGHT_F8_WMMA(A, B, TA, TB) \
  add("V_WMMA_F32_16X16X16_" A "_" B, wmma<F8<TA, false>, F8<TB, false>, 16, true, Output::Word>);
  HIPSIGHT_F8_WMMA("FP8", "FP8", 4, 4)
  HIPSIGHT_F8_WMMA("FP8", "BF8", 4, 5)
  HIPSIGHT_F8_WMMA("BF8", "FP8", 5, 4)
  HIPSIGHT_F8_WMMA("BF8", "BF8", 5, 5)
#undef HIPSIGHT_F8_WMMA
}

}  // namespace hipsight::engine::HIPSIGHT_HOST_ISA
