// A tile of rows that lie anywhere in a matrix, with the bounds of a GlobalTile.
#pragma once

#include "global_tile.h"

namespace hipsight::kernels {

/// Row r of the tile is row index[r] of the matrix, all of which is within 2 GiB. A row that the
/// matrix does not have reads as zeros, and what is written to it vanishes. `data` and `columns`
/// are the matrix's, from the tile's first column on; `rows` are those of the tile that exist.
template <class Value>
struct IndexedTile : GlobalTile<Value> {
  using typename GlobalTile<Value>::Plain;

  const int* index;
  int matrix_rows;

  HIPSIGHT_INLINE IndexedTile from(int row, int column) const {
    return {{this->data + column, this->rows - row, this->columns - column, this->stride,
             this->aligned},
            index + row,
            matrix_rows};
  }

  /// Bytes that the matrix has.
  HIPSIGHT_INLINE std::uint32_t limit(int = 0) const {
    return static_cast<std::uint32_t>(matrix_rows) * this->stride * sizeof(Value);
  }

  /// What is kept of a row while its columns are read: how many bytes after `data` it begins.
  using Line = std::uint32_t;
  HIPSIGHT_INLINE Line line(int row) const {
    const std::uint32_t known =
        this->rows > 0 ? static_cast<std::uint32_t>(this->rows) * sizeof(int) : 0;
    const auto at = static_cast<std::uint32_t>(row) * static_cast<std::uint32_t>(sizeof(int));
    const auto number = static_cast<std::uint32_t>(arch::load<int>(index, at, known));
    return row < this->rows && number < static_cast<std::uint32_t>(matrix_rows)
               ? number * this->stride * static_cast<std::uint32_t>(sizeof(Value))
               : nowhere;
  }

  /// Count values of a row, wherever the last column is.
  template <int Count>
  HIPSIGHT_INLINE auto load_any(int row, int column, int) const {
    const Line first = line(row);
    if (this->takes_vectors() && column + Count <= this->columns)
      return arch::load<Vector<Plain, Count>>(this->data, offset(first, column), limit());
    Vector<Plain, Count> values;
    HIPSIGHT_UNROLL
    for (int i = 0; i < Count; i++)
      values[i] = arch::load<Plain>(this->data, offset(first, column + i), limit());
    return values;
  }

  template <class Values>
  HIPSIGHT_INLINE void store(int row, int column, int, const Values& values) const {
    arch::store(this->data, offset(line(row), column), limit(), values);
  }
  HIPSIGHT_INLINE void store_one(int row, int column, int, const Value& value) const {
    arch::store(this->data, offset(line(row), column), limit(), value);
  }

  /// In bytes after `data`, of a column that exists.
  HIPSIGHT_INLINE std::uint32_t offset_of(Line first, int column) const {
    return first + static_cast<std::uint32_t>(column) * static_cast<std::uint32_t>(sizeof(Value));
  }

 private:
  static constexpr std::uint32_t nowhere = 1u << 31;

  HIPSIGHT_INLINE std::uint32_t offset(Line first, int column) const {
    return column < this->columns ? offset_of(first, column) : nowhere;
  }
};

}  // namespace hipsight::kernels
