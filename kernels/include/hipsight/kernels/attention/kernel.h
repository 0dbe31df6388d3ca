// O = softmax(scale Q K^T) V, head by head: one algorithm for all GPUs, which never stores the
// scores (T. Dao, "FlashAttention-2", arXiv 2307.08691).
#pragma once

#include "../tile/copy.h"
#include "../tile/tile_order.h"
#include "band.h"
#include "sequences.h"
#include "softmax.h"
#include "tilings.h"

namespace hipsight::kernels {

/// What a kernel is given. The query heads of a group share a head of keys and values.
template <class T, int head>
struct AttentionArguments {
  Sequences<const T, head> q, k, v;
  Sequences<T, head> o;
  Sequences<float, 1> log_sums;  // data may be null
  Starts query_starts, key_starts;
  float factor;  // from scores to powers of 2
  Band band;
  int group, batches;
};

/// What one workgroup does: some queries of a head, of which each wave has a part in its registers,
/// and of all the keys that they see, tile after tile, with their values.
template <class T, int head>
struct AttentionWorkgroup {
  static constexpr AttentionTiling tiling = attention_tiling(arch::current, head);
  static constexpr int threads = tiling.waves * arch::wave_size;
  static constexpr int queries = tiling.waves * tiling.wave_queries, keys = tiling.keys;

  using Step = arch::MatrixStep<T>;
  static constexpr int bank_bytes = facts(arch::current).bank_bytes;

  /// Keys lie in panels that are as deep as a power of two.
  static constexpr int panel = head % 64 == 0 ? 64 : 32, panels = head / panel;
  using KeyPanel =
      SharedTile<T, keys, panel,
                 swizzle_for<T>(Step::layout.chained_b, panel * sizeof(T), bank_bytes)>;
  using ValueTile =
      SharedTile<T, head, keys, swizzle_for<T>(Step::layout.b, keys * sizeof(T), bank_bytes)>;
  struct Shared {
    KeyPanel k[tiling.buffers][panels];
    ValueTile v[tiling.buffers];
  };
  static_assert(sizeof(Shared) <= facts(arch::current).shared_bytes,
                "attention: the tiling takes more shared memory than this GPU has");

  using Query = OperandTile<T, Operand::a, tiling.wave_queries>;
  using Softmax = OnlineSoftmax<T, tiling.wave_queries, keys>;
  using Scores = typename Softmax::Scores;
  using Result = Accumulator<T, tiling.wave_queries, head>;

  /// One head after the other, so that caches keep its keys; of each head the last queries first,
  /// that see most keys if few are seen of others: what is last is short.
  HIPSIGHT_INLINE static void run(const AttentionArguments<T, head>& arguments, Shared& shared,
                                  int workgroup) {
    const int blocks = ceil_div(arguments.q.length, queries), heads = arguments.q.heads;
    const Place at = tile_of(workgroup, heads * arguments.batches, blocks, 1);
    run(arguments, shared, blocks - 1 - at.column, at.row % heads, at.row / heads);
  }

 private:
  HIPSIGHT_INLINE static void run(const AttentionArguments<T, head>& arguments, Shared& shared,
                                  int block, int query_head, int batch) {
    const auto q = rows_of(arguments.q, batch, query_head, arguments.query_starts);
    const int first = block * queries;
    if (first >= q.rows) return;
    const int key_head = query_head / arguments.group;
    const auto k = rows_of(arguments.k, batch, key_head, arguments.key_starts);
    const auto v = rows_of(arguments.v, batch, key_head, arguments.key_starts);
    const Sight sight{arguments.band, q.rows, k.rows};

    const int own = first + arch::wave() * tiling.wave_queries;
    Part part{sight, {own, last_of(own, tiling.wave_queries, q.rows)}, Softmax(arguments.factor)};
    part.load(q);
    Tiles tiles(k, v, shared);
    attend(part, tiles, {first, last_of(first, queries, q.rows)});
    store(arguments, part, batch, query_head);
  }

  /// Queries `first` to `last`; none if last is less.
  struct Queries {
    int first, last;
  };
  HIPSIGHT_INLINE static int last_of(int first, int count, int rows) {
    return (first + count < rows ? first + count : rows) - 1;
  }

  /// The keys and values as tiles in shared memory: tile t in buffer t % buffers.
  class Tiles {
   public:
    static constexpr int buffers = tiling.buffers;
    const Shared& shared;

    HIPSIGHT_INLINE Tiles(const GlobalTile<const T>& k, const GlobalTile<const T>& v,
                          Shared& memory)
        : shared(memory),
          k_(k),
          v_(v),
          to_(memory),
          fits_((direct ? k.aligned : k.takes_vectors()) && v.takes_vectors()) {}

    /// Asks for tile t; the one asked for before must be finished. Direct copies need its buffer at
    /// once, others when they finish.
    HIPSIGHT_INLINE void start(int t) {
      if (!fits_) return;
      const auto k = k_.from(t * keys, 0);
      HIPSIGHT_UNROLL
      for (int p = 0; p < panels; p++)
        copy_k_[p].start(k.from(0, p * panel), to_.k[t % buffers][p]);
      copy_v_.start(v_.from(t * keys, 0), to_.v[t % buffers]);
    }

    /// Writes it when it is there; a barrier must follow.
    HIPSIGHT_INLINE void finish(int t) {
      if (fits_) {
        HIPSIGHT_UNROLL
        for (int p = 0; p < panels; p++) copy_k_[p].finish(to_.k[t % buffers][p]);
        copy_v_.finish(to_.v[t % buffers]);
      } else {
        const auto k = k_.from(t * keys, 0);
        for (int p = 0; p < panels; p++)
          copy_k_[p].now(k.from(0, p * panel), to_.k[t % buffers][p]);
        copy_v_.now(v_.from(t * keys, 0), to_.v[t % buffers]);
      }
    }

