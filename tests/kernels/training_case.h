// Operations of training to test, without templates: what training_test.cpp asks of the programs
// that hold the kernels.
#pragma once

#include "rows_case.h"

/// Memory that host and device see. All matrices have the same stride. What an operation does not
/// have is null.
struct TrainingCase : RowCase {
  const void* d_out = nullptr;
  void *d_other = nullptr, *d_weight = nullptr, *d_bias = nullptr;
  const int* targets = nullptr;
  float *losses = nullptr, *mean = nullptr, *square = nullptr, *master = nullptr;
  int step = 1;
};

using TrainingRun = std::string(const TrainingCase&);
TrainingRun rms_norm_backward_bf16, layer_norm_backward_f32, softmax_backward_f16,
    silu_backward_bf16, gelu_backward_f32, cross_entropy_bf16, cross_entropy_f32, adamw_bf16,
    adamw_f32;
