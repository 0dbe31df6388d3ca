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

template <class In>
RowCheck row_check(const char* name, const In& in) {
  return RowCheck(name, values_of(in).rows, values_of(in).columns).operand("the input", in);
}

inline RowCheck& check_residual(RowCheck& check, NoResidual) {
  return check;
}
template <class T>
RowCheck& check_residual(RowCheck& check, const AddResidual<T>& residual) {
  return check.operand("the residual", residual.in).operand("the residual's sum", residual.out);
}

template <class In, class W, class Out, class R>
auto rms_norm_problem(const In& in, const W* weight, const Out& out, float epsilon,
                      const R& residual) {
  using Operation = RmsNorm<In, W, Out, R>;
  RowCheck check = row_check(Operation::name, in);
  check.operand("the output", out).vector("the weight", weight);
  return row_problem(Operation{in, weight, out, residual, epsilon}, in,
                     check_residual(check, residual));
}

template <class In, class W, class Out, class R>
auto layer_norm_problem(const In& in, const W* weight, const W* bias, const Out& out, float epsilon,
                        const R& residual) {
  using Operation = LayerNorm<In, W, Out, R>;
  RowCheck check = row_check(Operation::name, in);
  check.operand("the output", out).vector("the weight", weight).vector("the bias", bias);
  return row_problem(Operation{in, weight, bias, out, residual, epsilon}, in,
                     check_residual(check, residual));
}

template <class In, class Out>
auto softmax_problem(const In& in, const Out& out, float scale) {
  using Operation = Softmax<In, Out>;
  RowCheck check = row_check(Operation::name, in);
  check.operand("the output", out).require(scale > 0, "the scale must be positive");
  return row_problem(Operation{in, out, scale}, in, check);
}

template <class In, class Out>
auto convert_problem(const In& in, const Out& out) {
  using Operation = Convert<In, Out>;
  RowCheck check = row_check(Operation::name, in);
  return row_problem(Operation{in, out}, in, check.operand("the output", out));
}

template <class Gate, class In, class Out>
auto gated_problem(const In& gate, const In& up, const Out& out) {
  using Operation = Gated<Gate, In, Out>;
  RowCheck check = row_check(Operation::name, gate);
  check.operand("the other input", up).operand("the output", out);
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
  if (h.head_stride < h.size && h.heads > 1)
    return std::string(name) + "'s stride of heads of " + std::to_string(h.head_stride) +
           " is less than their size of " + std::to_string(h.size);
  if (!h.data && h.tokens && h.heads && h.size) return std::string(name) + " is a null pointer";
  return {};
}

template <Pairing pairing, class T>
RopeProblem<pairing, T> rope_problem(const Heads<const T>& in, const Heads<T>& out,
                                     const RowMajor<const float>& cosine,
                                     const RowMajor<const float>& sine, const int* positions) {
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
