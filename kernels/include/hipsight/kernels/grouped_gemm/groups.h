// The rows of a matrix in groups, and which workgroup takes which of them.
#pragma once

#include "../tile/tile_order.h"
#include "../wave.h"

namespace hipsight::kernels {

/// Group g has the rows from starts[g] on and before starts[g + 1]: `count` + 1 numbers in the
/// memory of the device, none less than the one before it. Rows before the first group and after
/// the last one are left out.
struct RowGroups {
  const int* starts = nullptr;
  int count = 0;
};

/// A tile of a group: the row that it begins at, of all; where the group's end; its column of
/// tiles.
struct GroupTile {
  int group, row, end, column;
};

/// The tiles of all groups, each group's own after those of the one before it. Only the GPU knows
/// how many rows a group has: a workgroup finds its tile by adding up how many tiles there are.
class GroupTiles {
 public:
  GroupTiles() = default;
  /// Of tiles of a result of so many columns of them, of which `together` rows go together, column
  /// by column.
  HIPSIGHT_APART GroupTiles(const RowGroups& groups, int columns, int together)
      : groups_(groups), together_(together), columns_(columns), of_turn_(together * columns) {}

  /// Enough workgroups for any groups of `rows` rows in all: of each group the last tile may have
  /// one row alone.
  static std::int64_t most(const RowGroups& groups, int rows, int tile_rows, int columns) {
    const int with_rows = groups.count < rows ? groups.count : rows;
    return product({with_rows + (rows - with_rows) / tile_rows, columns});
  }

  /// Calls f(GroupTile), if there is a tile for the workgroup.
  template <int tile_rows, class Function>
  HIPSIGHT_INLINE void of(int workgroup, Function f) const {
    const Share share = share_of<tile_rows>(arch::lane());
    const int count = arch::uniform(share.all) * columns_.number;
    if (workgroup >= count) return;
    const int place = place_of(workgroup, natural(count)), number = place / columns_;
    // The lane that has the tile among its groups knows which.
    int group = -1, before = -1;
    if (share.before <= number && number < share.before + share.own)
      for (int g = share.first, at = share.before; at <= number; g++)
        group = g, before = at, at += tiles_of<tile_rows>(g);
    group = arch::uniform(over_lanes(group, Latest{}));
    before = arch::uniform(over_lanes(before, Latest{}));

    const int first = groups_.starts[group], end = groups_.starts[group + 1];
    const int inside = place - before * columns_.number, turn = inside / of_turn_;
    const int rest = ceil_div(end - first, tile_rows) - turn * together_;
    const int rows = natural(rest < together_ ? rest : together_);
    const int of_turn = natural(inside - turn * of_turn_.number), column = of_turn / rows;
    const int row = turn * together_ + of_turn - column * rows;
    f(GroupTile{group, first + row * tile_rows, end, column});
  }

 private:
  struct Latest {
    HIPSIGHT_INLINE int operator()(int a, int b) const { return a > b ? a : b; }
  };

  /// What a lane counts: tiles of groups that follow each other; those of the lanes before it, and
  /// of all.
  struct Share {
    int first, own, before, all;
  };

  template <int tile_rows>
  HIPSIGHT_INLINE int tiles_of(int group) const {
    return ceil_div(groups_.starts[group + 1] - groups_.starts[group], tile_rows);
  }

  template <int tile_rows>
  HIPSIGHT_INLINE Share share_of(int lane) const {
    const int each = ceil_div(groups_.count, arch::wave_size), first = lane * each;
    const int end = first + each < groups_.count ? first + each : groups_.count;
    int own = 0;
    for (int g = first; g < end; g++) own += tiles_of<tile_rows>(g);
    Share share{first, own, 0, own};
    add_lanes<1>(lane, share);
    return share;
  }

  /// Twice as many neighbours know what all of them have, each time; of two, the later ones come
  /// after the others.
  template <int mask>
  HIPSIGHT_INLINE static void add_lanes(int lane, Share& share) {
    if constexpr (mask < arch::wave_size) {
      const int others = arch::exchange<mask>(share.all);
      if (lane & mask) share.before += others;
      share.all += others;
      add_lanes<2 * mask>(lane, share);
    }
  }

  RowGroups groups_;
  int together_ = 1;
  Divisor columns_, of_turn_;
};

}  // namespace hipsight::kernels
