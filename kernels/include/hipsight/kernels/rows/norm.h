// RMSNorm and LayerNorm of rows.
#pragma once

#include "operands.h"

namespace hipsight::kernels {

/// Nothing is added before the norm.
struct NoResidual {};

/// What is added to the input before the norm, and where the sum goes, which may be the same
/// memory. What is normalised is the sum as it is stored.
template <class Value>
struct AddResidual {
  RowMajor<const Value> in;
  RowMajor<Value> out;
};
template <class In, class Value>
AddResidual(RowMajor<In>, RowMajor<Value>) -> AddResidual<Value>;

template <class Row, class In>
HIPSIGHT_INLINE auto normalised_input(Row& row, const In& in, NoResidual) {
  return row.keep([&row, in](int part) { return load(row, in, part); });
}

template <class Row, class In, class Value>
HIPSIGHT_INLINE auto normalised_input(Row& row, const In& in, const AddResidual<Value>& residual) {
  const auto add = [&row, in, residual](int part) {
    return each(load(row, in, part), row.load(residual.in, part),
                [](float x, float r) { return x + r; });
  };
  return row.keep_stored(residual.out, add);
}

/// y = x / sqrt(mean(x^2) + epsilon) * weight
template <class In, class Weight, class Out, class Added>
struct RmsNorm {
  static constexpr bool whole_rows = true;
  static constexpr const char* name = "rms_norm";
  In in;
  const Weight* weight;
  Out out;
  Added residual;
  float epsilon;

  template <class Row>
  HIPSIGHT_INLINE void run(Row& row) const {
    const auto x = normalised_input(row, in, residual);
    const auto square = [&](int part) { return each(x(part), [](float v) { return v * v; }); };
    const float mean = row.over_row(square, 0, Plus{}) / static_cast<float>(row.columns());
    const float factor = 1 / sqrtf(mean + epsilon);
    store(row, out, [&](int part) {
      return each(x(part), row.load_shared(weight, part),
                  [&](float v, float w) { return v * factor * w; });
    });
  }
};

/// y = (x - mean(x)) / sqrt(variance(x) + epsilon) * weight + bias
template <class In, class Weight, class Out, class Added>
struct LayerNorm {
  static constexpr bool whole_rows = true;
  static constexpr const char* name = "layer_norm";
  In in;
  const Weight* weight;
  const Weight* bias;
  Out out;
  Added residual;
  float epsilon;

  /// The variance is that of the differences from the mean: with large means, the mean of squares
  /// has no digits left for it.
  template <class Row>
  HIPSIGHT_INLINE void run(Row& row) const {
    const auto x = normalised_input(row, in, residual);
    const float count = static_cast<float>(row.columns());
    const float mean = row.over_row(x, 0, Plus{}) / count;
    const auto square = [&](int part) {
      return row.within(part, each(x(part), [&](float v) { return (v - mean) * (v - mean); }), 0);
    };
    const float variance = row.over_row(square, 0, Plus{}) / count;
    const float factor = 1 / sqrtf(variance + epsilon);
    store(row, out, [&](int part) {
      const Part scaled = each(x(part), row.load_shared(weight, part),
                               [&](float v, float w) { return (v - mean) * factor * w; });
      return each(scaled, row.load_shared(bias, part), Plus{});
    });
  }
};

}  // namespace hipsight::kernels
