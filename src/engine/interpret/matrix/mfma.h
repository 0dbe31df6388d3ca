#pragma once
// MFMA: matrix instructions of wave64. Layouts: AMD matrix instruction calculator.

#include "engine/interpret/matrix/matrix.h"

namespace hipsight::engine::HIPSIGHT_HOST_ISA {

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
  template <class TA, class TB, unsigned M, unsigned K, class... Rows>
  [[gnu::always_inline]] static void add(Rows... rows) {
    multiply<typename TA::Value, M, M, K>(rows...);
  }
};

/// D = A * B + C on blocks of M x M x K, summed by `Sum`, which is given functions for rows of A,
/// B, C and D as `multiply` is. Lane l holds row (column) l % M of A (B); l / M counts blocks, then
/// groups of k. A row of C or D lies side by side in a register.
template <class TA, class TB, unsigned M, unsigned K, unsigned Blocks, class Sum = Chain>
const Op* mfma(Wave& w, const Op* op) {
  using T = typename TA::Value;
  constexpr unsigned lanes = 64;
  constexpr unsigned groups = lanes / M / Blocks;  // of k
  constexpr unsigned per_lane = K / groups;
  constexpr unsigned registers = M * M * Blocks / lanes;
  const isa::Instruction& in = *op->instruction;
  alignas(64) T a_lanes[per_lane][lanes], b_lanes[per_lane][lanes];
  widen_all<TA, per_lane>(registers_of(w, op, 0), lanes, a_lanes, lanes);
  widen_all<TB, per_lane>(registers_of(w, op, 1), lanes, b_lanes, lanes);
  if (in.blgp) {
    for (auto& of_element : b_lanes) {
      T moved[lanes];
      for (unsigned lane = 0; lane < lanes; ++lane) moved[lane] = of_element[b_lane(in.blgp, lane)];
      std::memcpy(of_element, moved, sizeof moved);
    }
  }
  auto* const to = reinterpret_cast<T*>(w.bytes() + op->dst);
  const auto* from = reinterpret_cast<const T*>(registers_of(w, op, 2));
  alignas(64) T copy[registers * lanes];
  const bool constant = op->base[2] == Base::Constant;
  if (constant) {
    for (unsigned column = 0; column < M; ++column) std::memcpy(&copy[column], from, sizeof *copy);
    from = copy;
  } else {
    from = apart(from, to, registers * lanes, copy);
  }
  for (unsigned block = 0; block < Blocks; ++block) {
    const unsigned a_block = in.cbsz ? (block >> in.cbsz << in.cbsz) + in.abid : block;
    const auto a = [&](unsigned k) {
      return &a_lanes[k % per_lane][(a_block * groups + k / per_lane) * M];
    };
    const auto b = [&](unsigned k) {
      return &b_lanes[k % per_lane][(block * groups + k / per_lane) * M];
    };
    const auto row_at = [&](unsigned row) {
      const auto [r, lane] = mfma_place<M>(block, row, 0);
      return r * lanes + lane;
    };
    const auto c = [&](unsigned row) { return constant ? from : from + row_at(row); };
    const auto d = [&](unsigned row) { return to + row_at(row); };
    Sum::template add<TA, TB, M, K>(a, b, c, d);
  }
  return op + 1;
}

}  // namespace hipsight::engine::HIPSIGHT_HOST_ISA
