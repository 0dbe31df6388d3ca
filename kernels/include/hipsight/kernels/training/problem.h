// What is asked of the operations of training, and what no kernel takes.
#pragma once

#include "../rows/problem.h"
#include "../workspace.h"
#include "derivatives.h"
#include "norm_backward.h"

namespace hipsight::kernels {

template <class Gate, class Value>
RowProblem<GatedBackward<Gate, Value>> gated_backward_problem(const RowMajor<const Value>& gate,
                                                              const RowMajor<const Value>& up,
                                                              const RowMajor<const Value>& d_out,
                                                              const RowMajor<Value>& d_gate,
                                                              const RowMajor<Value>& d_up) {
  using Operation = GatedBackward<Gate, Value>;
  RowCheck check = row_check<Operation>(gate, d_gate);
  check.operand("the other input", up);
  check.operand("the result's gradient", d_out);
  check.operand("the other input's gradient", d_up);
  return row_problem(Operation{gate, up, d_out, d_gate, d_up}, gate, check);
}

template <class Value>
RowProblem<SoftmaxBackward<Value>> softmax_backward_problem(const RowMajor<const Value>& y,
                                                            const RowMajor<const Value>& d_out,
                                                            const RowMajor<Value>& d_in,
                                                            float scale) {
  using Operation = SoftmaxBackward<Value>;
  RowCheck check = row_check<Operation>(y, d_in);
  check.operand("the result's gradient", d_out);
  check.scale("the scale", scale);
  return row_problem(Operation{y, d_out, d_in, scale}, y, check);
}

template <class Value>
RowProblem<CrossEntropy<Value>> cross_entropy_problem(const RowMajor<const Value>& logits,
                                                      const int* targets, float* losses,
                                                      const RowMajor<Value>& d_logits,
                                                      float factor) {
  using Operation = CrossEntropy<Value>;
  RowCheck check = row_check<Operation>(logits, d_logits);
  if (logits.rows > 0 && (!targets || !losses))
    check.fail(!targets ? "the targets are" : "the losses are", " a null pointer");
  if (logits.rows > 0 && logits.columns == 0) check.fail("there are no columns to choose from");
  if (!std::isfinite(factor)) check.fail("the factor of ", factor, " must be finite");
  return row_problem(Operation{logits, targets, losses, d_logits, factor}, logits, check);
}

template <class Value, class Gradient>
RowProblem<AdamW<Value, Gradient>> adamw_problem(const RowMajor<const Gradient>& gradient,
                                                 const RowMajor<Value>& parameters,
                                                 const RowMajor<float>& mean,
                                                 const RowMajor<float>& square,
                                                 const RowMajor<float>& master,
                                                 const AdamWStep& step) {
  using Operation = AdamW<Value, Gradient>;
  RowCheck check = row_check<Operation>(gradient, parameters);
  check.operand("the mean", mean);
  check.operand("the mean of squares", square);
  if (master.data) check.operand("the parameters in f32", master);
  const auto share = [&](const char* name, float value) {
    if (!(value >= 0 && value < 1))
      check.fail(name, " is ", value, ": it must be from 0 to below 1");
  };
  share("beta1", step.beta1);
  share("beta2", step.beta2);
  check.epsilon(step.epsilon);
  if (step.step < 1) check.fail("the step is ", step.step, ": the first one is 1");
  const auto factor = [&](double beta) {
    return static_cast<float>(1 / (1 - std::pow(beta, step.step)));
  };
  return row_problem(Operation{gradient, parameters, mean, square, master, step.rate, step.beta1,
                               step.beta2, step.epsilon, 1 - step.rate * step.decay,
                               step.gradient_factor, factor(step.beta1), factor(step.beta2)},
                     gradient, check);
}

/// A norm's gradients: `d_weights` has one for each of the operation's sums.
template <class Operation_, class Value>
struct NormBackwardProblem {
  using Operation = Operation_;
  using Element = Value;
  Operation operation;
  Value* d_weights[Operation::sums];
  Workspace workspace;
  std::string error;

  int rows() const { return operation.in.rows; }
  int columns() const { return operation.in.columns; }
};

/// Work-items of all teams on a compute unit: enough for its loads to be under way, and few enough
/// for the sums that they leave to be a small part of what is read.
inline constexpr int norm_backward_threads = 1536;

/// The launch of a norm's gradients, and what its teams leave.
struct NormBackwardLaunch {
  RowSize size;
  std::int64_t workgroups;
  int threads, teams;  // work-items of a workgroup; teams of all workgroups

  template <class Operation>
  static NormBackwardLaunch of(int rows, int columns, Architecture on, int compute_units) {
    const RowSize size = norm_backward_size(columns, on, Operation::most_parts);
    const RowPlan plan = norm_backward_plan(size, on, Operation::most_parts);
    const int teams = plan.threads / plan.team;
    const int wanted = std::max(1, compute_units * norm_backward_threads / plan.threads);
    const int workgroups = std::min(ceil_div(rows, teams), wanted);
    return {size, workgroups, plan.threads, workgroups * teams};
  }
  std::size_t bytes(int columns, int sums) const {
    return static_cast<std::size_t>(teams) * static_cast<std::size_t>(columns * sums) *
           sizeof(float);
  }
};

template <class Operation, class Value>
void check_norm_backward(RowCheck& check, const RowMajor<const Value>& in,
                         const RowMajor<const Value>& d_out, const Value* weight, float epsilon,
                         std::initializer_list<const Value*> d_weights) {
  check.operand("the result's gradient", d_out);
  check.shared("the weight", weight);
  check.epsilon(epsilon);
  for (const Value* one : d_weights)
    if (!one && in.columns > 0) check.fail("a weight's gradient is a null pointer");
  constexpr int most =
      norm_backward_columns(RowSize::large, Architecture::cdna3, Operation::most_parts);
  if (in.columns > most)
    check.fail("rows of ", in.columns, " columns are longer than ", most,
               ", the longest that gradients of norms take");
}

template <class Value>
NormBackwardProblem<RmsNormBackward<Value>, Value> rms_norm_backward_problem(
    const RowMajor<const Value>& in, const Value* weight, const RowMajor<const Value>& d_out,
    const RowMajor<Value>& d_in, Value* d_weight, float epsilon, const Workspace& workspace) {
  using Operation = RmsNormBackward<Value>;
  RowCheck check = row_check<Operation>(in, d_in);
  check_norm_backward<Operation>(check, in, d_out, weight, epsilon, {d_weight});
  return {{in, d_out, weight, d_in, epsilon}, {d_weight}, workspace, check.error()};
}

template <class Value>
NormBackwardProblem<LayerNormBackward<Value>, Value> layer_norm_backward_problem(
    const RowMajor<const Value>& in, const Value* weight, const RowMajor<const Value>& d_out,
    const RowMajor<Value>& d_in, Value* d_weight, Value* d_bias, float epsilon,
    const Workspace& workspace) {
  using Operation = LayerNormBackward<Value>;
  RowCheck check = row_check<Operation>(in, d_in);
  check_norm_backward<Operation>(check, in, d_out, weight, epsilon, {d_weight, d_bias});
  return {{in, d_out, weight, d_in, epsilon}, {d_weight, d_bias}, workspace, check.error()};
}

}  // namespace hipsight::kernels
