// Softmax of rows.
#pragma once

#include "../activations.h"
#include "operands.h"

namespace hipsight::kernels {

/// y = exp(scale (x - max(x))) / sum: no exponential is more than 1.
template <class In, class Out>
struct Softmax {
  static constexpr bool whole_rows = true;
  static constexpr const char* name = "softmax";
  In in;
  Out out;
  float scale;  // not negative

  template <class Row>
  HIPSIGHT_INLINE void run(Row& row) const {
    const float nothing = -__builtin_inff();
    const auto x = row.keep([&row, in = in, nothing](int part) {
      return row.within(part, load(row, in, part), nothing);
    });
    const float most = row.over_row(x, nothing, Larger{});
    const auto e = row.keep([&, x, most](int part) {
      return each(x(part), [&](float v) { return exponential(scale * (v - most)); });
    });
    const float factor = 1 / row.over_row(e, 0, Plus{});
    store(row, out, [&](int part) { return each(e(part), [&](float v) { return v * factor; }); });
  }
};

}  // namespace hipsight::kernels
