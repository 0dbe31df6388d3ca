// O = softmax(scale Q K^T) V of few queries, keys and values in the pages of a cache. The heads
// of queries that share keys, and a sequence's queries, are the rows of one tile, so that each key
// is read once; keys are split among workgroups (T. Dao et al., "Flash-Decoding for long-context
// inference", 2023).
#pragma once

#include "../attention/part.h"
#include "arguments.h"
#include "rows.h"
#include "tilings.h"

namespace hipsight::kernels {

/// What one workgroup does: the tile of queries that share a head of the cache, and of the keys
/// that they see one split. Values are the first `value_head` elements of what they lie in.
template <class Value, class Cached, int head, int value_head, class Change = PlainScores>
struct PagedWorkgroup {
  static constexpr PagedTiling tiles_of = paged_tiling(arch::current, head);
  static constexpr AttentionTiling tiling = tiles_of.tile;
  static constexpr int threads = tiling.waves * arch::wave_size;
  static constexpr int rows = tiles_of.rows(), keys = tiling.keys;
  static constexpr int column_waves = tiling.waves / tiles_of.row_waves;
  static constexpr int columns = value_head / column_waves;  // of the results, of a wave

  using Arguments = PagedArguments<Value, Cached, head, value_head, Change>;
  using Part = AttentionPart<Value, head, tiling, columns, value_head>;
  /// Latents (MLA) are keys, of which the first `value_head` elements are the values, too.
  static constexpr bool latent = value_head < head;
  using Copied = AttentionCopy<Value, head, tiling, Cached, value_head>;
  /// A tile's keys make way for its values, so that more workgroups fit a compute unit. Of latents
  /// there are keys alone.
  struct Shared {
    union {
      typename Part::Tiles::KeyPanel k[Part::Tiles::panels];
      typename Part::Tiles::ValueTile v;
    };
    std::int64_t row_at[2][keys];
  };
  static_assert(sizeof(Shared) <= facts(arch::current).shared_bytes,
                "paged_attention: the tiling takes more shared memory than this GPU has");

  HIPSIGHT_INLINE static void run(const Arguments& arguments, Shared& shared, int workgroup) {
    const Place at = arguments.tiles.of(workgroup);
    const int number = at.row / arguments.heads;
    run(arguments, shared, at.column * rows, at.row % arguments.heads, number % arguments.batches,
        number / arguments.batches);
  }

 private:
  HIPSIGHT_INLINE static void run(const Arguments& arguments, Shared& shared, int first,
                                  int key_head, int batch, int split) {
    auto q = group_rows(arguments.q, arguments, first, key_head, batch);
    const Sight sight{arguments.band, arguments.q.length, arguments.cache.table.lengths[batch]};
    const Range some = sight.of_some(q.query(0), q.query(rows - 1));
    const Range each = sight.of_all(q.query(0), q.query(rows - 1));
    if constexpr (tiles_of.row_waves > 1)
      q.first += arch::wave() / column_waves * tiling.wave_queries;
    const int count = some.begin < some.end ? ceil_div(some.end - some.begin, keys) : 0;
    const int share = count / arguments.splits, more = count % arguments.splits;
    const int begin = split * share + (split < more ? split : more);
    const int end = begin + share + (split < more ? 1 : 0);

    const float key_scale = scale_of(arguments.key_scales, key_head);
    const auto cap = arguments.change.cap.times(key_scale);
    Part part{typename Part::Softmax(arguments.factor * key_scale),
              (tiles_of.row_waves > 1 ? arch::wave() % column_waves : arch::wave()) * columns};
    const auto sinks = [&](int row) {
      return arguments.change.sinks.of(key_head * arguments.group.number + q.head(row));
    };
    // Of one of the splits.
    if constexpr (Change::has_sinks)
      if (split == 0) part.softmax.set_sinks(sinks);
    if (begin < end) {
      Tiles tiles(arguments, shared, key_head, batch, some);
      tiles.look_up(begin);
      part.queries.load(q);
      attend(part, tiles, shared, begin, end, [&](int t, const auto& next) {
        const int key = some.begin + t * keys;
        return part.weigh(q, shared.k, next, [&](auto& scores) {
          cap(scores);
          if (key < each.begin || key + keys > each.end)
            part.hide(scores, key, [&](int row) { return sight.of(q.query(row)); });
        });
      });
    }
    store(arguments, part, q.first, key_head, batch, split, sinks);
  }

  HIPSIGHT_INLINE static float scale_of(const float* scales, int key_head) {
    return scales ? scales[key_head] : 1;
  }

  template <class Item, int size>
  HIPSIGHT_INLINE static GroupRows<Item> group_rows(const Sequences<Item, size>& of,
                                                    const Arguments& arguments, int first,
                                                    int key_head, int batch) {
    return {of.data + batch * of.batch_stride + key_head * arguments.group.number * of.head_stride,
            of.stride,
            of.head_stride,
            arguments.group,
            first,
            of.length * arguments.group.number - 1};
  }

