// Rows of a tile that do not lie at one stride.
#pragma once

#include "../attention/sequences.h"
#include "../tile/divisor.h"
#include "../unaligned.h"

namespace hipsight::kernels {

/// The queries of one sequence whose heads share keys, or what becomes of them: all heads of the
/// first query, then those of the next one. Rows beyond the last are read as the last one, and not
/// written.
template <class Value>
struct GroupRows {
  Value* data;                       // the first row
  std::int64_t stride, head_stride;  // from a query to the next, from a head to the next
  Divisor group;                     // heads of a query
  int first, last;                   // the tile's first row, the last row of all

  HIPSIGHT_INLINE int query(int row) const { return inside(row) / group; }
  HIPSIGHT_INLINE int head(int row) const { return inside(row) % group; }

  template <int Count, bool = true>
  HIPSIGHT_INLINE auto load_any(int row, int column, int) const {
    return read<Count>(at(row) + column);
  }

  template <class Values>
  HIPSIGHT_INLINE void store(int row, int column, const Values& values) const {
    if (first + row <= last) write<sizeof values / sizeof(Value)>(at(row) + column, values);
  }

 private:
  HIPSIGHT_INLINE int inside(int row) const { return first + row < last ? first + row : last; }
  HIPSIGHT_INLINE Value* at(int row) const {
    return data + query(row) * stride + inside(row) % group * head_stride;
  }
};

/// A tile of keys or values whose rows lie anywhere: where, stands in shared memory. All that is
/// asked for must exist.
template <class Value>
struct PagedTile {
  const Value* data;
  const std::int64_t* rows;  // bytes from `data` to each

  HIPSIGHT_INLINE PagedTile from(int row, int column) const { return {data + column, rows + row}; }

  template <int Count, bool inside = true>
  HIPSIGHT_INLINE auto load(int row, int column, int) const {
    return arch::load<Vector<Value, Count>>(reinterpret_cast<const char*>(data + column) +
                                            rows[row]);
  }
};

}  // namespace hipsight::kernels
