// What a wave does in attention: its queries, of all the keys that it is given.
#pragma once

#include "band.h"
#include "queries.h"
#include "softmax.h"
#include "tiles.h"

namespace hipsight::kernels {

/// Nothing is next.
struct NoRequests {
  static constexpr int requests = 0;
  HIPSIGHT_INLINE void start() const {}
};

/// Queries as rows, in the wave's registers, and their results: `columns` of them, of the
/// `value_head` of a head.
template <class Value, int head, AttentionTiling tiling, int columns = head, int value_head = head>
struct AttentionPart {
  using Tiles = AttentionTiles<Value, head, tiling, value_head>;
  using Step = arch::MatrixStep<Value>;
  using Softmax = OnlineSoftmax<Value, tiling.wave_queries, tiling.keys>;
  using Scores = typename Softmax::Scores;
  using Weights = typename Softmax::Weights;
  using Result = Accumulator<Value, tiling.wave_queries, columns>;

  Softmax softmax;
  int first_column = 0;
  HeldQueries<Value, head, tiling.wave_queries, tiling.saved.kept, tiling.saved.folded> queries =
      {};
  Result result = {};

  /// The weights of a tile's keys, of queries that were loaded from `q`. hide(scores) may change
  /// their scores before. What is next is asked for meanwhile.
  template <class Rows, class Next, class Hide>
  HIPSIGHT_INLINE Weights weigh(const Rows& q, const typename Tiles::KeyPanel (&k)[Tiles::panels],
                                const Next& next, Hide hide) {
    Scores scores;
    next.start();
    score(q, k, scores);
    if constexpr (Next::requests > 0)
      arch::read_ahead<head / Step::layout.depth * Keys::reads, Next::requests>();
    hide(scores);
    return softmax(scores, result);
  }

  /// Adds a tile's weighted values.
  template <bool ahead = false>
  HIPSIGHT_INLINE void add(const Weights& weights, const typename Tiles::ValueTile& v) {
    unroll<Weights::steps>([&](auto step) {
      Values values;
      if constexpr (columns == value_head)
        values.load_all(v, step * Step::layout.depth, lane());
      else
        values.load(v, first_column, step * Step::layout.depth);
      multiply(weights.template operand<step>(), values, result);
    });
    if constexpr (ahead) arch::read_ahead<Weights::steps * Values::reads, 0>();
  }

  /// Adds a tile's weighted values, which are the first of its keys' own elements.
  HIPSIGHT_INLINE void add(const Weights& weights,
                           const typename Tiles::KeyPanel (&k)[Tiles::panels]) {
    unroll<Weights::steps>([&](auto step) {
      Values values;
      values.template load_across<step * Step::layout.depth>(k, first_column);
      multiply(weights.template operand<step>(), values, result);
    });
    arch::read_ahead<Weights::steps * Values::reads, 0, chunk_size<Value>>();
  }

  /// Scores of keys that a query does not see become -inf: the columns are keys from `first_key`
  /// on, and row r sees those of seen(r).
  template <class Seen>
  HIPSIGHT_INLINE static void hide(Scores& scores, int first_key, Seen seen) {
    scores.update([&](Place at, int, float score) {
      const Range range = seen(at.row);
      const int key = first_key + at.column;
      return range.begin <= key && key < range.end ? score : -__builtin_huge_valf();
    });
  }

  /// Divides the results by their sums of weights, `factor` times as large, and gives the sums. A
  /// query that sees no key, or whose scores are all -inf, gets zeros.
  HIPSIGHT_INLINE RowVector<Scores> finish(float factor = 1) {
    return finish(softmax.sum(), factor);
  }
  /// The same with a sink's weight in each sum.
  template <class Sinks>
  HIPSIGHT_INLINE RowVector<Scores> finish_with(Sinks sinks, float factor = 1) {
    auto sum = softmax.sum();
    softmax.add_sinks(sum, sinks);
    return finish(sum, factor);
  }

  /// Calls put(place, values) for all results, so many of a row at a time as Out's chunks have.
  template <class Out, class Put>
  HIPSIGHT_INLINE void for_each_result(Put put) const {
    constexpr int width = Result::run < chunk_size<Out> ? Result::run : chunk_size<Out>;
    result.template for_each_run<width>([&](Place at, const Vector<float, width>& values) {
      put(Place{at.row, at.column + first_column}, from_f32<Out, width>(values));
    });
  }

  /// Calls put(row, log2(sum of weights)) once for each row.
  template <class Put>
  HIPSIGHT_INLINE void for_each_log2(const RowVector<Scores>& sum, Put put) {
    result.update([&](Place at, int r, float value) {
      const float log2 = softmax.log2_of(r, sum.row[r]);
      if (at.column == 0) put(at.row, log2);
      return value;
    });
  }

 private:
  HIPSIGHT_INLINE RowVector<Scores> finish(const RowVector<Scores>& sum, float factor) {
    RowVector<Scores> inverse;
    HIPSIGHT_UNROLL
    for (int r = 0; r < Scores::rows_held; r++)
      inverse.row[r] = sum.row[r] == 0 ? 0 : factor / sum.row[r];
    result.update([&](Place, int r, float value) { return value * inverse.row[r]; });
    return sum;
  }

  using Keys = OperandTile<Value, Operand::chained_b, tiling.keys>;
  using Values = OperandTile<Value, Operand::b, columns>;

  HIPSIGHT_INLINE static int lane() {
    return tiling.saved.anew ? natural(arch::anew(arch::lane())) : arch::lane();
  }

  template <class Rows>
  HIPSIGHT_INLINE void score(const Rows& q, const typename Tiles::KeyPanel (&k)[Tiles::panels],
                             Scores& scores) const {
    queries.for_each(q, [&](int step, const auto& query) {
      Keys b;
      const int depth = step * Step::layout.depth;
      b.load_all(k[depth / Tiles::panel], depth % Tiles::panel, lane());
      multiply(query, b, scores);
    });
  }
};

}  // namespace hipsight::kernels
