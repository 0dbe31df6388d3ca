// A tile in global memory, with its bounds.
#pragma once

#include <type_traits>

#include "../arch/current.h"

namespace hipsight::kernels {

/// What of a matrix a workgroup may touch, from the tile's first element on. Beyond the bounds,
/// reads are zero and writes vanish. The tile must be the same for all lanes of a wave.
template <class Value>
struct GlobalTile {
  using Plain = std::remove_const_t<Value>;

  Value* data;
  int rows, columns;  // that exist from here on; 0 or less: none
  int stride;         // elements from a row to the next, a tile spans less than 2 GiB
  bool aligned;       // data and stride are multiples of 16 bytes

  /// The tile that begins `row` rows and `column` columns further.
  HIPSIGHT_INLINE GlobalTile from(int row, int column) const {
    return {data + (static_cast<std::int64_t>(row) * stride + column), rows - row, columns - column,
            stride, aligned};
  }

  /// Whether accesses may be of several values.
  HIPSIGHT_INLINE bool takes_vectors() const { return arch::any_alignment || aligned; }

  /// Whether a tile of `width` columns can be accessed Count values at a time: none is half in
  /// bounds.
  template <int Count>
  HIPSIGHT_INLINE bool takes_vectors(int width) const {
    return takes_vectors() && (columns >= width || columns % Count == 0);
  }

  /// The place, or the nearest one from which on `width` columns are in bounds, if there are any.
  HIPSIGHT_INLINE Place inside(Place at, int width) const {
    const int last = columns < width ? 0 : columns - width;
    return {at.row < rows ? at.row : rows - 1, at.column < last ? at.column : last};
  }

  /// Count values of a row, at once: where takes_vectors<Count>(). Inside: all its columns are
  /// known to exist.
  template <int Count, bool inside = false>
  HIPSIGHT_INLINE auto load(int row, int column, int tile_rows) const {
    return load_below<Count, inside>(row, column, limit(tile_rows));
  }

  /// The same of a tile whose limit() is known.
  template <int Count, bool inside = false>
  HIPSIGHT_INLINE auto load_below(int row, int column, std::uint32_t limit) const {
    return arch::load<Vector<Plain, Count>>(data, offset<inside>(row, column), limit);
  }

  /// A chunk of each lane's row, straight to to[lane].
  HIPSIGHT_INLINE void copy(int row, int column, int tile_rows, Chunk<Plain>* to) const {
    copy_below(row, column, limit(tile_rows), to);
  }
  HIPSIGHT_INLINE void copy_below(int row, int column, std::uint32_t limit,
                                  Chunk<Plain>* to) const {
    arch::copy_to_shared<Plain>(data, offset<true>(row, column), limit, to);
  }

  /// Bytes from `data` on that belong to rows: what is beyond is out of bounds.
  HIPSIGHT_INLINE std::uint32_t limit(int tile_rows) const {
    const int count = rows < tile_rows ? rows : tile_rows;
    return count > 0 ? static_cast<std::uint32_t>(count) * stride * sizeof(Value) : 0;
  }

  /// Count values of a row, wherever the last column is, or inside.
  template <int Count, bool inside = false>
  HIPSIGHT_INLINE auto load_any(int row, int column, int tile_rows) const {
    if (takes_vectors() && (inside || column + Count <= columns))
      return load<Count, inside>(row, column, tile_rows);
    Vector<Plain, Count> values;
    HIPSIGHT_UNROLL
    for (int i = 0; i < Count; i++) values[i] = load_one(row, column + i, tile_rows);
    return values;
  }

  HIPSIGHT_INLINE auto load_one(int row, int column, int tile_rows) const {
    return arch::load<Plain>(data, offset(row, column), limit(tile_rows));
  }

  template <class Values>
  HIPSIGHT_INLINE void store(int row, int column, int tile_rows, const Values& values) const {
    arch::store(data, offset(row, column), limit(tile_rows), values);
  }

  HIPSIGHT_INLINE void store_one(int row, int column, int tile_rows, const Value& value) const {
    arch::store(data, offset(row, column), limit(tile_rows), value);
  }

 private:
  template <bool inside = false>
  HIPSIGHT_INLINE std::uint32_t offset(int row, int column) const {
    const auto at = (static_cast<std::uint32_t>(row) * stride + column) * sizeof(Value);
    return inside || column < columns ? static_cast<std::uint32_t>(at) : 1u << 31;
  }
};

}  // namespace hipsight::kernels
