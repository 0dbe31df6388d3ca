// GEMMs of few tiles and much depth: several workgroups share a tile, each sums a part of its
// depth. The last part's waits for the sums of the others, and adds them to its own. The order of
// all sums is given, so that the same call gives the same bits.
#pragma once

#include "../tile/register_tile.h"
#include "../workspace.h"
#include "tilings.h"

namespace hipsight::kernels {

/// The depth in parts.
struct SplitDepth {
  int count = 1;            // parts of the depth
  int depth = INT32_MAX;    // of each, or less
  int* counters = nullptr;  // of a tile's parts that are in memory: 0, before and after
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

/// One workgroup's part of a tile, of which each lane has `Sum`'s values. In memory they lie as
/// lanes hold them, so that accesses fill lines.
template <class Sum, int Threads>
struct SplitTile {
  static constexpr int width = chunk_size<float>;
  static constexpr int values_of_row_block = Sum::column_blocks * Sum::elements;
  static constexpr int values = Sum::row_blocks * values_of_row_block, chunks = values / width;
  static_assert(Sum::elements % width == 0, "SplitTile: a lane must hold whole chunks");

  int count, part;
  int* counter;
  int rows;     // of the wave that exist
  float* sums;  // of all parts

  HIPSIGHT_INLINE SplitTile(const SplitDepth& split, int tile, int part, int rows)
      : count(split.count),
        part(part),
        counter(split.counters + tile * SplitDepth::counter_step),
        rows(rows),
        sums(split.sums + static_cast<std::int64_t>(tile) * split.count * values * Threads) {}

  HIPSIGHT_INLINE bool is_last() const { return part == count - 1; }

  /// For all parts but the last, which is to add these.
  HIPSIGHT_INLINE void leave(const Sum& sum) const {
    const GlobalTile<float> mine = of(part);
    HIPSIGHT_UNROLL
    for (int c = 0; c < chunks; c++) {
      Vector<float, width> chunk;
      HIPSIGHT_UNROLL
      for (int k = 0; k < width; k++)
        chunk[k] = step_of(sum, c * width)[(c * width + k) % Sum::elements];
      mine.store(c, column(c), chunks, chunk);
    }
    arch::publish();
    arch::barrier();
    if (arch::thread() == 0) arch::count_up(counter);
  }

  /// For the last part: adds the others, when they are there. They wait for nobody, and have lower
  /// indices: workgroups start in the order of these, so that each of them runs or has run, however
  /// little of the GPU this launch is given.
  HIPSIGHT_INLINE void add_others(Sum& sum) const {
    const int others = count - 1;
    if (arch::thread() == 0) {
      while (arch::counted(counter) < others) arch::pause();
      arch::reset(counter);
    }
    arch::barrier();
    arch::refresh();
    HIPSIGHT_UNROLL
    for (int first = 0; first < chunks; first += chunks_at_once)
      for (int p = 0; p < others; p += parts_at_once) {
        Vector<float, width> some[parts_at_once][chunks_at_once];
        HIPSIGHT_UNROLL
        for (int q = 0; q < parts_at_once; q++) {
          GlobalTile<float> other = of(p + q);
          if (p + q >= others) other.rows = 0;
          HIPSIGHT_UNROLL
          for (int c = 0; c < chunks_at_once; c++)
            some[q][c] = other.template load<width>(first + c, column(first + c), chunks);
        }
        HIPSIGHT_UNROLL
        for (int q = 0; q < parts_at_once; q++) {
          HIPSIGHT_UNROLL
          for (int v = 0; v < chunks_at_once * width; v++)
            step_of(sum, first * width + v)[(first * width + v) % Sum::elements] +=
                some[q][v / width][v % width];
        }
      }
  }

 private:
  // So many are on their way together.
  static constexpr int at_once = 16;
  static constexpr int chunks_at_once = chunks < at_once ? chunks : at_once;
  static constexpr int parts_at_once = at_once / chunks_at_once;
  static_assert(chunks % chunks_at_once == 0, "SplitTile: not so many chunks at a time");

  /// A row for each of a lane's chunks.
  HIPSIGHT_INLINE GlobalTile<float> of(int p) const {
    return {sums + static_cast<std::int64_t>(p) * values * Threads, chunks, Threads * width,
            Threads * width, true};
  }

  /// Beyond the last one, where the chunk's row of the result does not exist.
  HIPSIGHT_INLINE int column(int chunk) const {
    constexpr Layout held = Sum::layout;
    const int row = chunk * width / values_of_row_block * Sum::Step::layout.rows +
                    held(arch::lane(), chunk * width % Sum::elements).row;
    return row < rows ? arch::thread() * width : Threads * width;
  }

  /// The step that a lane's value is of.
  template <class S>
  HIPSIGHT_INLINE static auto& step_of(S& sum, int v) {
    return sum.block[v / values_of_row_block][v % values_of_row_block / Sum::elements];
  }
};

}  // namespace hipsight::kernels
