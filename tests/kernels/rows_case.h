// Operations on rows to test, without templates: what rows_test.cpp asks of the programs that hold
// the kernels.
#pragma once

#include <cstdint>
#include <string>

/// Who works on a row: as hipsight::kernels::RowSize; or what the library chooses.
enum class Workers { lanes, wave, workgroup, wide, large, streamed, chosen };

/// Memory that host and device see. All matrices have the same stride, in elements, but scales of
/// blocks, which lie side by side. What an operation does not have is null.
struct RowCase {
  Workers workers = Workers::chosen;
  bool on_host = false;  // on the scalar reference
  int rows = 0, columns = 0;
  std::int64_t stride = 0;
  const void *in = nullptr, *other = nullptr;  // the residual, or what is gated
  const void *weight = nullptr, *bias = nullptr;
  void *out = nullptr, *sum = nullptr;
  float* scales = nullptr;
  float number = 0;  // epsilon, or softmax's scale
};

/// Each gives the library's error, or "no such kernel here".
using RowRun = std::string(const RowCase&);
RowRun rms_norm_bf16, rms_norm_residual_bf16_fnuz_per_token, layer_norm_residual_f16_int8_per_token,
    softmax_f32, softmax_f16, silu_f16_int8_per_block, quantise_f32_e4m3_per_tensor,
    quantise_f32_fnuz_per_tensor, quantise_f32_int8_per_token, dequantise_e4m3_per_tensor_f32,
    dequantise_fnuz_per_token_bf16, dequantise_int8_per_block_f16;
/// In strix_halo.hip, by those whom the library chooses.
RowRun layer_norm_f32, gelu_bf16, quantise_f32_fnuz_per_block;

struct RopeCase {
  bool on_host = false;
  int tokens = 0, heads = 0, size = 0, pairs = 0;
  std::int64_t token_stride = 0, head_stride = 0;
  const void* in = nullptr;
  void* out = nullptr;
  const float *cosine = nullptr, *sine = nullptr;  // rows of `pairs`
  int table_rows = 0;
  const int* positions = nullptr;
};

using RopeRun = std::string(const RopeCase&);
RopeRun rope_halves_bf16, rope_neighbours_f16;
