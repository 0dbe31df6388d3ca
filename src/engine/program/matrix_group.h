#pragma once

#include "engine/program/op.h"

namespace hipsight::engine {

/// Matrix instructions of one kind that run together. Ops where they stand widen their operands A
/// and B, each once, to a place of the host thread's; one op behind the last of them does the sums.
/// Between these ops there is none that could stop the wave.
struct MatrixGroup {
  static constexpr unsigned most = 16;        ///< operands on each side
  static constexpr unsigned most_chains = 8;  ///< and sums
  /// Elements of all operands of a side.
  static constexpr unsigned most_elements = 4096;
  /// Of the name, in the table of code, of what widens operands, and of what does the sums.
  static constexpr const char *widen = "@WIDEN", *sum = "@SUM";
  /// Sums that stay where they are: D = C + A B, then D = D + A' B' and so on.
  struct Chain {
    const Op* first;  ///< says where C and D are
    unsigned steps;
    bool pair;  ///< whether the next one has the same operands A, step by step: they run together
    struct Step {
      std::uint8_t a, b;  ///< indices of operands
    } step[most];
  };
  unsigned as = 0, bs = 0, chains = 0;
  const Op *a[most], *b[most];  ///< instructions whose A (B) it is
  Chain chain[most_chains];

  /// The operands that an op widens: from the first index up to the second, of A and of B.
  struct Part {
    std::uint8_t a, a_end, b, b_end;
  };
};

}  // namespace hipsight::engine
