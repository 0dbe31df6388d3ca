// A row of a matrix as the work-items of a team share it: in parts, with bounds.
#pragma once

#include "../convert.h"
#include "../matrix.h"
#include "plan.h"
#include "team.h"

namespace hipsight::kernels {

/// So many values, in f32.
inline constexpr int part_values = part_size(arch::current);
using Part = Vector<float, part_values>;

/// A part, value by value.
template <class Function>
HIPSIGHT_INLINE Part each(const Part& values, Function f) {
  Part result;
  HIPSIGHT_UNROLL
  for (int i = 0; i < part_values; i++) result[i] = f(values[i]);
  return result;
}

template <class Function>
HIPSIGHT_INLINE Part each(const Part& a, const Part& b, Function f) {
  Part result;
  HIPSIGHT_UNROLL
  for (int i = 0; i < part_values; i++) result[i] = f(a[i], b[i]);
  return result;
}

/// Which row, of how many columns; from `first` on, if it is cut. A team that is smaller than a
/// wave has a row beside those of other teams: `row` is the wave's first one.
struct RowPlace {
  int row, row_of_wave, rows, columns, first;
};

/// Parts go round the team: part p of a member is p teams of parts further. What is beyond the last
/// column reads as 0 and is not written. With registers (`parts` > 0), what is kept stays in them;
/// without, it is made anew each time that it is asked for.
template <int team, int parts>
class Row {
 public:
  static constexpr int n = part_values;

  HIPSIGHT_INLINE Row(const RowPlace& place, typename Team<team>::Shared& shared)
      : place_(place), team_(shared) {}

  HIPSIGHT_INLINE int columns() const { return place_.columns; }
  HIPSIGHT_INLINE int row() const { return place_.row + place_.row_of_wave; }
  /// Whether this member speaks for the team.
  HIPSIGHT_INLINE static bool leads() { return Team<team>::member() == 0; }
  HIPSIGHT_INLINE bool exists() const { return row() < place_.rows; }
  /// Of the part's first value.
  HIPSIGHT_INLINE int column(int part) const {
    return place_.first + (part * team + Team<team>::member()) * n;
  }

  template <class Function>
  HIPSIGHT_INLINE void for_parts(Function f) const {
    if constexpr (parts > 0) {
      HIPSIGHT_UNROLL
      for (int part = 0; part < parts; part++) f(part);
    } else {
      for (int part = 0; place_.first + part * team * n < place_.columns; part++) f(part);
    }
  }

  /// make(part), kept.
  template <class Function>
  HIPSIGHT_INLINE auto keep(Function make) const {
    if constexpr (parts > 0) {
      Kept kept;
      for_parts([&](int part) { kept.part[part] = make(part); });
      return kept;
    } else {
      return make;
    }
  }

  /// make(part), rounded, stored, and kept as it is then in memory.
  template <class Value, class Function>
  HIPSIGHT_INLINE auto keep_stored(const RowMajor<Value>& matrix, Function make) const {
    const auto kept =
        keep([make](int part) { return to_f32<Value, n>(from_f32<Value, n>(make(part))); });
    for_parts([&](int part) { put(matrix, part, from_exact<Value, n>(kept(part))); });
    if constexpr (parts > 0)
      return kept;
    else
      return [this, matrix](int part) { return load(matrix, part); };
  }

  /// The values of this part of the row, in f32.
  template <class Value>
  HIPSIGHT_INLINE Part load(const RowMajor<Value>& matrix, int part) const {
    return load<Value>(base(matrix), start(matrix), matrix.stride, part);
  }

  /// The same of what all rows share.
  template <class Value>
  HIPSIGHT_INLINE Part load_shared(const Value* values, int part) const {
    return load<Value>(values, 0, 0, part);
  }

  template <class Value>
  HIPSIGHT_INLINE void store(const RowMajor<Value>& matrix, int part, const Part& values) const {
    put(matrix, part, from_f32<Value, n>(values));
  }

  template <class Value>
  HIPSIGHT_INLINE void put(const RowMajor<Value>& matrix, int part,
                           const Vector<Value, n>& results) const {
    Value* const to = base(matrix);
    const std::uint32_t from = start(matrix);
    for_pieces<Value>(matrix.data, matrix.stride, [&](auto piece, int i) {
      using Piece = decltype(piece);
      constexpr int count = sizeof(Piece) / sizeof(Value);
      HIPSIGHT_UNROLL
      for (int k = 0; k < count; k++) piece[k] = results[i + k];
      arch::store(to, offset<Value>(from, part, i), end, piece);
    });
    if (!cut(part)) return;
    HIPSIGHT_UNROLL
    for (int i = 0; i < n - 1; i++)
      arch::store(to, offset_of_tail<Value>(from, part, i), end, results[i]);
  }

