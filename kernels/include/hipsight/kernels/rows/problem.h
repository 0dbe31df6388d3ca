// Operations on rows as their callers state them, and what is wrong with them.
#pragma once

#include <cmath>

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

  bool empty() const { return rows == 0 || columns == 0; }
};

template <class T>
const RowMajor<T>& values_of(const RowMajor<T>& matrix) {
  return matrix;
}
template <class Scaled>
const auto& values_of(const Scaled& matrix) {
  return matrix.values;
}

/// The shape is that of `in`.
template <class Operation, class In>
RowProblem<Operation> row_problem(const Operation& operation, const In& in, RowCheck check) {
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
  return check.operand("the input", in).operand("the output", out);
}

inline RowCheck& check_residual(RowCheck& check, NoResidual) {
  return check;
}
template <class T>
RowCheck& check_residual(RowCheck& check, const AddResidual<T>& residual) {
  static_assert(is_float<T>,
                "rows: the residual and its sum must be of the same type, f32, f16 or bf16, the "
                "sum's not const");
  return check.operand("the residual", residual.in).operand("the residual's sum", residual.out);
}

template <class In, class W, class Out, class R>
auto rms_norm_problem(const In& in, const W* weight, const Out& out, float epsilon,
                      const R& residual) {
  using Operation = RmsNorm<In, W, Out, R>;
  static_assert(is_float<W>, "rms_norm: the weight must be of f32, f16 or bf16");
  RowCheck check = row_check<Operation>(in, out);
  check.vector("the weight", weight);
  return row_problem(Operation{in, weight, out, residual, epsilon}, in,
                     check_residual(check, residual));
}

template <class In, class W, class B, class Out, class R>
auto layer_norm_problem(const In& in, const W* weight, const B* bias, const Out& out, float epsilon,
                        const R& residual) {
  using Operation = LayerNorm<In, W, Out, R>;
  static_assert(is_float<W> && std::is_same_v<W, B>,
                "layer_norm: the weight and the bias must be of the same type, f32, f16 or bf16");
  RowCheck check = row_check<Operation>(in, out);
  check.vector("the weight", weight).vector("the bias", bias);
  return row_problem(Operation{in, weight, bias, out, residual, epsilon}, in,
                     check_residual(check, residual));
}

template <class In, class Out>
auto softmax_problem(const In& in, const Out& out, float scale) {
  using Operation = Softmax<In, Out>;
  RowCheck check = row_check<Operation>(in, out);
  check.require(scale > 0 && std::isfinite(scale),
                "the scale of " + std::to_string(scale) + " must be positive and finite");
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

template <Pairing pairing, class T>
struct RopeProblem {
  Rope<pairing, T> operation;
  std::string error;
};

template <class T>
std::string error_of_heads(const char* name, const Heads<T>& h) {
  if (h.tokens < 0 || h.heads < 0 || h.size < 0) return std::string(name) + " has a negative size";
  const auto too_small = [&](const char* of, std::int64_t stride) {
    return std::string(name) + "'s stride of " + of + " of " + std::to_string(stride) +
           " is less than the " + std::to_string(h.size) + " values of a head";
  };
  if (h.head_stride < h.size && h.heads > 1) return too_small("heads", h.head_stride);
  if (h.token_stride < h.size && h.tokens > 1) return too_small("tokens", h.token_stride);
  if (!h.data && h.tokens && h.heads && h.size) return std::string(name) + " is a null pointer";
  return {};
}

template <Pairing pairing, class T>
RopeProblem<pairing, T> rope_problem(const ReadHeads<T>& in, const Heads<T>& out,
                                     const RowMajor<const float>& cosine,
                                     const RowMajor<const float>& sine, const int* positions) {
  static_assert(is_float<T>,
                "rope: the values must be of f32, f16 or bf16, the output's not const");
  RopeProblem<pairing, T> problem{{in, out, cosine, sine, positions}, {}};
  const auto require = [&](bool holds, const std::string& otherwise) {
    if (!holds && problem.error.empty()) problem.error = "rope: " + otherwise;
  };
  for (const std::string& error :
       {error_of_heads("the input", in), error_of_heads("the output", out)})
    require(error.empty(), error);
  require(in.tokens == out.tokens && in.heads == out.heads && in.size == out.size,
          "the input and the output are of different sizes");
  require(cosine.rows == sine.rows && cosine.columns == sine.columns,
          "the tables of cosines and sines are of different sizes");
  require(cosine.data && sine.data, "a table is a null pointer");
  require(cosine.columns >= 0 && 2 * static_cast<std::int64_t>(cosine.columns) <= in.size,
          "the tables have " + std::to_string(cosine.columns) + " columns, for heads of " +
              std::to_string(in.size) + " values: at most half as many fit");
  require(positions || cosine.rows >= in.tokens, "the tables have " + std::to_string(cosine.rows) +
                                                     " rows for " + std::to_string(in.tokens) +
                                                     " tokens");
  require(cosine.stride >= cosine.columns && sine.stride >= sine.columns,
          "a table's stride is less than its columns");
  require(problem.operation.items() <= INT32_MAX, "there are more values than one launch takes");
  return problem;
}

}  // namespace hipsight::kernels
