// Operations on the rows of matrices, computed in f32.
//
//   RowMajor<const bf16> x{data, tokens, columns, columns};   // pointer, rows, columns, stride
//   RowMajor<bf16> y{...};
//   if (Status status = rms_norm(stream, x, weight, y, 1e-6f); !status) fail(status.error);
//   rms_norm(stream, x, weight, PerToken(q, scales), 1e-6f, AddResidual(residual, residual));
//
// Inputs and outputs are f32, f16 or bf16, or 8 bits with scales: PerTensor, PerToken, PerBlock
// (rows/operands.h). Algorithm, teams, numbers: docs/kernels/rows.md.
#pragma once

#include "rows/launch.h"

namespace hipsight::kernels {

/// out = x / sqrt(mean(x^2) + epsilon) * weight, by row; x is `in`, or in + residual.
template <class In, class Weight, class Out, class Added = NoResidual>
Status rms_norm(Stream stream, const In& in, const Weight* weight, const Out& out, float epsilon,
                const Added& residual = {}) {
  return run_rows(stream, rms_norm_problem(in, weight, out, epsilon, residual));
}

/// out = (x - mean(x)) / sqrt(variance(x) + epsilon) * weight + bias, by row.
template <class In, class Weight, class Bias, class Out, class Added = NoResidual>
Status layer_norm(Stream stream, const In& in, const Weight* weight, const Bias* bias,
                  const Out& out, float epsilon, const Added& residual = {}) {
  return run_rows(stream, layer_norm_problem(in, weight, bias, out, epsilon, residual));
}

/// out = softmax(scale * in), by row; the scale must be positive.
template <class In, class Out>
Status softmax(Stream stream, const In& in, const Out& out, float scale = 1) {
  return run_rows(stream, softmax_problem(in, out, scale));
}

/// out = silu(gate) * up
template <class In, class Out>
Status silu_mul(Stream stream, const In& gate, const In& up, const Out& out) {
  return run_rows(stream, gated_problem<SiluGate>(gate, up, out));
}

/// out = gelu(gate) * up, with gelu's approximation in tanh
template <class In, class Out>
Status gelu_mul(Stream stream, const In& gate, const In& up, const Out& out) {
  return run_rows(stream, gated_problem<GeluGate>(gate, up, out));
}

/// out = in: quantises into PerTensor, PerToken and PerBlock, and dequantises from them.
template <class In, class Out>
Status convert(Stream stream, const In& in, const Out& out) {
  return run_rows(stream, convert_problem(in, out));
}

/// Rotates pairs of values by position (rows/rope.h). `in` and `out` may be the same.
template <Pairing pairing, class Value>
Status rope(Stream stream, const ReadHeads<Value>& in, const Heads<Value>& out,
            const RowMajor<const float>& cosine, const RowMajor<const float>& sine,
            const int* positions = nullptr) {
  return run_rope(stream, rope_problem<pairing, Value>(in, out, cosine, sine, positions));
}

}  // namespace hipsight::kernels
