// The queries of a wave in its registers.
#pragma once

#include "../tile/register_tile.h"

namespace hipsight::kernels {

/// `rows` queries, as deep as a head: an operand for each matrix step. `kept` of that depth stay in
/// registers, the rest is read again each time.
template <class Value, int head, int rows, int kept, bool folded>
class HeldQueries {
 public:
  using Step = OperandTile<Value, Operand::a, rows>;
  static_assert(!folded, "HeldQueries: the halves of a wave hold different things");
  static constexpr int depth = arch::MatrixStep<Value>::layout.depth, steps = head / depth,
                       kept_steps = kept < head ? kept / depth : steps;

  template <class Rows>
  HIPSIGHT_INLINE void load(const Rows& from) {
    HIPSIGHT_UNROLL
    for (int s = 0; s < kept_steps; s++) step_[s].load(from, s * depth);
  }

  /// Calls f(step, operand) for each step, of queries that were loaded `from` there.
  template <class Rows, class Function>
  HIPSIGHT_INLINE void for_each(const Rows& from, Function f) const {
    unroll<steps>([&](auto s) {
      if constexpr (s < kept_steps) {
        f(s, step_[s]);
      } else {
        Step late;
        late.load(from, arch::anew(s * depth));
        f(s, late);
      }
    });
  }

 private:
  Step step_[kept_steps] = {};
};

/// The same in half the registers where both halves of a wave hold the same of an operand: each
/// half has every second step's, and gives it to the other when it is needed.
template <class Value, int head, int rows, int kept>
  requires(arch::MatrixStep<Value>::layout.a.halves_hold_the_same())
class HeldQueries<Value, head, rows, kept, true> {
 public:
  using Step = OperandTile<Value, Operand::a, rows>;
  static constexpr int depth = 2 * arch::MatrixStep<Value>::layout.depth, pairs = head / depth,
                       kept_pairs = kept < head ? kept / depth : pairs;
  static_assert(Step::blocks == 1 && head % depth == 0,
                "HeldQueries: of one block of rows, and of pairs of steps");

  template <class Rows>
  HIPSIGHT_INLINE void load(const Rows& from) {
    HIPSIGHT_UNROLL
    for (int p = 0; p < kept_pairs; p++) pair_[p].load(from, depth_of(p));
  }

  template <class Rows, class Function>
  HIPSIGHT_INLINE void for_each(const Rows& from, Function f) const {
    unroll<pairs>([&](auto p) {
      Step pair;
      if constexpr (p < kept_pairs)
        pair = pair_[p];
      else
        pair.load(from, arch::anew(depth_of(p)));
      // Not before the loop over keys, where there would be no room for them.
      const auto held = arch::anew(__builtin_bit_cast(Words, pair));
      Words first, second;
      HIPSIGHT_UNROLL
      for (int i = 0; i < words; i++) {
        const int other = arch::exchange<arch::wave_size / 2>(held[i]);
        first[i] = in_first_half() ? held[i] : other;
        second[i] = in_first_half() ? other : held[i];
      }
      f(2 * p, __builtin_bit_cast(Step, first));
      f(2 * p + 1, __builtin_bit_cast(Step, second));
    });
  }

 private:
  static constexpr int words = sizeof(Step) / sizeof(int);
  using Words = Vector<int, words>;

  HIPSIGHT_INLINE static bool in_first_half() { return arch::lane() < arch::wave_size / 2; }
  /// Where this lane's half of a pair begins.
  HIPSIGHT_INLINE static int depth_of(int pair) {
    return pair * depth + (in_first_half() ? 0 : depth / 2);
  }

  Step pair_[kept_pairs] = {};
};

}  // namespace hipsight::kernels
