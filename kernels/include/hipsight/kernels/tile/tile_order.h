// The order in which workgroups take tiles.
#pragma once

#include "../arch/current.h"
#include "../arch/layout.h"
#include "divisor.h"

namespace hipsight::kernels {

/// The place, of `count`, of a workgroup. GPUs of several dies give them workgroups in turn: each
/// die gets places one after the other, as its L2 keeps what neighbours share.
HIPSIGHT_INLINE int place_of(int workgroup, int count) {
  constexpr int dies = facts(arch::current).dies;
  const int each = count / dies, more = count % dies;  // the first `more` dies take one more
  const int die = workgroup % dies;
  return workgroup / dies + die * each + (die < more ? die : more);
}

/// Rows x columns tiles, of which `group` rows go together, column by column. Made by the host.
class TileOrder {
 public:
  TileOrder() = default;
  HIPSIGHT_APART TileOrder(int rows, int columns, int group)
      : rows_(rows),
        count_(rows * columns),
        group_(group),
        of_group_(group * columns),
        rows_of_group_(group),
        rows_of_last_(rows % group) {}

  /// The tile of a place in the order.
  HIPSIGHT_INLINE Place operator[](int place) const {
    const int number = place / of_group_, first_row = number * group_;
    const int inside = place - number * of_group_.number;
    const Divisor& by = first_row + group_ <= rows_ ? rows_of_group_ : rows_of_last_;
    const int column = inside / by;
    return {first_row + inside - column * by.number, column};
  }

  /// The tile of a workgroup.
  HIPSIGHT_INLINE Place of(int workgroup) const {
    return (*this)[place_of(workgroup, natural(count_))];
  }

 private:
  int rows_ = 0, count_ = 0, group_ = 1;
  Divisor of_group_, rows_of_group_, rows_of_last_;
};

}  // namespace hipsight::kernels
