// O = softmax(scale Q K^T) V, head by head: one algorithm for all GPUs, which never stores the
// scores (T. Dao, "FlashAttention-2", arXiv 2307.08691).
#pragma once

#include "../tile/tile_order.h"
#include "part.h"
#include "scores.h"
#include "sequences.h"

namespace hipsight::kernels {

/// What a kernel is given. The query heads of a group share a head of keys and values. Vectors of
/// queries and keys have `head` elements, those of values and results `value_head`.
template <class Value, int head, int value_head, class Change = PlainScores>
struct AttentionArguments {
  Sequences<const Value, head> q, k;
  Sequences<const Value, value_head> v;
  Sequences<Value, value_head> o;
  Sequences<float, 1> log_sums;  // data may be null
  Starts query_starts, key_starts;
  float factor;  // from scores to powers of 2
  Band band;
  TileOrder tiles;  // a row for each head of a batch, a column for its queries
  Divisor heads, group;
  [[no_unique_address]] Change change;
};

/// What one workgroup does: some queries of a head, of which each wave has a part in its registers,
/// and of all the keys that they see, tile after tile, with their values.
template <class Value, int head, int value_head, class Change = PlainScores>
struct AttentionWorkgroup {
  using Arguments = AttentionArguments<Value, head, value_head, Change>;
  static constexpr AttentionTiling tiling = attention_tiling(arch::current, head, value_head);
  static constexpr int threads = tiling.waves * arch::wave_size;
  static constexpr int queries = tiling.waves * tiling.wave_queries, keys = tiling.keys;

  using Shared = AttentionTiles<Value, head, tiling, value_head>;
  static_assert(tiling.buffers == 1 || !tiling.saved.in_turn, "attention: a buffer each is enough");
  static_assert(sizeof(Shared) <= facts(arch::current).shared_bytes,
                "attention: the tiling takes more shared memory than this GPU has");
  using Part = AttentionPart<Value, head, tiling, value_head, value_head>;
  using Copied = AttentionCopy<Value, head, tiling, Value, value_head>;

  /// One head after the other, so that caches keep its keys; of each head the last queries first,
  /// that see most keys if few are seen of others: what is last is short.
  HIPSIGHT_INLINE static void run(const Arguments& arguments, Shared& shared, int workgroup) {
    const int blocks = ceil_div(arguments.q.length, queries);
    const Place at = arguments.tiles.of(workgroup);
    run(arguments, shared, blocks - 1 - at.column, at.row % arguments.heads,
        at.row / arguments.heads);
  }

 private:
  HIPSIGHT_INLINE static void run(const Arguments& arguments, Shared& shared, int block,
                                  int query_head, int batch) {
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
    if constexpr (Change::has_sinks)
      part.softmax.set_sinks([&](int) { return arguments.change.sinks.of(query_head); });
    const auto own_rows = q.from(own.first, 0);
    part.queries.load(own_rows);
    Tiles tiles(k, v, shared);
    attend(part, arguments.change, own_rows, tiles, shared, sight, own,
           {first, last_of(first, queries, q.rows)});
    store(arguments, part, own.first, batch, query_head);
  }

  using Rows = GlobalTile<const Value>;

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
    HIPSIGHT_INLINE Tiles(const GlobalTile<const Value>& k, const GlobalTile<const Value>& v,
                          Shared& to)
        : k_(k),
          v_(v),
          to_(to),
          fits_((decltype(copy_)::direct ? k.aligned : k.takes_vectors()) && v.takes_vectors()) {}

    /// A tile beyond the last: nothing.
    HIPSIGHT_INLINE int none() const { return ceil_div(k_.rows, keys); }

    HIPSIGHT_INLINE void start_keys(int t) {
      if (fits_) copy_.start_keys(keys_of(t), k(t));
    }
    HIPSIGHT_INLINE void start_values(int t) {
      if (fits_) copy_.start_values(values_of(t), v(t));
    }
    HIPSIGHT_INLINE void finish_keys(int t) {
      fits_ ? copy_.finish_keys(k(t)) : copy_.keys_now(keys_of(t), k(t));
    }
    HIPSIGHT_INLINE void finish_values(int t) {
      fits_ ? copy_.finish_values(v(t)) : copy_.values_now(values_of(t), v(t));
    }

    HIPSIGHT_INLINE void start(int t) {
      if (!fits_) return;
      copy_.start_keys(keys_of(t), k(t));
      copy_.start_values(values_of(t), v(t));
    }
    HIPSIGHT_INLINE void finish(int t) {
      if (fits_) {
        copy_.finish_keys(k(t));
        copy_.finish_values(v(t));
      } else {
        copy_.keys_now(keys_of(t), k(t));
        copy_.values_now(values_of(t), v(t));
      }
    }

   private:
    HIPSIGHT_INLINE auto keys_of(int t) const { return k_.from(t * keys, 0); }
    HIPSIGHT_INLINE auto values_of(int t) const { return v_.from(t * keys, 0); }
    HIPSIGHT_INLINE auto& k(int t) const { return to_.k[t % tiling.buffers]; }
    HIPSIGHT_INLINE auto& v(int t) const { return to_.v[t % tiling.buffers]; }

    GlobalTile<const Value> k_, v_;
    Shared& to_;
    bool fits_;
    Copied copy_;
  };

