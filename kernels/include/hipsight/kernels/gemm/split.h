// GEMMs of few tiles and much depth: several workgroups share a tile, each sums a part of its
// depth. When all parts are in memory, each workgroup adds up its share of the tile. The order of
// all sums is given, so that the same call gives the same bits.
#pragma once

#include "../tile/global_tile.h"
#include "../workspace.h"
#include "tilings.h"

namespace hipsight::kernels {

/// The depth in parts.
struct SplitDepth {
  int count = 1;            // parts of the depth
  int depth = INT32_MAX;    // of each, or less
  int* counters = nullptr;  // of workgroups that share a tile: 0, before and after
  float* sums = nullptr;    // a tile's parts one after the other, then the next tile's

  static constexpr int most_tiles = 256, counter_step = 16;  // each counter in a line of its own
  static constexpr std::size_t counter_bytes = sizeof(int) * most_tiles * counter_step;

  /// In a workspace: the counters first, for any problem at the same place.
  static SplitDepth in(const Workspace& workspace, int count, int depth) {
    char* const data = static_cast<char*>(workspace.data);
    return {count, depth, reinterpret_cast<int*>(data),
            reinterpret_cast<float*>(data + counter_bytes)};
  }
};

/// One workgroup's part of a tile.
template <int Rows, int Columns, int Threads>
struct SplitTile {
  static constexpr int elements = Rows * Columns;
  static constexpr int width = chunk_size<float>;

  int count, part;
  int* counter;
  int rows;     // that exist
  float* sums;  // of all parts

  HIPSIGHT_INLINE SplitTile(const SplitDepth& split, int tile, int part, int rows)
      : count(split.count),
        part(part),
        counter(split.counters + tile * SplitDepth::counter_step),
        rows(rows < Rows ? rows : Rows),
        sums(split.sums + static_cast<std::int64_t>(tile) * split.count * elements) {}

  /// Where this part's sums go.
  HIPSIGHT_INLINE GlobalTile<float> mine() const {
    return {sums + static_cast<std::int64_t>(part) * elements, rows, Columns, Columns, true};
  }

  /// Waits until all parts are there. Their workgroups follow each other and fit on the GPU
  /// together, so that all of them run.
  HIPSIGHT_INLINE void meet() const {
    arch::publish();
    arch::barrier();
    if (arch::thread() == 0) {
      arch::count_up(counter);
      while (arch::counted(counter) < count) arch::pause();
      if (arch::count_up(counter) == 2 * count - 1) arch::reset(counter);  // the last one to leave
    }
    arch::barrier();
    arch::refresh();
  }

  /// Calls f(place in the tile, Vector<float, width>) for this workgroup's share of the results.
  template <class F>
  HIPSIGHT_INLINE void for_each_run(F f) const {
    const int runs = rows * (Columns / width), share = ceil_div(runs, count);
    const GlobalTile<const float> all{sums, count * Rows, Columns, Columns, true};
    for (int i = arch::thread(); i < share; i += Threads) {
      const int run = part * share + i;
      if (run >= runs) break;
      const Place at{run / (Columns / width), run % (Columns / width) * width};
      const auto load = [&](int p) {
        return all.template load<width, true>(p * Rows + at.row, at.column, count * Rows);
      };
      Vector<float, width> sum = load(0);
      for (int first = 1; first < count; first += at_once) {
        Vector<float, width> some[at_once];
        HIPSIGHT_UNROLL
        for (int p = 0; p < at_once; p++) some[p] = load(first + p < count ? first + p : first);
        HIPSIGHT_UNROLL
        for (int p = 0; p < at_once; p++)
          if (first + p < count) {
            HIPSIGHT_UNROLL
            for (int v = 0; v < width; v++) sum[v] += some[p][v];
          }
      }
      f(at, sum);
    }
  }

 private:
  static constexpr int at_once = 8;  // that are on their way together
};

}  // namespace hipsight::kernels
