// GEMMs whose tiles do not fill the GPU: several workgroups share a tile, each sums a part of its
// depth. The last part's waits for the sums of the others, and adds them to its own. The order of
// all sums is given, so that the same call gives the same bits.
#pragma once

#include "../tile/divisor.h"
#include "../tile/register_tile.h"
#include "../workspace.h"
#include "scales.h"
#include "tilings.h"

namespace hipsight::kernels {

/// What shares of the depth count in: whole tiles, and whole blocks where these have factors.
HIPSIGHT_INLINE constexpr int share_unit(const Tiling& tiling, int element_bytes, bool scaled) {
  const int depth = tiling.depth_bytes / element_bytes;
  return scaled && depth < scale_block ? scale_block : depth;
}

/// Whether a share is a part of one tile. Of small and tiny tiles, whose work is so short that a
/// loop over parts shows: what it takes to begin is a tenth of that.
HIPSIGHT_INLINE constexpr bool has_only_parts(TileSize size) {
  return size == TileSize::small || size == TileSize::tiny;
}

/// A workgroup's part of a tile.
struct TilePart {
  int batch, tile;  // its place in the order of tiles
  int from, to;     // of its depth, in units
  int before;       // parts of it that come before this one
  int first, mine;  // the workgroups that have its first part and this one
  bool is_last;
};

/// The depth of all tiles of all batches, end to end, in equal shares, one for each workgroup:
/// "Stream-K" (M. Osama et al., PPoPP 2023, arXiv 2301.03598).
class DepthShares {
 public:
  DepthShares() = default;
  /// `count` shares or fewer, of tiles that are `deep` units deep. If it is a multiple of the
  /// tiles, none has parts of two: a tile's last one is smaller instead. GPUs of several dies give
  /// them workgroups in turn: if all have as many tiles, each die gets tiles that follow each
  /// other, as its L2 keeps what neighbours share. `left`: what flags are set to (problem.h).
  DepthShares(int tiles, int batches, int deep, int count, int dies, const Workspace& workspace,
              unsigned left)
      : dies_(tiles * batches % dies == 0 && count % dies == 0 ? dies : 1),
        of_batch_(tiles),
        of_die_(tiles * batches / dies_.number),
        deep_(counted_depth(tiles * batches, deep, count)),
        units_(of_die_ * deep_.number),
        each_(ceil_div(units_, count / dies_.number)),
        parts_(deep_.number / each_.number),
        left_(left),
        flags_(static_cast<unsigned*>(workspace.data)),
        sums_(reinterpret_cast<float*>(static_cast<char*>(workspace.data) + flag_bytes)) {}

  /// Workgroups that have one.
  int count() const { return dies_.number * ceil_div(units_, each_.number); }

  static constexpr int most = 1024, flag_step = 16;  // each flag in a line of its own
  static constexpr std::size_t flag_bytes = sizeof(unsigned) * most * flag_step;

  /// Of each tile, where no share has parts of two.
  int parts() const { return parts_; }

  /// f(TilePart) for all tiles of which a workgroup has a part. What others wait for is first.
  template <class Function>
  HIPSIGHT_INLINE void for_each_part(int workgroup, Function f) const {
    const int share = workgroup / dies_, die = workgroup - share * dies_.number;
    const int begin = share * each_.number;
    int to = begin + each_.number < units_ ? begin + each_.number : units_;
    do {
      const int tile = (to - 1) / deep_, start = tile * deep_.number;
      const int from = begin > start ? begin : start;
      const int first = start / each_;
      const int number = die * of_die_ + tile, batch = number / of_batch_;
      f(TilePart{batch, number - batch * of_batch_.number, from - start, to - start, share - first,
                 first * dies_.number + die, workgroup, to - start == deep_.number});
      to = from;
    } while (to > begin);
  }
  /// Part number `part`, of parts(), on GPUs of one die: without divisions.
  HIPSIGHT_INLINE TilePart only_part(int batch, int tile, int part) const {
    const int from = part * each_.number, to = from + each_.number;
    const int first = (batch * of_batch_.number + tile) * parts_;
    return {batch, tile, from, to, part, first, first + part, to == deep_.number};
  }

  /// The sum that a workgroup leaves in memory, of so many values: one at the most.
  HIPSIGHT_INLINE float* sum(int workgroup, int values) const {
    return sums_ + static_cast<std::int64_t>(workgroup) * values;
  }
  /// It is there.
  HIPSIGHT_INLINE void left(int workgroup) const { arch::set_flag(flag(workgroup), left_); }
  /// Waits until it is.
  HIPSIGHT_INLINE void await(int workgroup) const {
    while (arch::read_flag(flag(workgroup)) != left_) arch::pause();
  }
  /// It was read: no flag is set when the launch ends.
  HIPSIGHT_INLINE void forget(int workgroup) const { arch::set_flag(flag(workgroup), 0); }
  /// From the workgroup of one part of a tile to that of the next one.
  HIPSIGHT_INLINE int step() const { return dies_.number; }

