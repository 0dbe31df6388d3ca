// Operations on rows as their callers state them, and what is wrong with them.
#pragma once

#include "check.h"
#include "kernel.h"
#include "map.h"
#include "norm.h"
#include "rope.h"
#include "softmax.h"

namespace hipsight::kernels {

template <class Operation_>
struct RowProblem {
  using Operation = Operation_;
  Operation operation;
  int rows, columns;
  std::string error;  // what no kernel takes, in a sentence, or empty

  /// Rows without columns still have scales, if these are of rows.
  bool empty() const {
    return rows == 0 || (columns == 0 && !takes_whole_rows<decltype(operation.out)>);
  }
};

template <class Value>
RowMajor<Value> values_of(const RowMajor<Value>& matrix) {
  return matrix;
}
template <class Scaled>
auto values_of(const Scaled& matrix) {
  return matrix.values;
}

/// The shape is that of `in`.
template <class Operation, class In>
RowProblem<Operation> row_problem(const Operation& operation, const In& in, const RowCheck& check) {
  return {operation, values_of(in).rows, values_of(in).columns, check.error()};
}

/// What is wrong at compile time, too, in sentences.
template <class Operation, class In, class Out>
RowCheck row_check(const In& in, const Out& out) {
  static_assert(is_row_operand<In> && is_row_operand<Out>,
                "rows: inputs and outputs must be RowMajor of f32, f16 or bf16, or PerTensor, "
                "PerToken or PerBlock of std::int8_t, fp8_e4m3 or fp8_e4m3_fnuz");
  static_assert(!is_read_only<Out>, "rows: the output's elements must not be const");
  RowCheck check(Operation::name, values_of(in).rows, values_of(in).columns);
  check.operand("the input", in);
  check.operand("the output", out);
  return check;
}

inline void check_residual(RowCheck&, NoResidual) {}
template <class Value>
void check_residual(RowCheck& check, const AddResidual<Value>& residual) {
  static_assert(is_float<Value>,
                "rows: the residual and its sum must be of the same type, f32, f16 or bf16, the "
                "sum's not const");
  check.operand("the residual", residual.in);
  check.operand("the residual's sum", residual.out);
}

template <class In, class Weight, class Out, class Added>
auto rms_norm_problem(const In& in, const Weight* weight, const Out& out, float epsilon,
                      const Added& residual) {
  using Operation = RmsNorm<In, Weight, Out, Added>;
  static_assert(is_float<Weight>, "rms_norm: the weight must be of f32, f16 or bf16");
  RowCheck check = row_check<Operation>(in, out);
  check.shared("the weight", weight);
  check.epsilon(epsilon);
  check_residual(check, residual);
  return row_problem(Operation{in, weight, out, residual, epsilon}, in, check);
}

template <class In, class Weight, class Bias, class Out, class Added>
auto layer_norm_problem(const In& in, const Weight* weight, const Bias* bias, const Out& out,
                        float epsilon, const Added& residual) {
  using Operation = LayerNorm<In, Weight, Out, Added>;
  static_assert(is_float<Weight> && std::is_same_v<Weight, Bias>,
                "layer_norm: the weight and the bias must be of the same type, f32, f16 or bf16");
  RowCheck check = row_check<Operation>(in, out);
  check.shared("the weight", weight);
  check.shared("the bias", bias);
  check.epsilon(epsilon);
  check_residual(check, residual);
  return row_problem(Operation{in, weight, bias, out, residual, epsilon}, in, check);
}

template <class In, class Out>
auto softmax_problem(const In& in, const Out& out, float scale) {
  using Operation = Softmax<In, Out>;
  RowCheck check = row_check<Operation>(in, out);
  check.scale("the scale", scale);
  return row_problem(Operation{in, out, scale}, in, check);
}

template <class In, class Out>
auto convert_problem(const In& in, const Out& out) {
  using Operation = Convert<In, Out>;
  return row_problem(Operation{in, out}, in, row_check<Operation>(in, out));
}

template <class Gate, class In, class Out>
auto gated_problem(const In& gate, const In& up, const Out& out) {
  using Operation = Gated<Gate, In, Out>;
  RowCheck check = row_check<Operation>(gate, out);
  check.operand("the other input", up);
  return row_problem(Operation{gate, up, out}, gate, check);
}

template <Pairing pairing, class Value>
struct RopeProblem {
  Rope<pairing, Value> operation;
  std::string error;
};

template <class Value>
void check_heads(Check& check, const char* name, const Heads<Value>& h) {
  const auto too_small = [&](const char* of, std::int64_t stride) {
    check.fail(name, "'s stride of ", of, " of ", stride, " is less than the ", h.size,
               " values of a head");
  };
  if (h.tokens < 0 || h.heads < 0 || h.size < 0) check.fail(name, " has a negative size");
  if (h.head_stride < h.size && h.heads > 1) too_small("heads", h.head_stride);
  if (h.token_stride < h.size && h.tokens > 1) too_small("tokens", h.token_stride);
  if (h.tokens && h.heads && h.size) check.pointer(name, h.data);
}

/// Tables for heads of so many values; `tokens`: the rows that they must have.
HIPSIGHT_APART inline void check_tables(Check& check, const RowMajor<const float>& cosine,
                                        const RowMajor<const float>& sine, int size, int tokens) {
  if (cosine.rows != sine.rows || cosine.columns != sine.columns)
    check.fail("the tables of cosines and sines are of different sizes");
  if (!cosine.data || !sine.data) check.fail("a table is a null pointer");
  if (cosine.rows < 0 || cosine.columns < 0) check.fail("the tables have a negative size");
  if (2 * static_cast<std::int64_t>(cosine.columns) > size)
    check.fail("the tables have ", cosine.columns, " columns, for heads of ", size,
               " values: at most half as many fit");
  if (cosine.rows < tokens)
    check.fail("the tables have ", cosine.rows, " rows for ", tokens, " tokens");
  if (cosine.stride < cosine.columns || sine.stride < sine.columns)
    check.fail("a table's stride is less than its columns");
}

template <Pairing pairing, class Value>
RopeProblem<pairing, Value> rope_problem(const ReadHeads<Value>& in, const Heads<Value>& out,
                                         const RowMajor<const float>& cosine,
                                         const RowMajor<const float>& sine, const int* positions) {
  static_assert(is_float<Value>,
                "rope: the values must be of f32, f16 or bf16, the output's not const");
  const Rope<pairing, Value> operation{in, out, cosine, sine, positions};
  Check check("rope");
  check_heads(check, "the input", in);
  check_heads(check, "the output", out);
  if (in.tokens != out.tokens || in.heads != out.heads || in.size != out.size)
    check.fail("the input and the output are of different sizes");
  check_overlap(check, "the output", out.size,
                {{"token", out.tokens, out.token_stride}, {"head", out.heads, out.head_stride}});
  check_tables(check, cosine, sine, in.size, positions ? 0 : in.tokens);
  if (!check.failed() && product({in.tokens, in.heads, operation.items_of_head()}) > INT32_MAX)
    check.fail("there are more values than one launch takes");
  return {operation, check.error()};
}

}  // namespace hipsight::kernels
