// The gradients of attention's Q, K and V: one algorithm for all of them and all GPUs, which
// computes the weights again and never stores them (T. Dao, "FlashAttention-2", arXiv 2307.08691).
// There is nothing atomic: each gradient is one wave's, which sums it in a fixed order.
#pragma once

#include "../attention/band.h"
#include "../attention/sequences.h"
#include "../tile/tile_order.h"
#include "part.h"

namespace hipsight::kernels {

/// What a kernel is given, of the side whose gradients it sums and of the other one: of queries, Q
/// and the gradient of O, with K and V; of keys, the other way round.
template <class Value, int head>
struct BackwardArguments {
  struct Operands {
    Sequences<const Value, head> scored, valued;
    Starts starts;
  };
  Operands own, other;
  Sequences<Value, head> of_scored, of_valued;  // gradients: of Q or K, and of V
  Sequences<const Value, head> o;               // for the gradients of queries
  Sequences<const float, 1> log_sums;
  Sequences<float, 1> deltas;  // what these leave for the other gradients
  Starts query_starts;
  float factor, scale;  // from scores to powers of 2; to what softmax is of
  Band band;            // of others that a row sees, or that see it
  TileOrder tiles;      // a row for each head of a batch, a column for its rows
  Divisor heads, group;
};

/// What one workgroup does: some rows of a head, of which each wave has a part in its registers,
/// and of all rows of the other side that they see, or that see them, tile after tile; of keys in
/// each head of queries that shares them.
template <class Value, int head_size, Gradients of>
struct BackwardWorkgroup {
  static constexpr int head = head_size;
  static constexpr AttentionTiling tiling = attention_backward_tiling(arch::current, of, head);
  static constexpr int threads = tiling.waves * arch::wave_size;
  static constexpr int rows = tiling.waves * tiling.wave_queries, others = tiling.keys;
  static constexpr bool of_queries = are_of_queries(of);

  using Arguments = BackwardArguments<Value, head>;
  using Part = BackwardPart<Value, head, tiling, of>;
  using Numbers = typename Part::Numbers;
  static constexpr int queries = of_queries ? rows : others;

  struct Shared {
    typename Part::Tile tile;
    alignas(16) float shift[queries], delta[queries];
  };
  static_assert(sizeof(Shared) <= facts(arch::current).shared_bytes,
                "attention_backward: the tiling takes more shared memory than this GPU has");

  /// One head after the other, so that caches keep the other side's rows. Of queries the last ones
  /// first and of keys the first: of causal attention those have most to do, and what is last is
  /// short.
  HIPSIGHT_INLINE static void run(const Arguments& arguments, Shared& shared, int workgroup) {
    const int blocks = ceil_div(arguments.own.scored.length, rows);
    const Place at = arguments.tiles.of(workgroup);
    const int block = of_queries ? blocks - 1 - at.column : at.column;
    run(arguments, shared, block * rows, at.row % arguments.heads, at.row / arguments.heads);
  }

 private:
  HIPSIGHT_INLINE static void run(const Arguments& arguments, Shared& shared, int first,
                                  int own_head, int batch) {
    const auto scored = rows_of(arguments.own.scored, batch, own_head, arguments.own.starts);
    if (first >= scored.rows) return;
    const auto valued = rows_of(arguments.own.valued, batch, own_head, arguments.own.starts);
    const int of_wave = first + arch::wave() * tiling.wave_queries;
    const Range own{of_wave, least(of_wave + tiling.wave_queries, scored.rows)};

    Part part;
    part.load(scored.from(of_wave, 0), valued.from(of_wave, 0));
    if constexpr (of_queries)
      know_own(arguments, shared, batch, own_head, first, valued.from(first, 0));
    OtherTiles others_of(arguments, shared, batch);
    const Range heads = heads_of(arguments, own_head);
    const Sight sight{arguments.band, scored.rows, others_of.rows(heads.begin)};
    const Range seen = sight.of_some(first, least(first + rows, scored.rows) - 1);
    if (seen.begin < seen.end && heads.begin < heads.end) {
      // While the waves work on a tile, the next one is on its way.
      const int begin = seen.begin / others, end = ceil_div(seen.end, others);
      Turn now{heads.begin, begin};
      others_of.start(now), others_of.finish(now);
      arch::barrier();
      for (;;) {
        const Turn next =
            now.tile + 1 < end ? Turn{now.of_head, now.tile + 1} : Turn{now.of_head + 1, begin};
        const bool more = next.of_head < heads.end;
        if (more) others_of.start(next);
        add(part, shared, sight, own, scored, valued, of_wave - first, now.tile * others,
            arguments.factor);
        if (!more) break;
        arch::barrier();
        others_of.finish(next);
        arch::barrier();
        now = next;
      }
    }
    const auto rows_of_gradient = [&](const Sequences<Value, head>& all) {
      return rows_of(all, batch, own_head, arguments.own.starts).from(of_wave, 0);
    };
    if constexpr (Part::sums_scored)
      store(part.of_scored, rows_of_gradient(arguments.of_scored), arguments.scale);
    if constexpr (Part::sums_valued)
      store(part.of_valued, rows_of_gradient(arguments.of_valued), Numbers::unit);
  }