   private:
    static constexpr bool direct = buffers > 1 && DirectCopy<KeyPanel, threads>::possible;
    using CopyK =
        std::conditional_t<direct, DirectCopy<KeyPanel, threads>, Copy<KeyPanel, true, threads>>;
    using CopyV = Copy<ValueTile, false, threads, false>;

    GlobalTile<const T> k_, v_;
    Shared& to_;
    bool fits_;
    CopyK copy_k_[panels];
    CopyV copy_v_;
  };

  /// What a wave has in its registers.
  struct Part {
    Sight sight;
    Queries own;
    Softmax softmax;
    Query query[head / Step::layout.depth] = {};
    Result result = {};

    HIPSIGHT_INLINE void load(const GlobalTile<const T>& q) {
      const auto rows = q.from(own.first, 0);
      HIPSIGHT_UNROLL
      for (int d = 0; d < head / Step::layout.depth; d++)
        query[d].load(rows, d * Step::layout.depth);
    }

    HIPSIGHT_INLINE void score(const KeyPanel (&k)[panels], Scores& scores) const {
      HIPSIGHT_UNROLL
      for (int d = 0; d < head / Step::layout.depth; d++) {
        OperandTile<T, Operand::chained_b, keys> b;
        const int depth = d * Step::layout.depth;
        b.load(k[depth / panel], depth % panel);
        multiply(query[d], b, scores);
      }
    }

    /// Adds the weighted values of steps `step` and on.
    template <int step>
    HIPSIGHT_INLINE void add(const typename Softmax::Weights& weights, const ValueTile& v) {
      if constexpr (step < Softmax::Weights::steps) {
        OperandTile<T, Operand::b, head> values;
        values.load(v, step * Step::layout.depth);
        multiply(weights.template operand<step>(), values, result);
        add<step + 1>(weights, v);
      }
    }
  };

  /// While the waves work on a tile, the next one is on its way.
  HIPSIGHT_INLINE static void attend(Part& part, Tiles& tiles, Queries all) {
    const Range seen = part.sight.of_some(all.first, all.last);
    if (seen.begin >= seen.end) return;
    const int count = ceil_div(seen.end, keys);
    int t = seen.begin / keys;
    tiles.start(t);
    tiles.finish(t);
    arch::barrier();
    for (; t < count; t++) {
      if (t + 1 < count) tiles.start(t + 1);
      work(part, tiles, t);
      if (tiling.buffers == 1) arch::barrier();
      if (t + 1 < count) tiles.finish(t + 1);
      arch::barrier();
    }
  }

  /// A wave leaves out tiles that none of its queries sees.
  HIPSIGHT_INLINE static void work(Part& part, const Tiles& tiles, int t) {
    const Queries own = part.own;
    const Range some = part.sight.of_some(own.first, own.last);
    const Range each = part.sight.of_all(own.first, own.last);
    const int key = t * keys, i = t % tiling.buffers;
    if (own.last < own.first || key >= some.end || key + keys <= some.begin) return;
    Scores scores;
    part.score(tiles.shared.k[i], scores);
    if (key < each.begin || key + keys > each.end) hide(scores, part.sight, own.first, key);
    part.template add<0>(part.softmax(scores, part.result), tiles.shared.v[i]);
  }

  /// Scores of keys that a query does not see become -inf.
  HIPSIGHT_INLINE static void hide(Scores& scores, const Sight& sight, int first_query,
                                   int first_key) {
    scores.update([&](Place at, int, float score) {
      const Range seen = sight.of(first_query + at.row);
      const int key = first_key + at.column;
      return seen.begin <= key && key < seen.end ? score : -__builtin_huge_valf();
    });
  }

  /// A query that sees no key, or whose scores are all -inf, gets zeros; the logarithm of its sum
  /// is -inf.
  HIPSIGHT_INLINE static void store(const AttentionArguments<T, head>& arguments, Part& part,
                                    int batch, int query_head) {
    Result& result = part.result;
    const int first = part.own.first;
    const auto o = rows_of(arguments.o, batch, query_head, arguments.query_starts).from(first, 0);
    const auto sum = part.softmax.sum();
    RowVector<Scores> inverse;
    HIPSIGHT_UNROLL
    for (int r = 0; r < Scores::rows_held; r++)
      inverse.row[r] = sum.row[r] == 0 ? 0 : 1 / sum.row[r];
    result.update([&](Place, int r, float value) { return value * inverse.row[r]; });

    constexpr int width = Result::run < chunk_size<T> ? Result::run : chunk_size<T>;
    result.template for_each_run<width>([&](Place at, const Vector<float, width>& values) {
      Vector<T, width> rounded;
      HIPSIGHT_UNROLL
      for (int i = 0; i < width; i++) rounded[i] = static_cast<T>(values[i]);
      if (o.takes_vectors()) return o.store(at.row, at.column, tiling.wave_queries, rounded);
      HIPSIGHT_UNROLL
      for (int i = 0; i < width; i++)
        o.store_one(at.row, at.column + i, tiling.wave_queries, rounded[i]);
    });

    if (!arguments.log_sums.data) return;
    const auto log_sums =
        rows_of(arguments.log_sums, batch, query_head, arguments.query_starts).from(first, 0);
    constexpr float ln_2 = 0.693147181f;
    result.update([&](Place at, int r, float value) {
      const float log_sum = part.softmax.log2_of(r, sum.row[r]) * ln_2;
      if (at.column == 0) log_sums.store_one(at.row, 0, tiling.wave_queries, log_sum);
      return value;
    });
  }
};

}  // namespace hipsight::kernels
