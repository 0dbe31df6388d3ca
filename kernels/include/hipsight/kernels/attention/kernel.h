// O = softmax(scale Q K^T) V, head by head: one algorithm for all GPUs, which never stores the
// scores (T. Dao, "FlashAttention-2", arXiv 2307.08691).
#pragma once

#include "../tile/tile_order.h"
#include "part.h"
#include "sequences.h"

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

  using Shared = AttentionTiles<T, head, tiling>;
  static_assert(sizeof(Shared) <= facts(arch::current).shared_bytes,
                "attention: the tiling takes more shared memory than this GPU has");
  using Part = AttentionPart<T, head, tiling>;

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

    const int at = first + arch::wave() * tiling.wave_queries;
    const Queries own{at, last_of(at, tiling.wave_queries, q.rows)};
    Part part{typename Part::Softmax(arguments.factor)};
    part.load(q.from(own.first, 0));
    Tiles tiles(k, v, shared);
    attend(part, tiles, shared, sight, own, {first, last_of(first, queries, q.rows)});
    store(arguments, part, own.first, batch, query_head);
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
    HIPSIGHT_INLINE Tiles(const GlobalTile<const T>& k, const GlobalTile<const T>& v, Shared& to)
        : k_(k),
          v_(v),
          to_(to),
          fits_((decltype(copy_)::direct ? k.aligned : k.takes_vectors()) && v.takes_vectors()) {}

    HIPSIGHT_INLINE void start(int t) {
      if (!fits_) return;
      copy_.start_keys(k_.from(t * keys, 0), to_.k[t % tiling.buffers]);
      copy_.start_values(v_.from(t * keys, 0), to_.v[t % tiling.buffers]);
    }

    HIPSIGHT_INLINE void finish(int t) {
      const int i = t % tiling.buffers;
      if (fits_) {
        copy_.finish_keys(to_.k[i]);
        copy_.finish_values(to_.v[i]);
      } else {
        copy_.now(k_.from(t * keys, 0), v_.from(t * keys, 0), to_.k[i], to_.v[i]);
      }
    }

   private:
    GlobalTile<const T> k_, v_;
    Shared& to_;
    bool fits_;
    AttentionCopy<T, head, tiling> copy_;
  };

  /// While the waves work on a tile, the next one is on its way.
  HIPSIGHT_INLINE static void attend(Part& part, Tiles& tiles, const Shared& shared,
                                     const Sight& sight, Queries own, Queries all) {
    const Range seen = sight.of_some(all.first, all.last);
    if (seen.begin >= seen.end) return;
    const int count = ceil_div(seen.end, keys);
    int t = seen.begin / keys;
    tiles.start(t);
    tiles.finish(t);
    arch::barrier();
    for (; t < count; t++) {
      if (t + 1 < count) tiles.start(t + 1);
      work(part, shared, sight, own, t);
      if (tiling.buffers == 1) arch::barrier();
      if (t + 1 < count) tiles.finish(t + 1);
      arch::barrier();
    }
  }

  /// A wave leaves out tiles that none of its queries sees.
  HIPSIGHT_INLINE static void work(Part& part, const Shared& tiles, const Sight& sight, Queries own,
                                   int t) {
    const Range some = sight.of_some(own.first, own.last);
    const Range each = sight.of_all(own.first, own.last);
    const int key = t * keys;
    if (own.last < own.first || key >= some.end || key + keys <= some.begin) return;
    const int i = t % tiling.buffers;
    const auto weights = part.weigh(tiles.k[i], [&](auto& scores) {
      if (key < each.begin || key + keys > each.end)
        part.hide(scores, key, [&](int row) { return sight.of(own.first + row); });
    });
    part.add(weights, tiles.v[i]);
  }

  /// The logarithm of the sum of a query that sees no key is -inf.
  HIPSIGHT_INLINE static void store(const AttentionArguments<T, head>& arguments, Part& part,
                                    int first, int batch, int query_head) {
    const auto o = rows_of(arguments.o, batch, query_head, arguments.query_starts).from(first, 0);
    const auto sum = part.finish();
    part.template for_each_result<T>([&](Place at, const auto& values) {
      if (o.takes_vectors()) return o.store(at.row, at.column, tiling.wave_queries, values);
      constexpr int width = sizeof values / sizeof(T);
      HIPSIGHT_UNROLL
      for (int i = 0; i < width; i++)
        o.store_one(at.row, at.column + i, tiling.wave_queries, values[i]);
    });

    if (!arguments.log_sums.data) return;
    const auto log_sums =
        rows_of(arguments.log_sums, batch, query_head, arguments.query_starts).from(first, 0);
    constexpr float ln_2 = 0.693147181f;
    part.for_each_log2(sum, [&](int row, float log2) {
      log_sums.store_one(row, 0, tiling.wave_queries, log2 * ln_2);
    });
  }
};

}  // namespace hipsight::kernels
