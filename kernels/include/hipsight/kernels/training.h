// What a step of training needs beside GEMMs and attention: gradients of operations on rows, the
// loss, and the optimizer. Computed in f32.
//
//   rms_norm_backward(stream, x, weight, d_y, d_x, d_weight, 1e-6f, workspace);
//   cross_entropy(stream, logits, targets, losses, logits, 1.0f / tokens);   // in place
//   adamw(stream, gradients, parameters, mean, square, {.rate = 3e-4f, .step = 7});
//
// Matrices and values are f32, f16 or bf16. docs/kernels/training.md
#pragma once

#include "training/launch.h"

namespace hipsight::kernels {

#if defined(__HIP__) || defined(__CUDACC__)

template <class Value>
std::size_t rms_norm_backward_workspace(int rows, int columns) {
  return norm_backward_workspace<RmsNormBackward<Value>>(rows, columns);
}
template <class Value>
std::size_t layer_norm_backward_workspace(int rows, int columns) {
  return norm_backward_workspace<LayerNormBackward<Value>>(rows, columns);
}

/// The gradients of x and of the weight, of the gradient of the result, for up to 16,384 columns.
/// The same bits each time. Without rows, d_weight is left as it is. workspace:
/// rms_norm_backward_workspace(rows, columns) bytes.
template <class Value>
Status rms_norm_backward(Stream stream, const RowMajor<const Value>& x, const Value* weight,
                         const RowMajor<const Value>& d_out, const RowMajor<Value>& d_in,
                         Value* d_weight, float epsilon, const Workspace& workspace) {
  return run_norm_backward(stream, rms_norm_backward_problem<Value>(x, weight, d_out, d_in,
                                                                    d_weight, epsilon, workspace));
}

/// The same of layer_norm, for up to 8,192 columns. workspace: layer_norm_backward_workspace bytes.
template <class Value>
Status layer_norm_backward(Stream stream, const RowMajor<const Value>& x, const Value* weight,
                           const RowMajor<const Value>& d_out, const RowMajor<Value>& d_in,
                           Value* d_weight, Value* d_bias, float epsilon,
                           const Workspace& workspace) {
  return run_norm_backward(
      stream, layer_norm_backward_problem<Value>(x, weight, d_out, d_in, d_weight, d_bias, epsilon,
                                                 workspace));
}

/// Of y = softmax(scale x): from y, not x.
template <class Value>
Status softmax_backward(Stream stream, const RowMajor<const Value>& y,
                        const RowMajor<const Value>& d_out, const RowMajor<Value>& d_in,
                        float scale = 1) {
  return run_rows(stream, softmax_backward_problem<Value>(y, d_out, d_in, scale));
}

/// Of silu(gate) up. Gradients may lie where inputs do.
template <class Value>
Status silu_mul_backward(Stream stream, const RowMajor<const Value>& gate,
                         const RowMajor<const Value>& up, const RowMajor<const Value>& d_out,
                         const RowMajor<Value>& d_gate, const RowMajor<Value>& d_up) {
  return run_rows(stream,
                  gated_backward_problem<SiluBackward, Value>(gate, up, d_out, d_gate, d_up));
}

/// Of gelu(gate) up, with gelu's approximation in tanh.
template <class Value>
Status gelu_mul_backward(Stream stream, const RowMajor<const Value>& gate,
                         const RowMajor<const Value>& up, const RowMajor<const Value>& d_out,
                         const RowMajor<Value>& d_gate, const RowMajor<Value>& d_up) {
  return run_rows(stream,
                  gated_backward_problem<GeluBackward, Value>(gate, up, d_out, d_gate, d_up));
}

/// losses: log(sum(exp(row))) - row[target], of each row; d_logits: factor times the gradients of
/// the losses, which may lie where the logits do. A target below 0: the row counts for nothing.
template <class Value>
Status cross_entropy(Stream stream, const RowMajor<const Value>& logits, const int* targets,
                     float* losses, const RowMajor<Value>& d_logits, float factor = 1) {
  return run_rows(stream, cross_entropy_problem<Value>(logits, targets, losses, d_logits, factor));
}

/// One step of AdamW, in place. `master`: the parameters in f32, which are then rounded into
/// `parameters`; without, those are counted with as they are.
template <class Value, class Gradient>
Status adamw(Stream stream, const RowMajor<const Gradient>& gradient,
             const RowMajor<Value>& parameters, const RowMajor<float>& mean,
             const RowMajor<float>& square, const AdamWStep& step,
             const RowMajor<float>& master = {}) {
  return run_rows(stream,
                  adamw_problem<Value, Gradient>(gradient, parameters, mean, square, master, step));
}

#endif

}  // namespace hipsight::kernels
