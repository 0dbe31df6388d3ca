// What rows are read from and written to: matrices, and matrices in 8 bits with their scales. An
// operand is whatever has load() and store() below.
#pragma once

#include <algorithm>

#include "row.h"

namespace hipsight::kernels {

template <class Value>
inline constexpr bool is_float =
    std::is_same_v<Value, float> || std::is_same_v<Value, f16> || std::is_same_v<Value, bf16>;
template <class Value>
inline constexpr bool is_8_bits = std::is_same_v<Value, std::int8_t> || is_fp8<Value>;

/// What 8 bits can hold at most.
template <class Value>
inline constexpr float largest_of = 127;
template <bool fnuz>
inline constexpr float largest_of<Float8<fnuz>> = Float8<fnuz>::largest;

/// A value is its 8 bits times a scale. Value is std::int8_t, fp8_e4m3 or fp8_e4m3_fnuz; const if
/// it is read. One scale for all, which is given,
template <class Value>
struct PerTensor {
  RowMajor<Value> values;
  const float* scale;
};

template <class Value>
using ScaleOf = std::conditional_t<std::is_const_v<Value>, const float, float>;

/// one for each row,
template <class Value>
struct PerToken {
  RowMajor<Value> values;
  ScaleOf<Value>* scales;
};

/// or one for each 128 columns of a row: scale (row, column / 128). Those of rows and of blocks are
/// chosen when they are written: the largest magnitude becomes the largest of the type.
template <class Value>
struct PerBlock {
  static constexpr int columns = 128;
  RowMajor<Value> values;
  RowMajor<ScaleOf<Value>> scales;
};

template <class Value>
PerTensor(RowMajor<Value>, const float*) -> PerTensor<Value>;
template <class Value>
PerToken(RowMajor<Value>, ScaleOf<Value>*) -> PerToken<Value>;
template <class Value>
PerBlock(RowMajor<Value>, RowMajor<ScaleOf<Value>>) -> PerBlock<Value>;

/// Whether kernels take it as an operand.
template <class Operand>
inline constexpr bool is_row_operand = false;
template <class Value>
inline constexpr bool is_row_operand<RowMajor<Value>> = is_float<std::remove_const_t<Value>>;
template <class Value>
inline constexpr bool is_row_operand<PerTensor<Value>> = is_8_bits<std::remove_const_t<Value>>;
template <class Value>
inline constexpr bool is_row_operand<PerToken<Value>> = is_8_bits<std::remove_const_t<Value>>;
template <class Value>
inline constexpr bool is_row_operand<PerBlock<Value>> = is_8_bits<std::remove_const_t<Value>>;

template <class Operand>
inline constexpr bool is_read_only = false;
template <class Value>
inline constexpr bool is_read_only<RowMajor<const Value>> = true;
template <template <class> class Scaled, class Value>
inline constexpr bool is_read_only<Scaled<const Value>> = true;

/// A part of a row of an operand, in f32. Beyond the last column: 0.
template <class Row, class Value>
HIPSIGHT_INLINE Part load(const Row& row, const RowMajor<Value>& from, int part) {
  return row.load(from, part);
}

template <class Row, class Value>
HIPSIGHT_INLINE Part load(const Row& row, const PerTensor<Value>& from, int part) {
  const float scale = *from.scale;
  return each(row.load(from.values, part), [&](float x) { return x * scale; });
}

template <class Row, class Value>
HIPSIGHT_INLINE Part load(const Row& row, const PerToken<Value>& from, int part) {
  const float scale = row.exists() ? from.scales[row.row()] : 0;
  return each(row.load(from.values, part), [&](float x) { return x * scale; });
}

template <class Row, class Value>
HIPSIGHT_INLINE Part load(const Row& row, const PerBlock<Value>& from, int part) {
  const bool inside = row.exists() && row.column(part) < row.columns();
  const float scale =
      inside
          ? from.scales
                .data[row.row() * from.scales.stride + row.column(part) / PerBlock<Value>::columns]
          : 0;
  return each(row.load(from.values, part), [&](float x) { return x * scale; });
}

/// The scale that makes `magnitude` the largest of the type; of nearly nothing, so that it has an
/// inverse, 2^-100 over that.
template <class Value>
HIPSIGHT_INLINE float scale_for(float magnitude) {
  return fmaxf(magnitude, 0x1p-100f) / largest_of<std::remove_const_t<Value>>;
}

/// A row of results: values(part), in f32.
template <class Row, class Value, class Function>
HIPSIGHT_INLINE void store(Row& row, const RowMajor<Value>& to, Function values) {
  row.for_parts([&](int part) { row.store(to, part, values(part)); });
}

template <class Row, class Value, class Function>
HIPSIGHT_INLINE void store(Row& row, const PerTensor<Value>& to, Function values) {
  const float factor = 1 / *to.scale;
  row.for_parts([&](int part) {
    row.store(to.values, part, each(values(part), [&](float x) { return x * factor; }));
  });
}

template <class Row, class Value, class Function>
HIPSIGHT_INLINE void store(Row& row, const PerToken<Value>& to, Function values) {
  const auto kept = row.keep(values);
  const auto magnitudes = [&](int part) {
    return row.within(part, each(kept(part), [](float x) { return fabsf(x); }), 0);
  };
  const float scale = scale_for<Value>(row.over_row(magnitudes, 0, Larger{}));
  const float factor = 1 / scale;
  row.for_parts([&](int part) {
    row.store(to.values, part, each(kept(part), [&](float x) { return x * factor; }));
  });
  if (row.leads() && row.exists()) to.scales[row.row()] = scale;
}

template <class Row, class Value, class Function>
HIPSIGHT_INLINE void store(Row& row, const PerBlock<Value>& to, Function values) {
  constexpr int lanes = PerBlock<Value>::columns / part_values;
  row.for_parts([&](int part) {
    const Part mine = values(part);
    const Part magnitudes = row.within(part, each(mine, [](float x) { return fabsf(x); }), 0);
    const float scale = scale_for<Value>(row.template over_part<lanes>(magnitudes, Larger{}));
    const float factor = 1 / scale;
    row.store(to.values, part, each(mine, [&](float x) { return x * factor; }));
    const int column = row.column(part);
    if (row.exists() && column % PerBlock<Value>::columns == 0 && column < row.columns())
      to.scales.data[row.row() * to.scales.stride + column / PerBlock<Value>::columns] = scale;
  });
}

/// Whether the whole row must be known before any of it is written.
template <class Operand>
inline constexpr bool takes_whole_rows = false;
template <class Value>
inline constexpr bool takes_whole_rows<PerToken<Value>> = true;

}  // namespace hipsight::kernels
