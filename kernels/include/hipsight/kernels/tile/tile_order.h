// Which tile of the result a workgroup takes.
#pragma once

#include "../arch/current.h"

namespace hipsight::kernels {

/// Tile `workgroup` of rows x columns tiles. GPUs of several dies give them workgroups in turn:
/// each die gets neighbouring tiles, as its L2 keeps what they share. Among those, `group` rows of
/// tiles go together, column by column.
HIPSIGHT_INLINE Place tile_of(int workgroup, int rows, int columns, int group) {
  constexpr int dies = facts(arch::current).dies;
  const int count = rows * columns;
  const int each = count / dies, more = count % dies;  // the first `more` dies take one more
  const int die = workgroup % dies;
  int tile = workgroup / dies + die * each + (die < more ? die : more);

  const int first_row = tile / (group * columns) * group;
  const int group_rows = rows - first_row < group ? rows - first_row : group;
  tile %= group * columns;
  return {first_row + tile % group_rows, tile / group_rows};
}

}  // namespace hipsight::kernels
