// The copy of a tile from global to shared memory.
#pragma once

#include "../convert.h"
#include "global_tile.h"
#include "shared_tile.h"

namespace hipsight::kernels {

/// By `Threads` work-items. `Along`: whether lines (rows of A, columns of B) lie side by side in
/// memory along their depth, and are the rows of the global tile; else they are its columns, and
/// the tile is transposed on the way.
///
/// In two halves, with work between them: start() asks for the data, 16 bytes at a time, finish()
/// waits for it and writes it; for tiles that are as deep as can be, which fits() tells. now()
/// copies any tile, without work between. `Anew`: that places are computed each time, not kept in
/// registers. `From`: the type in global memory, of 8 bits if not that of the shared tile.
template <class Shared, bool Along, int Threads, bool Anew = !Along,
          class From = typename Shared::Element>
class Copy {
  using Value = typename Shared::Element;
  static constexpr int n = chunk_size<From>;
  // A unit is what a work-item copies at a time: a chunk of a line, or, to be transposed, chunks of
  // `unit_depth` rows of memory, for n lines; so deep that all work-items have one, but 4 bytes at
  // least.
  static constexpr int unit_lines = Along ? 1 : n;
  static constexpr int share_of_chunk() {
    int share = 1;
    while (!Along && Shared::lines / n * Shared::chunks * share < Threads &&
           chunk_bytes / share > 4)
      share *= 2;
    return share;
  }
  static constexpr int unit_depth = Along ? n : chunk_size<Value> / share_of_chunk();
  static constexpr int units_of_line = Shared::depth / unit_depth;
  static constexpr int units = Shared::lines / unit_lines * units_of_line;
  static constexpr int turns = ceil_div(units, Threads);
  static constexpr int unit_requests = Along ? 1 : unit_depth;
  static constexpr int rows = Along ? Shared::lines : Shared::depth;  // of the global tile
  static constexpr int columns = Along ? Shared::depth : Shared::lines;
  static_assert(Shared::lines % unit_lines == 0,
                "Copy: to be transposed, a tile needs as many lines as a chunk has elements, or a "
                "multiple");

 public:
  static constexpr int requests = turns * unit_requests;  // to global memory, of a work-item

  template <class Source>
  HIPSIGHT_INLINE static bool fits(const Source& from) {
    return from.template takes_vectors<n>(columns) &&
           (Along ? from.columns : from.rows) >= Shared::depth;
  }

  /// A source gives what is at a row and column, as GlobalTile does; or, of lines that were
  /// numbered by for_lines(), what is at a number and column.
  template <class Source>
  HIPSIGHT_INLINE void start(const Source& from, Shared&) {
    for_units([&](int turn, Place at) {
      HIPSIGHT_UNROLL
      for (int i = 0; i < unit_requests; i++)
        if constexpr (requires { from.template load_line<n>(turn, at.column); })
          staged_[turn][i] = from.template load_line<n>(turn, at.column);
        else
          staged_[turn][i] = Along ? from.template load<n, true>(at.row, at.column, rows)
                                   : from.template load<n>(at.column + i, at.row, rows);
    });
  }

  /// f(number, line) of each line that this work-item copies from, in all of an operand's tiles.
  template <class Function>
  HIPSIGHT_INLINE static void for_lines(Function f) {
    static_assert(Along, "Copy: only lines that lie along their depth in memory have numbers");
    for_units([&](int turn, Place at) { f(turn, at.row); });
  }
  static constexpr int numbered_lines = turns;

  template <int = 0>
  HIPSIGHT_INLINE void finish(Shared& to) const {
    for_units([&](int turn, Place at) {
      Vector<Value, n> values[unit_requests];
      HIPSIGHT_UNROLL
      for (int i = 0; i < unit_requests; i++) values[i] = widen<Value, From, n>(staged_[turn][i]);
      if constexpr (Along) {
        HIPSIGHT_UNROLL
        for (int c = 0; c < n; c += chunk_size<Value>)
          to.template at<Chunk<Value>>(at.row, at.column + c) = chunk_of(values[0], c);
      } else {
        HIPSIGHT_UNROLL
        for (int i = 0; i < unit_lines; i++) {
          Vector<Value, unit_depth> of_line;
          HIPSIGHT_UNROLL
          for (int d = 0; d < unit_depth; d++) of_line[d] = values[d][i];
          to.template at<decltype(of_line)>(at.row + i, at.column) = of_line;
        }
      }
    });
  }