  /// Values beyond the last column become `fill`.
  HIPSIGHT_INLINE Part within(int part, Part values, float fill) const {
    if (column(part) + n > place_.columns) {
      HIPSIGHT_UNROLL
      for (int i = 0; i < n; i++) values[i] = column(part) + i < place_.columns ? values[i] : fill;
    }
    return values;
  }

  /// op over all values of the row, from `start` on, for which values beyond the last column must
  /// not matter. The order is always the same.
  template <class Function, class Op>
  HIPSIGHT_INLINE float over_row(Function values, float start, Op op) {
    Part all;
    HIPSIGHT_UNROLL
    for (int i = 0; i < n; i++) all[i] = start;
    for_parts([&](int part) { all = each(all, values(part), op); });
    return team_.over_all(over_part(all, op), op);
  }

  /// op over the values of a part, in pairs.
  template <int lanes = 1, class Op>
  HIPSIGHT_INLINE static float over_part(Part values, Op op) {
    HIPSIGHT_UNROLL
    for (int half = n / 2; half > 0; half /= 2) {
      HIPSIGHT_UNROLL
      for (int i = 0; i < half; i++) values[i] = op(values[i], values[i + half]);
    }
    return over_lanes<1, lanes>(values[0], op);
  }

 private:
  struct Kept {
    Part part[parts > 0 ? parts : 1];
    HIPSIGHT_INLINE const Part& operator()(int i) const { return part[i]; }
  };

  static constexpr std::uint32_t end = 1u << 31;  // an offset that does not exist

  /// Of the wave's first row; and how many bytes further this one is.
  template <class Value>
  HIPSIGHT_INLINE Value* base(const RowMajor<Value>& matrix) const {
    return matrix.data + place_.row * matrix.stride;
  }
  template <class Value>
  HIPSIGHT_INLINE std::uint32_t start(const RowMajor<Value>& matrix) const {
    return exists() ? static_cast<std::uint32_t>(place_.row_of_wave * matrix.stride * sizeof(Value))
                    : end;
  }

  /// Of value i of a part; beyond the end if not all of the part exists.
  template <class Value>
  HIPSIGHT_INLINE std::uint32_t offset(std::uint32_t start, int part, int i) const {
    return column(part) + n <= place_.columns
               ? start + static_cast<std::uint32_t>((column(part) + i) * sizeof(Value))
               : end;
  }
  /// Of one value, where the part is the one that the last column cuts.
  template <class Value>
  HIPSIGHT_INLINE std::uint32_t offset_of_tail(std::uint32_t start, int part, int i) const {
    return column(part) + n > place_.columns && column(part) + i < place_.columns
               ? start + static_cast<std::uint32_t>((column(part) + i) * sizeof(Value))
               : end;
  }

  /// Whether a member's part may be the one that the last column cuts: the same for the whole team.
  HIPSIGHT_INLINE bool cut(int part) const {
    const int from = place_.first + part * team * n;
    return place_.columns % n != 0 && from < place_.columns && place_.columns < from + team * n;
  }

  template <class Value>
  HIPSIGHT_INLINE Part load(const Value* from, std::uint32_t start, std::int64_t stride,
                            int part) const {
    using Plain = std::remove_const_t<Value>;
    Vector<Plain, n> values{};
    for_pieces<Plain>(from, stride, [&](auto piece, int i) {
      using Piece = decltype(piece);
      constexpr int count = sizeof(Piece) / sizeof(Value);
      piece = arch::load<Piece>(from, offset<Value>(start, part, i), end);
      HIPSIGHT_UNROLL
      for (int k = 0; k < count; k++) values[i + k] = piece[k];
    });
    Part result = to_f32<Plain, n>(values);
    if (cut(part)) {
      HIPSIGHT_UNROLL
      for (int i = 0; i < n - 1; i++) {
        const auto one = arch::load<Plain>(from, offset_of_tail<Value>(start, part, i), end);
        if (column(part) + n > place_.columns) result[i] = static_cast<float>(one);
      }
    }
    return result;
  }

  /// Calls f(piece, i) for the pieces of a part, each from value i on: as wide as an access can be.
  template <class Value, class Function>
  HIPSIGHT_INLINE static void for_pieces(const void* data, std::int64_t stride, Function f) {
    constexpr int most = arch::current == Architecture::host ? n : chunk_size<Value>;
    constexpr int width = most < n ? most : n;
    if (arch::any_alignment ||
        (reinterpret_cast<std::uintptr_t>(data) % (width * sizeof(Value)) == 0 &&
         stride % width == 0)) {
      HIPSIGHT_UNROLL
      for (int i = 0; i < n; i += width) f(Vector<Value, width>{}, i);
    } else {
      HIPSIGHT_UNROLL
      for (int i = 0; i < n; i++) f(Vector<Value, 1>{}, i);
    }
  }

  RowPlace place_;
  Team<team> team_;
};

}  // namespace hipsight::kernels
