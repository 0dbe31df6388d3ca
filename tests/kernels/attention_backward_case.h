// The gradients of one attention to test, without templates: what attention_backward_test.cpp asks
// of the programs that hold the kernels.
#pragma once

#include <cstddef>
#include <string>

#include "attention_case.h"

/// O, its gradient and that of Q lie as Q does, the gradients of K and V as K does. `log_sums` are
/// those of the case.
struct AttentionGradients {
  const void *q, *k, *v, *o, *d_o;
  void *d_q, *d_k, *d_v;
  float *log_sums, *workspace;
  std::size_t workspace_bytes;
};

/// Runs it on memory that host and device see; returns the library's error, or "no such kernel
/// here".
std::string run_attention_backward_f16(const AttentionCase& test, const AttentionGradients& of);
std::string run_attention_backward_bf16(const AttentionCase& test, const AttentionGradients& of);

/// What the library says that it needs.
std::size_t workspace_of_attention_backward(const AttentionCase& test);