  template <class Source>
  HIPSIGHT_INLINE static void now(const Source& from, Shared& to) {
    static_assert(columns % n == 0, "Copy: the tile's rows in memory are not made of chunks");
    constexpr int across = columns / n;
    for (int i = natural(arch::anew(arch::thread())); i < rows * across; i += Threads) {
      const int row = i / across, column = i % across * n;
      const Vector<Value, n> values =
          widen<Value, From, n>(from.template load_any<n>(row, column, rows));
      if constexpr (Along) {
        HIPSIGHT_UNROLL
        for (int c = 0; c < n; c += chunk_size<Value>)
          to.template at<Chunk<Value>>(row, column + c) = chunk_of(values, c);
      } else {
        HIPSIGHT_UNROLL
        for (int k = 0; k < n; k++) to.template at<Value>(column + k, row) = values[k];
      }
    }
  }

 private:
  /// Neighbours take the parts of a line. f(turn, first line and depth of the unit)
  template <class Function>
  HIPSIGHT_INLINE static void for_units(Function f) {
    const int thread = Anew ? natural(arch::anew(arch::thread())) : arch::thread();
    HIPSIGHT_UNROLL
    for (int turn = 0; turn < turns; turn++) {
      const int unit = turn * Threads + thread;
      if (units % Threads != 0 && unit >= units) break;
      f(turn, Place{unit / units_of_line * unit_lines, unit % units_of_line * unit_depth});
    }
  }

  HIPSIGHT_INLINE static Chunk<Value> chunk_of(const Vector<Value, n>& values, int first) {
    Chunk<Value> chunk;
    HIPSIGHT_UNROLL
    for (int i = 0; i < chunk_size<Value>; i++) chunk[i] = values[first + i];
    return chunk;
  }

  Chunk<From> staged_[turns][unit_requests];
};

/// The same past the registers, where the GPU can and nothing is transposed: what is asked for
/// arrives in shared memory, which must be free already when it is asked for.
template <class Shared, int Threads>
class DirectCopy : public Copy<Shared, true, Threads> {
  using Value = typename Shared::Element;
  static constexpr int all = Shared::lines * Shared::chunks;

 public:
  static constexpr bool possible = arch::direct_copies && all % Threads == 0;
  static constexpr int requests = all / Threads;

  /// Past the registers, only what is aligned.
  template <class Source>
  HIPSIGHT_INLINE static bool fits(const Source& from) {
    return from.aligned && Copy<Shared, true, Threads>::fits(from);
  }

  template <class Source>
  HIPSIGHT_INLINE void start(const Source& from, Shared& to) {
    unroll<requests>([&](auto i) { request<i>(from, to); });
  }
  /// Number i of the requests that start() is made of.
  template <int i, class Source>
  HIPSIGHT_INLINE static void request(const Source& from, Shared& to) {
    const Place at = Shared::place(i * Threads + arch::thread());
    auto* const wave =
        reinterpret_cast<Chunk<Value>*>(to.elements) + i * Threads + arch::wave() * arch::wave_size;
    if constexpr (requires { from.copy_line(i, at.column, wave); })
      from.copy_line(i, at.column, wave);
    else
      from.copy(at.row, at.column, Shared::lines, wave);
  }

  template <class Function>
  HIPSIGHT_INLINE static void for_lines(Function f) {
    unroll<requests>([&](auto i) { f(i, Shared::place(i * Threads + arch::thread()).row); });
  }
  static constexpr int numbered_lines = requests;

  /// Of all copies that were asked for later, `younger` may be under way still.
  template <int younger = 0>
  HIPSIGHT_INLINE void finish(Shared&) const {
    arch::wait_for_copies<younger>();
  }
};

}  // namespace hipsight::kernels
