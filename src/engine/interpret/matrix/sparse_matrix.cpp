// Sparse matrix instructions: of each four neighbours along k, A holds two, and an index of two
// bits says which each of them is (CDNA3 ISA, "4:2 structured sparsity"; RDNA4 ISA, "SWMMAC"). The
// result is added to the destination. Fast mode, as matrix.cpp.

#include "engine/interpret/matrix/matrix.h"

namespace hipsight::engine::HIPSIGHT_HOST_ISA {
namespace {

constexpr unsigned tile = 16;

/// Where element e of a lane of A stands among the k of that lane: `indices` has two bits for each.
unsigned dense_k(std::uint32_t indices, unsigned e) {
  return e / 2 * 4 + (indices >> 2 * e & 3);
}

/// A, where its elements stand along k, and B. Lane l holds row l % M of A, and column l % M of B;
/// l / M counts groups of k.
template <class TA, class TB, unsigned M, unsigned K, unsigned lanes>
struct SparseOperands {
  using T = typename TA::Value;
  static constexpr unsigned groups = lanes / M, per_lane = K / groups, kept = per_lane / 2;
  static constexpr unsigned index_bits = 2 * kept;
  T a[K / 2][M], b[K][M];
  unsigned k[K / 2][M];

  /// `shift`: where a lane's indices begin in their register.
  SparseOperands(const std::uint32_t* a_registers, const std::uint32_t* b_registers,
                 const std::uint32_t* indices, unsigned shift) {
    alignas(64) T a_lanes[kept][64], b_lanes[per_lane][64];
    widen_all<TA, kept>(a_registers, lanes, a_lanes, lanes);
    widen_all<TB, per_lane>(b_registers, lanes, b_lanes, lanes);
    for (unsigned g = 0; g < groups; ++g)
      for (unsigned i = 0; i < M; ++i) {
        const unsigned lane = g * M + i;
        for (unsigned e = 0; e < per_lane; ++e) b[g * per_lane + e][i] = b_lanes[e][lane];
        for (unsigned e = 0; e < kept; ++e) {
          a[g * kept + e][i] = a_lanes[e][lane];
          k[g * kept + e][i] = g * per_lane + dense_k(indices[lane] >> shift, e);
        }
      }
  }