  /// The keys that are seen, and their values, as tiles in shared memory. Where a tile's rows lie
  /// is asked for while the tile before it is on its way. Rows beyond are the last one again: their
  /// scores are hidden, and no page is looked up that a sequence need not have.
  class Tiles {
   public:
    HIPSIGHT_INLINE Tiles(const Arguments& arguments, Shared& shared, int key_head, int batch,
                          Range seen)
        : cache_(arguments.cache),
          pages_(cache_.table.pages + static_cast<std::int64_t>(batch) * cache_.table.most),
          first_element_(key_head * cache_.head_stride),
          shift_(arguments.page_shift),
          seen_(seen),
          shared_(shared) {}

    /// Asks where the rows of tile t lie.
    HIPSIGHT_INLINE void look_up(int t) {
      HIPSIGHT_UNROLL
      for (int i = 0; i < turns; i++)
        page_[i] = pages_[place(t, i * threads + arch::thread()) >> shift_];
    }

    /// Writes it for what starts after a barrier.
    HIPSIGHT_INLINE void note(int t) {
      HIPSIGHT_UNROLL
      for (int i = 0; i < turns; i++) {
        const int row = i * threads + arch::thread();
        const int in_page = place(t, row) & ((1 << shift_) - 1);
        const std::int64_t at = page_[i] * cache_.page_stride + in_page * cache_.stride;
        if (row < keys) shared_.row_at[t % 2][row] = at * static_cast<int>(sizeof(Cached));
      }
    }

    HIPSIGHT_INLINE void start_keys(int t) { copy_.start_keys(tile(cache_.keys, t), shared_.k); }
    HIPSIGHT_INLINE void start_values(int t) {
      copy_.start_values(tile(cache_.values, t), shared_.v);
    }
    HIPSIGHT_INLINE void finish_keys() const { copy_.finish_keys(shared_.k); }
    HIPSIGHT_INLINE void finish_values() const { copy_.finish_values(shared_.v); }

   private:
    static constexpr int turns = ceil_div(keys, threads);

    HIPSIGHT_INLINE int place(int t, int row) const {
      const int place = seen_.begin + t * keys + row;
      return place < seen_.end ? place : seen_.end - 1;
    }

    HIPSIGHT_INLINE PagedTile<Cached> tile(const Cached* data, int t) const {
      return {data + first_element_, shared_.row_at[t % 2]};
    }

    const PagedCache<Cached, head>& cache_;
    const int* pages_;
    std::int64_t first_element_;
    int shift_;
    Range seen_;
    Shared& shared_;
    Copied copy_;
    int page_[turns];
  };

  /// The next tile's keys are asked for, and where the rows of the one after lie.
  struct NextKeys {
    static constexpr int requests = Copied::requests_of_keys;
    Tiles& tiles;
    int t;
    HIPSIGHT_INLINE void start() const {
      tiles.start_keys(t);
      tiles.look_up(t + 1);
    }
  };

  /// Tiles `begin`, which is looked up already, to `end`. While a tile's keys are worked on, its
  /// values and the next one's keys are on their way; while its values are, the next one's. Of
  /// latents, the next tile is on its way all the time.
  template <class Weigh>
  HIPSIGHT_INLINE static void attend(Part& part, Tiles& tiles, const Shared& shared, int begin,
                                     int end, Weigh weigh) {
    tiles.note(begin);
    arch::barrier();
    tiles.start_keys(begin);
    tiles.look_up(begin + 1);
    if constexpr (!latent) tiles.start_values(begin);
    for (int t = begin; t < end; t++) {
      tiles.finish_keys();
      tiles.note(t + 1);
      arch::barrier();
      const NextKeys next{tiles, t + 1};
      if constexpr (latent) {
        part.add(weigh(t, next), shared.k);  // beyond the last tile, too: its rows are there
      } else {
        if (t + 1 < end) next.start();
        const auto weights = weigh(t, NoRequests{});
        arch::barrier();
        tiles.finish_values();
        arch::barrier();
        if (t + 1 < end) tiles.start_values(t + 1);
        part.add(weights, shared.v);
      }
      arch::barrier();
    }
  }

  template <class Sinks>
  HIPSIGHT_INLINE static void store(const Arguments& arguments, Part& part, int first, int key_head,
                                    int batch, int split, const Sinks& sinks) {
    const float factor = arguments.value_factor * scale_of(arguments.value_scales, key_head);
    const auto sum = [&] {
      if constexpr (Change::has_sinks)
        if (split == 0) return part.finish_with(sinks, factor);
      return part.finish(factor);
    }();
    const auto rows_of = [&](const auto& sequences) {
      return group_rows(sequences, arguments, first, key_head, batch);
    };
    const PagedResults<Value, value_head>& results = arguments.results;
    if (results.splits == 1) {
      const auto o = rows_of(results.o);
      part.template for_each_result<Value>(
          [&](Place at, const auto& values) { o.store(at.row, at.column, values); });
    } else {
      const auto o = rows_of(results.of_split(split));
      part.template for_each_result<float>(
          [&](Place at, const auto& values) { o.store(at.row, at.column, values); });
      if (part.first_column != 0) return;
      const auto log_sums = rows_of(results.log_sums_of(split));
      part.for_each_log2(
          sum, [&](int row, float log2) { log_sums.store(row, 0, Vector<float, 1>{log2}); });
    }
  }
};

}  // namespace hipsight::kernels
