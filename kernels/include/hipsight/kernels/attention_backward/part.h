// What a wave does for the gradients of attention: its rows of one side, with tiles of the other.
#pragma once

#include "../attention/queries.h"
#include "../attention/tiles.h"
#include "../tile/rows.h"
#include "tilings.h"

namespace hipsight::kernels {

/// What is known of each query: its weight of a score is 2^(factor * score - shift), and `delta` is
/// the product of its result and the result's gradient, `unit` times as large.
///
/// Weights are 1 / `unit` times as large as softmax has them: so those of f16, which is normal down
/// to 2^-14, are so down to 2^-29 of the largest possible one.
template <class Value>
struct QueryNumbers {
  static constexpr int lift = std::is_same_v<Value, f16> ? 15 : 0;
  static constexpr float unit = 1.0f / (1 << lift);

  /// The shift, given log(sum of exp(scale * score)). A query that sees no key has no weights.
  HIPSIGHT_INLINE static float shift_of(float log_sum) {
    constexpr float log2_e = 1.44269504f, infinity = __builtin_huge_valf();
    return log_sum == -infinity ? infinity : log_sum * log2_e - lift;
  }
};

/// With P, the weights of own and other rows, or their transpose, and dP, their gradient, the
/// product of the gradient of O and V: sums of dS times the other side's scored rows, where dS = P
/// (dP - delta), and of P times its valued rows.
template <class Value, int head, AttentionTiling tiling, Gradients of>
struct BackwardPart {
  using Lines = AttentionTiles<Value, head, tiling>;
  using Numbers = QueryNumbers<Value>;
  static constexpr int depth = Lines::Step::layout.depth;
  using Scores = Accumulator<Value, tiling.wave_queries, tiling.keys, true>;
  using Weights = Chained<Value, tiling.wave_queries, tiling.keys>;
  using Result = Accumulator<Value, tiling.wave_queries, head>;
  using Held =
      HeldQueries<Value, head, tiling.wave_queries, tiling.saved.kept, tiling.saved.folded>;

  struct None {};
  template <bool needed, class Needed>
  using If = std::conditional_t<needed, Needed, None>;
  static constexpr bool sums_scored = are_of_scored(of), sums_valued = are_of_valued(of);

  /// A tile of the other side: its lines, and those that are summed, transposed.
  struct Tile {
    typename Lines::KeyPanel scored[Lines::panels];
    If<sums_scored, typename Lines::KeyPanel> valued[Lines::panels];
    If<sums_scored, typename Lines::ValueTile> scored_turned;
    If<sums_valued, typename Lines::ValueTile> valued_turned;
  };

  /// Own rows: Q and the gradient of O, or K and V.
  Held scored = {};
  If<sums_scored, Held> valued = {};
  /// The gradients of Q or K, and of V, but for their factors.
  If<sums_scored, Result> of_scored = {};
  If<sums_valued, Result> of_valued = {};

  template <class Rows>
  HIPSIGHT_INLINE void load(const Rows& scored_rows, const Rows& valued_rows) {
    scored.load(scored_rows);
    if constexpr (sums_scored) valued.load(valued_rows);
  }

  /// Adds what a tile gives. `queries.shift(place)` and `delta(place)` are those of the query of a
  /// place. If some places are hidden, hidden(place) says which.
  template <class Rows, class OfQueries, class Hidden>
  HIPSIGHT_INLINE void add(const Rows& scored_rows, const Rows& valued_rows, const Tile& tile,
                           float factor, const OfQueries& queries, bool some_hidden,
                           Hidden hidden) {
    const auto hide = [&](Scores& all) {
      if (some_hidden)
        all.update([&](Place at, int, float value) { return hidden(at) ? 0 : value; });
    };
    Scores weights;
    score(scored, scored_rows, tile.scored, weights);
    weights.update(
        [&](Place at, int, float score) { return arch::exp2(score * factor - queries.shift(at)); });
    hide(weights);
    if constexpr (sums_valued) sum(weights, tile.valued_turned, of_valued);

    if constexpr (sums_scored) {
      Scores changes;
      score(valued, valued_rows, tile.valued, changes);
      changes.update(weights, [&](Place at, int, float change, float weight) {
        return weight * (change * Numbers::unit - queries.delta(at));
      });
      hide(changes);
      sum(changes, tile.scored_turned, of_scored);
    }
  }

 private:
  HIPSIGHT_INLINE static int lane() {
    return tiling.saved.anew ? natural(arch::anew(arch::lane())) : arch::lane();
  }

  /// scores += rows, which were loaded `from` there, times a tile's lines.
  template <class Rows>
  HIPSIGHT_INLINE static void score(const Held& rows, const Rows& from,
                                    const typename Lines::KeyPanel (&lines)[Lines::panels],
                                    Scores& scores) {
    rows.for_each(from, [&](int step, const auto& some) {
      OperandTile<Value, Operand::chained_b, tiling.keys> b;
      const int at = step * depth;
      b.load_all(lines[at / Lines::panel], at % Lines::panel, lane());
      multiply(some, b, scores);
    });
    if constexpr (!tiling.saved.late)
      arch::read_ahead<head / depth * OperandTile<Value, Operand::chained_b, tiling.keys>::reads,
                       0>();
  }
  /// result += scores, as an operand, times a tile's rows.
  HIPSIGHT_INLINE static void sum(const Scores& scores, const typename Lines::ValueTile& lines,
                                  Result& result) {
    const Weights weights(scores,
                          [](int, Vector<float, 2> two) { return arch::nearest<Value>(two); });
    unroll<Weights::steps>([&](auto step) {
      OperandTile<Value, Operand::b, head> b;
      b.load_all(lines, step * depth, lane());
      multiply(weights.template operand<step>(), b, result);
    });
    if constexpr (!tiling.saved.late)
      arch::read_ahead<Weights::steps * OperandTile<Value, Operand::b, head>::reads, 0>();
  }
};

}  // namespace hipsight::kernels