 private:
  HIPSIGHT_INLINE unsigned* flag(int workgroup) const { return flags_ + workgroup * flag_step; }
  /// With what a last part has less than others.
  static int counted_depth(int tiles, int deep, int count) {
    if (count % tiles != 0) return deep;
    const int each = ceil_div(deep, count / tiles);
    return ceil_div(deep, each) * each;
  }

  Divisor dies_, of_batch_;  // tiles of a batch
  int of_die_ = 0;           // tiles of a die
  Divisor deep_;
  int units_ = 0;  // of a die
  Divisor each_;
  int parts_ = 1;  // of a tile
  unsigned left_ = 0;
  unsigned* flags_ = nullptr;
  float* sums_ = nullptr;
};

/// The sums of a tile's parts, of which each lane has `Sum`'s values. In memory they lie as lanes
/// hold them, so that accesses fill lines. `Under_way`: chunks of others that a lane asks for
/// together.
template <class Sum, int Threads, int Under_way>
struct PartSums {
  static constexpr int width = chunk_size<float>;
  static constexpr int values_of_row_block = Sum::column_blocks * Sum::elements;
  static constexpr int values = Sum::row_blocks * values_of_row_block, chunks = values / width;
  static_assert(Sum::elements % width == 0, "PartSums: a lane must hold whole chunks");

  const DepthShares& shares;
  const TilePart& part;
  int rows;  // of the wave that exist
  // Where places are computed here, they take no registers earlier.
  int thread = natural(arch::anew(arch::thread())), lane = thread % arch::wave_size;

  /// Of a part that is not the last one, which is to add these.
  HIPSIGHT_INLINE void leave(const Sum& sum) const {
    const GlobalTile<float> to = of(part.mine, chunks);
    HIPSIGHT_UNROLL
    for (int c = 0; c < chunks; c++) {
      Vector<float, width> chunk;
      HIPSIGHT_UNROLL
      for (int k = 0; k < width; k++)
        chunk[k] = step_of(sum, c * width)[(c * width + k) % Sum::elements];
      to.store(c, column(c), chunks, chunk);
    }
    arch::publish();
    arch::barrier();
    if (thread == 0) shares.left(part.mine);
  }

  /// For the last part: adds the others, when they are there. They wait for nobody before they are,
  /// and their workgroups have lower indices: these start in the order of their indices, so that
  /// each of them runs or has run, however little of the GPU this launch is given.
  HIPSIGHT_INLINE void add_others(Sum& sum) const {
    const int others = part.before;
    for (int p = thread; p < others; p += Threads) shares.await(part.first + p * shares.step());
    arch::barrier();
    arch::refresh();
    const int step = shares.step() * chunks, rows = others * step;
    const GlobalTile<float> from = of(part.first, rows);
    HIPSIGHT_UNROLL
    for (int first = 0; first < chunks; first += chunks_at_once)
      for (int p = 0; p < others; p += parts_at_once) {
        Vector<float, width> some[parts_at_once][chunks_at_once];
        HIPSIGHT_UNROLL
        for (int q = 0; q < parts_at_once; q++) {
          HIPSIGHT_UNROLL
          for (int c = 0; c < chunks_at_once; c++)
            some[q][c] = from.template load<width, true>((p + q) * step + first + c,
                                                         column(first + c), rows);
        }
        HIPSIGHT_UNROLL
        for (int q = 0; q < parts_at_once; q++) {
          HIPSIGHT_UNROLL
          for (int v = 0; v < chunks_at_once * width; v++)
            step_of(sum, first * width + v)[(first * width + v) % Sum::elements] +=
                some[q][v / width][v % width];
        }
      }
    for (int p = thread; p < others; p += Threads) shares.forget(part.first + p * shares.step());
  }

 private:
  static constexpr int chunks_at_once = chunks < Under_way ? chunks : Under_way;
  static constexpr int parts_at_once = Under_way / chunks_at_once;
  static_assert(chunks % chunks_at_once == 0, "PartSums: not so many chunks at a time");

  /// A row for each of a lane's chunks; of a workgroup's sum, and of those that follow.
  HIPSIGHT_INLINE GlobalTile<float> of(int workgroup, int rows) const {
    return {shares.sum(workgroup, values * Threads), rows, Threads * width, Threads * width, true};
  }

  /// Beyond all of them, where the chunk's row of the result does not exist.
  HIPSIGHT_INLINE int column(int chunk) const {
    constexpr Layout held = Sum::layout;
    const int row = chunk * width / values_of_row_block * Sum::Step::layout.rows +
                    held(lane, chunk * width % Sum::elements).row;
    return row < rows ? thread * width : 1 << 29;
  }

  /// The step that a lane's value is of.
  template <class SumOf>
  HIPSIGHT_INLINE static auto& step_of(SumOf& sum, int v) {
    return sum.block[v / values_of_row_block][v % values_of_row_block / Sum::elements];
  }
};

}  // namespace hipsight::kernels