  /// A tile to be asked for while another one is worked on.
  struct Next {
    static constexpr int requests = Copied::requests;
    Tiles& tiles;
    int t;
    HIPSIGHT_INLINE void start() const { tiles.start(t); }
  };

  HIPSIGHT_INLINE static void attend(Part& part, const Change& change, const Rows& q, Tiles& tiles,
                                     const Shared& shared, const Sight& sight, Queries own,
                                     Queries all) {
    const Range seen = sight.of_some(all.first, all.last);
    if (seen.begin >= seen.end) return;
    const int begin = seen.begin / keys, end = ceil_div(seen.end, keys);
    if constexpr (tiling.saved.in_turn)
      attend_in_turn(part, change, q, tiles, shared, sight, own, begin, end);
    else
      attend_at_once(part, change, q, tiles, shared, sight, own, begin, end);
  }

  /// While the waves work on a tile, the next one is on its way.
  HIPSIGHT_INLINE static void attend_at_once(Part& part, const Change& change, const Rows& q,
                                             Tiles& tiles, const Shared& shared, const Sight& sight,
                                             Queries own, int begin, int end) {
    tiles.start(begin);
    tiles.finish(begin);
    arch::barrier();
    const Range seen = tiles_of(sight, own, begin, end), each = sight.of_all(own.first, own.last);
    const auto turn = [&](int t, auto work) {
      work(t, Next{tiles, t + 1 < end ? t + 1 : tiles.none()});
      if (tiling.buffers == 1) arch::barrier();
      if (t + 1 < end) tiles.finish(t + 1);
      arch::barrier();
    };
    const auto& v = shared.v;
    if constexpr (!tiling.saved.late) {
      // A loop each for the tiles before those that this wave sees, these, and those after them: so
      // what is asked for becomes part of the work.
      const auto wait = [&](int, const Next& next) { next.start(); };
      const auto attend = [&](int t, const Next& next) {
        part.template add<true>(weigh(part, change, q, shared, sight, own, each, t, next),
                                v[t % tiling.buffers]);
      };
      int t = begin;
      for (; t < seen.begin; t++) turn(t, wait);
      for (; t < seen.end; t++) turn(t, attend);
      for (; t < end; t++) turn(t, wait);
    } else {
      for (int t = begin; t < end; t++)
        turn(t, [&](int t, const Next& next) {
          if (t + 1 < end) next.start();
          if (seen.begin <= t && t < seen.end)
            part.add(weigh(part, change, q, shared, sight, own, each, t), v[t % tiling.buffers]);
        });
    }
  }

  /// While the waves work on a tile's keys, its values are on their way, and while they work on
  /// these, the next one's keys: half as many registers hold what is on its way.
  HIPSIGHT_INLINE static void attend_in_turn(Part& part, const Change& change, const Rows& q,
                                             Tiles& tiles, const Shared& shared, const Sight& sight,
                                             Queries own, int begin, int end) {
    tiles.start_keys(begin);
    tiles.finish_keys(begin);
    arch::barrier();
    const Range seen = tiles_of(sight, own, begin, end);
    for (int t = begin; t < end; t++) {
      const bool sees = seen.begin <= t && t < seen.end;
      tiles.start_values(t);
      typename Part::Weights weights;
      if (sees)
        weights = weigh(part, change, q, shared, sight, own, sight.of_all(own.first, own.last), t);
      tiles.finish_values(t);
      arch::barrier();
      if (t + 1 < end) tiles.start_keys(t + 1);
      if (sees) part.add(weights, shared.v[0]);
      if (t + 1 < end) tiles.finish_keys(t + 1);
      arch::barrier();
    }
  }

  /// Those of the tiles that any of a wave's queries sees; if none, nothing at their end.
  HIPSIGHT_INLINE static Range tiles_of(const Sight& sight, Queries own, int begin, int end) {
    const Range some = sight.of_some(own.first, own.last);
    const int first = most(begin, some.begin / keys);
    const int last = -most(-end, -ceil_div(some.end, keys));
    return own.last < own.first || last <= first ? Range{end, end} : Range{first, last};
  }

  /// `each`: the keys that are seen by all.
  template <class Next = NoRequests>
  HIPSIGHT_INLINE static auto weigh(Part& part, const Change& change, const Rows& q,
                                    const Shared& shared, const Sight& sight, Queries own,
                                    const Range& each, int t, const Next& next = {}) {
    const int key = t * keys;
    return part.weigh(q, shared.k[t % tiling.buffers], next, [&](auto& scores) {
      change.cap(scores);
      if (key < each.begin || key + keys > each.end)
        part.hide(scores, key, [&](int row) { return sight.of(own.first + row); });
    });
  }

  /// The logarithm of the sum of a query that sees no key is -inf.
  HIPSIGHT_INLINE static void store(const Arguments& arguments, Part& part, int first, int batch,
                                    int query_head) {
    const auto o = rows_of(arguments.o, batch, query_head, arguments.query_starts).from(first, 0);
    const auto sum = [&] {
      if constexpr (Change::has_sinks)
        return part.finish_with([&](int) { return arguments.change.sinks.of(query_head); });
      else
        return part.finish();
    }();
    part.template for_each_result<Value>([&](Place at, const auto& values) {
      if (o.takes_vectors()) return o.store(at.row, at.column, tiling.wave_queries, values);
      constexpr int width = sizeof values / sizeof(Value);
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
