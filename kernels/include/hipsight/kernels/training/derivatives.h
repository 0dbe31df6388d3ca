// Gradients of operations on rows, value by value or of whole rows, from the gradient of the
// result.
#pragma once

#include "../rows/map.h"

namespace hipsight::kernels {

/// Of gate(g): the derivatives of gate(g) * up by both, times d.
struct Both {
  float gate, up;
};

/// silu'(g) = s + g s (1 - s), with s = 1 / (1 + exp(-g)). It is 0 at -inf, 1 at inf.
struct SiluBackward {
  static constexpr const char* name = "silu_mul_backward";
  HIPSIGHT_INLINE Both operator()(float g, float up, float d) const {
    const float s = g < -87 ? 0 : arch::reciprocal(1 + exponential(-g));
    const float bent = g > 87 || g < -87 ? 0 : g * s * (1 - s);
    return {d * up * (s + bent), d * silu(g)};
  }
};

/// Of gelu's approximation in tanh: with s = 1 / (1 + exp(-2 u)), s + g s (1 - s) 2 u'.
struct GeluBackward {
  static constexpr const char* name = "gelu_mul_backward";
  HIPSIGHT_INLINE Both operator()(float g, float up, float d) const {
    const bool far = g > 12 || g < -12;
    const float square = far ? 0 : g * g;
    const float s =
        g < -12  ? 0
        : g > 12 ? 1
                 : arch::reciprocal(1 + exponential(g * (-1.5957691216f - 0.0713548163f * square)));
    const float slope = 1.5957691216f + 3 * 0.0713548163f * square;  // of 2 u
    const float bent = far ? 0 : g * s * (1 - s) * slope;
    return {d * up * (s + bent), d * gelu(g)};
  }
};

template <class Gate, class Value>
struct GatedBackward {
  static constexpr bool whole_rows = false;
  static constexpr const char* name = Gate::name;
  RowMajor<const Value> gate, up, d_out;
  RowMajor<Value> out, d_up;  // `out`: of the gate

  template <class Row>
  HIPSIGHT_INLINE void run(Row& row) const {
    row.for_parts([&](int part) {
      const Part g = row.load(gate, part), u = row.load(up, part), d = row.load(d_out, part);
      Part of_gate, of_up;
      HIPSIGHT_UNROLL
      for (int i = 0; i < part_values; i++) {
        const Both both = Gate{}(g[i], u[i], d[i]);
        of_gate[i] = both.gate, of_up[i] = both.up;
      }
      row.store(out, part, of_gate);
      row.store(d_up, part, of_up);
    });
  }
};

/// dx = scale y (d - sum(d y)), where y = softmax(scale x)
template <class Value>
struct SoftmaxBackward {
  static constexpr bool whole_rows = true;
  static constexpr const char* name = "softmax_backward";
  RowMajor<const Value> y, d_out;
  RowMajor<Value> out;
  float scale;

  template <class Row>
  HIPSIGHT_INLINE void run(Row& row) const {
    const auto of_y = row.keep([&row, y = y](int part) { return row.load(y, part); });
    const auto of_d = row.keep([&row, d = d_out](int part) { return row.load(d, part); });
    const auto products = [&](int part) {
      return each(of_y(part), of_d(part), [](float a, float b) { return a * b; });
    };
    const float sum = row.over_row(products, 0, Plus{});
    store(row, out, [&](int part) {
      return each(of_y(part), of_d(part), [&](float a, float b) { return scale * a * (b - sum); });
    });
  }
};

/// loss = log(sum(exp(x))) - x[target], of each row; out = factor (softmax(x) - one at the target).
/// A row with a target below 0 counts for nothing; one beyond the last column has no loss that is a
/// number.
template <class Value>
struct CrossEntropy {
  static constexpr bool whole_rows = true;
  static constexpr const char* name = "cross_entropy";
  RowMajor<const Value> in;
  const int* targets;
  float* losses;
  RowMajor<Value> out;  // may be the memory of `in`
  float factor;

  template <class Row>
  HIPSIGHT_INLINE void run(Row& row) const {
    const float nothing = -__builtin_inff();
    const int target = row.exists() ? targets[row.row()] : -1;
    const bool counts = target >= 0, known = counts && target < row.columns();
    // Before others of the team write there.
    const float chosen =
        known ? static_cast<float>(in.data[row.row() * in.stride + target]) : __builtin_nanf("");
    const auto x = row.keep([&row, in = in, nothing](int part) {
      return row.within(part, row.load(in, part), nothing);
    });
    const float most = row.over_row(x, nothing, Larger{});
    const auto e = [&](int part) {
      return each(x(part), [&](float v) { return exponential(v - most); });
    };
    const float sum = row.over_row(e, 0, Plus{});
    const float share = counts ? factor / sum : 0;
    store(row, out, [&](int part) {
      Part gradient = each(e(part), [&](float v) { return v * share; });
      HIPSIGHT_UNROLL
      for (int i = 0; i < part_values; i++)
        if (row.column(part) + i == target) gradient[i] -= factor;
      return gradient;
    });
    if (row.leads() && row.exists())
      losses[row.row()] = counts ? 0.6931471806f * arch::log2(sum) + most - chosen : 0;
  }
};

/// What a step of AdamW does: I. Loshchilov and F. Hutter, "Decoupled weight decay regularization",
/// arXiv 1711.05101.
struct AdamWStep {
  float rate = 1e-3f, beta1 = 0.9f, beta2 = 0.999f, epsilon = 1e-8f, decay = 0.01f;
  int step = 1;               // the first one is 1
  float gradient_factor = 1;  // of gradients that were clipped or scaled
};

/// One step for parameters of any type; its moments, and the parameters that it counts with, are
/// f32.
template <class Value, class Gradient>
struct AdamW {
  static constexpr bool whole_rows = false;
  static constexpr const char* name = "adamw";
  RowMajor<const Gradient> gradient;
  RowMajor<Value> out;  // the parameters
  RowMajor<float> mean, square;
  RowMajor<float> master;  // the parameters in f32; those of `out`, if its data is null
  float rate, beta1, beta2, epsilon, shrink, factor, mean_factor, square_factor;

  template <class Row>
  HIPSIGHT_INLINE void run(Row& row) const {
    row.for_parts([&](int part) {
      const Part d = row.load(gradient, part);
      Part m = row.load(mean, part), v = row.load(square, part);
      Part p = master.data ? row.load(master, part) : row.load(out, part);
      HIPSIGHT_UNROLL
      for (int i = 0; i < part_values; i++) {
        const float g = d[i] * factor;
        m[i] = beta1 * m[i] + (1 - beta1) * g;
        v[i] = beta2 * v[i] + (1 - beta2) * g * g;
        p[i] =
            p[i] * shrink - rate * (m[i] * mean_factor) / (sqrtf(v[i] * square_factor) + epsilon);
      }
      row.store(mean, part, m);
      row.store(square, part, v);
      if (master.data) row.store(master, part, p);
      row.store(out, part, p);
    });
  }
};

}  // namespace hipsight::kernels