  HIPSIGHT_INLINE static int least(int a, int b) { return a < b ? a : b; }

  /// The heads of the other side.
  HIPSIGHT_INLINE static Range heads_of(const Arguments& arguments, int own_head) {
    if (of_queries) {
      const int head_of_keys = own_head / arguments.group;
      return {head_of_keys, head_of_keys + 1};
    }
    const int first = own_head * arguments.group.number;
    return {first, first + arguments.group.number};
  }

  /// A tile of a head of the other side.
  struct Turn {
    int of_head, tile;
  };

  /// What is known of the query of a place: it is the place's row, of the workgroup's from `first`
  /// on, or its column.
  struct OfQueries {
    const Shared& shared;
    int first;
    HIPSIGHT_INLINE float shift(Place at) const { return shared.shift[query(at)]; }
    HIPSIGHT_INLINE float delta(Place at) const { return shared.delta[query(at)]; }

   private:
    HIPSIGHT_INLINE int query(Place at) const { return of_queries ? first + at.row : at.column; }
  };

  /// Of a tile whose rows begin with `other`, if any of this wave's sees one of them.
  template <class Rows>
  HIPSIGHT_INLINE static void add(Part& part, const Shared& shared, const Sight& sight, Range own,
                                  const Rows& scored, const Rows& valued, int first, int other,
                                  float factor) {
    if (own.begin >= own.end) return;
    const Range some = sight.of_some(own.begin, own.end - 1),
                each = sight.of_all(own.begin, own.end - 1);
    if (other >= some.end || other + others <= some.begin) return;
    part.add(scored.from(own.begin, 0), valued.from(own.begin, 0), shared.tile, factor,
             OfQueries{shared, first}, other < each.begin || other + others > each.end,
             [&](Place at) {
               const Range sees = sight.of(own.begin + at.row);
               return other + at.column < sees.begin || other + at.column >= sees.end;
             });
  }

  /// The numbers of the workgroup's own queries, before all else. `d_o`: from the first one on.
  template <class Rows>
  HIPSIGHT_INLINE static void know_own(const Arguments& arguments, Shared& shared, int batch,
                                       int own_head, int first, const Rows& d_o) {
    const auto o = rows_of(arguments.o, batch, own_head, arguments.query_starts).from(first, 0);
    const auto log_sums =
        rows_of(arguments.log_sums, batch, own_head, arguments.query_starts).from(first, 0);
    const auto deltas = rows_of(arguments.deltas, batch, own_head, nullptr).from(first, 0);
    constexpr int width = chunk_size<Value>;
    for (int i = arch::thread(); i < rows; i += threads) {
      float delta = 0;
      HIPSIGHT_UNROLL
      for (int column = 0; column < head; column += width) {
        const auto a = o.template load_any<width, true>(i, column, rows),
                   b = d_o.template load_any<width, true>(i, column, rows);
        HIPSIGHT_UNROLL
        for (int e = 0; e < width; e++)
          delta += static_cast<float>(a[e]) * static_cast<float>(b[e]);
      }
      shared.shift[i] = Numbers::shift_of(log_sums.load_one(i, 0, rows));
      shared.delta[i] = delta * Numbers::unit;
      if (i < o.rows) deltas.store_one(i, 0, rows, delta);
    }
    arch::barrier();
  }

  /// The tiles of the other side on their way to shared memory, and, where they are queries, what
  /// is known of these.
  class OtherTiles {
   public:
    HIPSIGHT_INLINE OtherTiles(const Arguments& arguments, Shared& to, int batch)
        : arguments_(arguments), to_(to), batch_(batch) {}

