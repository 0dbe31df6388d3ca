#pragma once
// MFMA: matrix instructions of wave64. Layouts: AMD matrix instruction calculator.

#include "engine/level/matrix.h"

namespace hipsight::engine::HIPSIGHT_LEVEL {

/// Lane of the B operand that lane `lane` uses (BLGP: broadcast or rotate groups of lanes).
inline unsigned b_lane(unsigned blgp, unsigned lane) {
  switch (blgp) {
    case 1:
      return lane & 31;
    case 2:
      return (lane & 31) | 32;
    case 3:
      return (lane + 16) & 63;
    case 4:
    case 5:
    case 6:
    case 7:
      return (lane & 15) | (blgp - 4) * 16;
    default:
      return lane;
  }
}

/// The fast sum of products: a chain of FMAs over k in order.
struct Chain {
  template <class TA, class TB, class T, unsigned M, unsigned N, unsigned K>
  static void add(const T (&a)[K][M], const T (&b)[K][N], T (&acc)[M][N]) {
    multiply(a, b, acc);
  }
};

/// D = A * B + C on blocks of M x N x K, summed by `Sum`. Lane l holds row (column) l % M of A (B);
/// l / M counts blocks, then groups of k.
template <class TA, class TB, unsigned M, unsigned K, unsigned Blocks, class Sum = Chain>
const Op* mfma(Wave& w, const Op* op) {
  using T = typename TA::Value;
  constexpr unsigned lanes = 64;
  constexpr unsigned groups = lanes / M / Blocks;  // of k
  constexpr unsigned per_lane = K / groups;
  constexpr unsigned registers = M * M * Blocks / lanes;
  const isa::Instruction& in = *op->instruction;
  alignas(64) T a_lanes[per_lane][64], b_lanes[per_lane][64];
  widen_all<TA, per_lane>(registers_of(w, op, 0), lanes, a_lanes);
  widen_all<TB, per_lane>(registers_of(w, op, 1), lanes, b_lanes);
  const std::uint32_t* c = registers_of(w, op, 2);
  const unsigned c_step = op->base[2] == Base::Constant ? 0 : lanes;
  std::uint32_t* d = reinterpret_cast<std::uint32_t*>(w.bytes() + op->dst);
  std::uint32_t result[registers][lanes];
  for (unsigned block = 0; block < Blocks; ++block) {
    alignas(64) T a[K][M], b[K][M], acc[M][M];
    const unsigned a_block = in.cbsz ? (block >> in.cbsz << in.cbsz) + in.abid : block;
    for (unsigned g = 0; g < groups; ++g) {
      for (unsigned e = 0; e < per_lane; ++e) {
        for (unsigned i = 0; i < M; ++i) {
          a[g * per_lane + e][i] = a_lanes[e][(a_block * groups + g) * M + i];
          b[g * per_lane + e][i] = b_lanes[e][b_lane(in.blgp, (block * groups + g) * M + i)];
        }
      }
    }
    constexpr unsigned run = M < 16 ? 4 : M;  // columns that lie side by side
    for (unsigned row = 0; row < M; ++row) {
      const auto [r, lane] = mfma_place<M>(block, row, 0);
      if (c_step)
        std::memcpy(acc[row], &c[r * lanes + lane], run * 4);
      else
        for (unsigned j = 0; j < M; ++j) std::memcpy(&acc[row][j], &c[0], 4);
    }
    Sum::template add<TA, TB>(a, b, acc);
    for (unsigned row = 0; row < M; ++row) {
      const auto [r, lane] = mfma_place<M>(block, row, 0);
      std::memcpy(&result[r][lane], acc[row], run * 4);
    }
  }
  for (unsigned r = 0; r < registers; ++r)
    for (unsigned lane = 0; lane < lanes; ++lane)
      d[r * lanes + lane] =
          std::is_same_v<T, float> ? positive_nan(result[r][lane]) : result[r][lane];
  return op + 1;
}

}  // namespace hipsight::engine::HIPSIGHT_LEVEL