  /// acc[i][j] += a[i][e] * b[k[i][e]][j]. What A leaves out is not multiplied, not even infinity.
  void multiply_into(T (&acc)[M][M]) const {
    for (unsigned i = 0; i < M; ++i)
      for (unsigned e = 0; e < K / 2; ++e)
        for (unsigned j = 0; j < M; ++j) {
          if constexpr (std::is_same_v<T, float>)
            acc[i][j] = std::fma(a[e][i], b[k[e][i]][j], acc[i][j]);
          else
            acc[i][j] += a[e][i] * b[k[e][i]][j];
        }
  }
};

/// Where indices take less than a register, ABID names one of several sets, unless CBSZ says that
/// it is the first.
template <class TA, class TB, unsigned M, unsigned K>
const Op* smfmac(Wave& w, const Op* op) {
  using T = typename TA::Value;
  constexpr unsigned lanes = 64;
  using Operands = SparseOperands<TA, TB, M, K, lanes>;
  const isa::Instruction& in = *op->instruction;
  const unsigned set = in.cbsz ? 0 : in.abid % (32 / Operands::index_bits);
  const Operands operands(registers_of(w, op, 0), registers_of(w, op, 1), registers_of(w, op, 2),
                          set * Operands::index_bits);
  T acc[M][M];
  auto* d = reinterpret_cast<std::uint32_t*>(w.bytes() + op->dst);
  const auto word = [&](unsigned row, unsigned column) -> std::uint32_t& {
    const auto [r, lane] = mfma_place<M>(0, row, column);
    return d[r * lanes + lane];
  };
  for (unsigned i = 0; i < M; ++i)
    for (unsigned j = 0; j < M; ++j) acc[i][j] = std::bit_cast<T>(word(i, j));
  operands.multiply_into(acc);
  for (unsigned i = 0; i < M; ++i)
    for (unsigned j = 0; j < M; ++j) {
      const auto bits = std::bit_cast<std::uint32_t>(acc[i][j]);
      word(i, j) = std::is_same_v<T, float> ? positive_nan(bits) : bits;
    }
  return op + 1;
}

enum class Output { Word, F16, BF16 };

/// Indices as wave32 has them in lanes 0 to 31, `bits` of them; index_key (op_sel) says where in
/// their register they begin. Wave64 has half of them in each lane, if A is `spread` over all.
void take_indices(Wave& w, const Op* op, unsigned bits, bool spread, std::uint32_t (&out)[32]) {
  const std::uint32_t* registers = registers_of(w, op, 2);
  const bool halves = w.lanes == 64 && spread;
  const unsigned in_lane = halves ? bits / 2 : bits;
  const std::uint32_t mask = in_lane == 32 ? ~0u : (1u << in_lane) - 1;
  const unsigned shift = op->instruction->op_sel % (32 / in_lane) * in_lane;
  for (unsigned lane = 0; lane < 32; ++lane) {
    out[lane] = registers[lane] >> shift & mask;
    if (halves) out[lane] |= (registers[lane + 32] >> shift & mask) << in_lane;
  }
}

/// 16x16xK: layouts are those of gfx12's WMMA.
template <class TA, class TB, unsigned K, Output output>
const Op* swmmac(Wave& w, const Op* op) {
  using T = typename TA::Value;
  constexpr unsigned lanes = 32;
  using Operands = SparseOperands<TA, TB, tile, K, lanes>;
  Wave32Operand<TA, Operands::kept> a(w, registers_of(w, op, 0), Spread::Halves);
  Wave32Operand<TB, Operands::per_lane> b(w, registers_of(w, op, 1), Spread::Halves);
  std::uint32_t indices[lanes];
  take_indices(w, op, Operands::index_bits, Operands::kept * TA::bits > 32, indices);
  const Operands operands(a.data(), b.data(), indices, 0);
  T acc[tile][tile];
  constexpr unsigned per_register = output == Output::Word ? 1 : 2;
  Wave32Registers<8 / per_register> result(w, reinterpret_cast<std::uint32_t*>(w.bytes() + op->dst),
                                           Spread::Halves);
  std::uint32_t* const d = result.data();
  const auto word = [&](unsigned row, unsigned column) -> std::uint32_t& {
    return d[row % 8 / per_register * lanes + row / 8 * 16 + column];
  };
  const auto half_shift = [](unsigned row) { return row % 2 * 16; };
  for (unsigned i = 0; i < tile; ++i)
    for (unsigned j = 0; j < tile; ++j) {
      const std::uint32_t half = word(i, j) >> half_shift(i) & 0xffff;
      if constexpr (output == Output::Word)
        acc[i][j] = std::bit_cast<T>(word(i, j));
      else if constexpr (output == Output::F16)
        acc[i][j] = widen_half<1>(Vec<std::uint32_t, 1>(half))[0];
      else
        acc[i][j] = std::bit_cast<float>(half << 16);
    }
  operands.multiply_into(acc);
  for (unsigned i = 0; i < tile; ++i)
    for (unsigned j = 0; j < tile; ++j) {
      std::uint32_t& to = word(i, j);
      const auto bits = std::bit_cast<std::uint32_t>(acc[i][j]);
      if constexpr (output == Output::Word) {
        to = std::is_same_v<T, float> ? positive_nan(bits) : bits;
      } else {
        const Vec<float, 1> value(acc[i][j]);
        const std::uint32_t half =
            output == Output::F16 ? narrow_half<1>(value)[0] : narrow_bfloat<1>(value)[0];
        to = (to & ~(0xffffu << half_shift(i))) | half << half_shift(i);
      }
    }
  result.write_back();
  return op + 1;
}

/// neg_lo bits 0 and 1 say that A and B are signed.
template <class Signed, class Unsigned, unsigned K>
const Op* swmmac_integer(Wave& w, const Op* op) {
  switch (op->instruction->neg_lo & 3) {
    case 0:
      return swmmac<Unsigned, Unsigned, K, Output::Word>(w, op);
    case 1:
      return swmmac<Signed, Unsigned, K, Output::Word>(w, op);
    case 2:
      return swmmac<Unsigned, Signed, K, Output::Word>(w, op);
    default:
      return swmmac<Signed, Signed, K, Output::Word>(w, op);
  }
}

}  // namespace

void add_sparse_matrix(Table& table) {
  const auto add = [&](std::string_view name, Run run) { table.add(name, {run, run}); };
  add("V_SMFMAC_F32_16X16X32_F16", smfmac<F16, F16, 16, 32>);
  add("V_SMFMAC_F32_32X32X16_F16", smfmac<F16, F16, 32, 16>);
  add("V_SMFMAC_F32_16X16X64_F16", smfmac<F16, F16, 16, 64>);
  add("V_SMFMAC_F32_32X32X32_F16", smfmac<F16, F16, 32, 32>);
  add("V_SMFMAC_F32_16X16X32_BF16", smfmac<BF16, BF16, 16, 32>);
  add("V_SMFMAC_F32_32X32X16_BF16", smfmac<BF16, BF16, 32, 16>);
  add("V_SMFMAC_F32_16X16X64_BF16", smfmac<BF16, BF16, 16, 64>);
  add("V_SMFMAC_F32_32X32X32_BF16", smfmac<BF16, BF16, 32, 32>);
  add("V_SMFMAC_I32_16X16X64_I8", smfmac<I8, I8, 16, 64>);
  add("V_SMFMAC_I32_32X32X32_I8", smfmac<I8, I8, 32, 32>);
  add("V_SMFMAC_I32_16X16X128_I8", smfmac<I8, I8, 16, 128>);
  add("V_SMFMAC_I32_32X32X64_I8", smfmac<I8, I8, 32, 64>);
#define HIPSIGHT_F8_SPARSE(A, B, TA, TB)                                                      \
  add("V_SMFMAC_F32_16X16X64_" A "_" B, smfmac<F8<TA, true>, F8<TB, true>, 16, 64>);          \
  add("V_SMFMAC_F32_32X32X32_" A "_" B, smfmac<F8<TA, true>, F8<TB, true>, 32, 32>);          \
  add("V_SMFMAC_F32_16X16X64_" A "_" B "@OCP", smfmac<F8<TA, false>, F8<TB, false>, 16, 64>); \
  add("V_SMFMAC_F32_32X32X32_" A "_" B "@OCP", smfmac<F8<TA, false>, F8<TB, false>, 32, 32>); \
  add("V_SMFMAC_F32_16X16X128_" A "_" B, smfmac<F8<TA, false>, F8<TB, false>, 16, 128>);      \
  add("V_SMFMAC_F32_32X32X64_" A "_" B, smfmac<F8<TA, false>, F8<TB, false>, 32, 64>);        \
  add("V_SWMMAC_F32_16X16X32_" A "_" B, swmmac<F8<TA, false>, F8<TB, false>, 32, Output::Word>);
  HIPSIGHT_F8_SPARSE("FP8", "FP8", 4, 4)
  HIPSIGHT_F8_SPARSE("FP8", "BF8", 4, 5)
  HIPSIGHT_F8_SPARSE("BF8", "FP8", 5, 4)
  HIPSIGHT_F8_SPARSE("BF8", "BF8", 5, 5)
#undef HIPSIGHT_F8_SPARSE
  add("V_SWMMAC_F32_16X16X32_F16", swmmac<F16, F16, 32, Output::Word>);
  add("V_SWMMAC_F32_16X16X32_BF16", swmmac<BF16, BF16, 32, Output::Word>);
  add("V_SWMMAC_F16_16X16X32_F16", swmmac<F16, F16, 32, Output::F16>);
  add("V_SWMMAC_BF16_16X16X32_BF16", swmmac<BF16, BF16, 32, Output::BF16>);
  add("V_SWMMAC_I32_16X16X32_IU8", swmmac_integer<I8, U8, 32>);
  add("V_SWMMAC_I32_16X16X32_IU4", swmmac_integer<I4, U4, 32>);
  add("V_SWMMAC_I32_16X16X64_IU4", swmmac_integer<I4, U4, 64>);
}

}  // namespace hipsight::engine::HIPSIGHT_HOST_ISA