    /// Of a head.
    HIPSIGHT_INLINE int rows(int of_head) const {
      return rows_of(arguments_.other.scored, batch_, of_head, arguments_.other.starts).rows;
    }

    HIPSIGHT_INLINE void start(Turn turn) {
      const auto scored = tile_of(arguments_.other.scored, turn),
                 valued = tile_of(arguments_.other.valued, turn);
      fits_ = scored.takes_vectors() && valued.takes_vectors();
      if (fits_) {
        scored_.start_keys(scored, to_.tile.scored);
        if constexpr (Part::sums_scored) valued_.start_keys(valued, to_.tile.valued);
        if constexpr (Part::sums_valued) valued_.start_values(valued, to_.tile.valued_turned);
        if constexpr (Part::sums_scored) scored_.start_values(scored, to_.tile.scored_turned);
      }
      if constexpr (!of_queries) start_numbers(turn);
    }

    HIPSIGHT_INLINE void finish(Turn turn) {
      if (fits_) {
        scored_.finish_keys(to_.tile.scored);
        if constexpr (Part::sums_scored) valued_.finish_keys(to_.tile.valued);
        if constexpr (Part::sums_valued) valued_.finish_values(to_.tile.valued_turned);
        if constexpr (Part::sums_scored) scored_.finish_values(to_.tile.scored_turned);
      } else {
        const auto scored = tile_of(arguments_.other.scored, turn),
                   valued = tile_of(arguments_.other.valued, turn);
        scored_.keys_now(scored, to_.tile.scored);
        if constexpr (Part::sums_scored) valued_.keys_now(valued, to_.tile.valued);
        if constexpr (Part::sums_valued) valued_.values_now(valued, to_.tile.valued_turned);
        if constexpr (Part::sums_scored) scored_.values_now(scored, to_.tile.scored_turned);
      }
      if constexpr (!of_queries) finish_numbers();
    }

   private:
    HIPSIGHT_INLINE auto tile_of(const Sequences<const Value, head>& all, Turn turn) const {
      return rows_of(all, batch_, turn.of_head, arguments_.other.starts)
          .from(turn.tile * others, 0);
    }

    HIPSIGHT_INLINE void start_numbers(Turn turn) {
      const int first = turn.tile * others;
      const auto log_sums =
          rows_of(arguments_.log_sums, batch_, turn.of_head, arguments_.query_starts)
              .from(first, 0);
      const auto deltas = rows_of(arguments_.deltas, batch_, turn.of_head, nullptr).from(first, 0);
      for_numbers([&](int i, int query) {
        log_sum_[i] = log_sums.load_one(query, 0, others);
        delta_[i] = deltas.load_one(query, 0, others);
      });
    }
    HIPSIGHT_INLINE void finish_numbers() const {
      for_numbers([&](int i, int query) {
        if (query >= others) return;
        to_.shift[query] = Numbers::shift_of(log_sum_[i]);
        to_.delta[query] = delta_[i] * Numbers::unit;
      });
    }
    /// f(number, query of the tile); beyond the tile nothing is read.
    template <class Function>
    HIPSIGHT_INLINE static void for_numbers(Function f) {
      HIPSIGHT_UNROLL
      for (int i = 0; i < numbers; i++) f(i, i * threads + arch::thread());
    }
    static constexpr int numbers = ceil_div(others, threads);  // of a work-item

    const Arguments& arguments_;
    Shared& to_;
    int batch_;
    bool fits_ = false;
    AttentionCopy<Value, head, tiling> scored_, valued_;
    float log_sum_[numbers], delta_[numbers];
  };

  template <class Result>
  HIPSIGHT_INLINE static void store(const Result& result, const GlobalTile<Value>& to,
                                    float factor) {
    constexpr int width = Result::run < chunk_size<Value> ? Result::run : chunk_size<Value>;
    result.template for_each_run<width>([&](Place at, Vector<float, width> values) {
      HIPSIGHT_UNROLL
      for (int i = 0; i < width; i++) values[i] *= factor;
      const auto rounded = from_f32<Value, width>(values);
      if (to.takes_vectors()) return to.store(at.row, at.column, tiling.wave_queries, rounded);
      HIPSIGHT_UNROLL
      for (int i = 0; i < width; i++)
        to.store_one(at.row, at.column + i, tiling.wave_queries, rounded[i]);
    });
  }
};

}  // namespace hipsight::kernels
