// One attention to test, without templates: what attention_test.cpp asks of the programs that hold
// the kernels.
#pragma once

#include <cstdint>
#include <string>

/// Strides count elements, of the memory of Q and O, and of K and V. Values and results that are
/// shorter than queries and keys lie as far apart.
struct AttentionCase {
  int head = 128;
  int value_head = 0;    // of values and results; 0: as of queries and keys
  bool on_host = false;  // on the scalar reference
  int queries = 0, keys = 0, heads = 1, key_heads = 1, batches = 1;
  int before = 1 << 29, after = 1 << 29;
  float scale = 0;
  std::int64_t stride = 0, head_stride = 0, batch_stride = 0;
  std::int64_t key_stride = 0, key_head_stride = 0, key_batch_stride = 0;
  const int* query_starts = nullptr;
  const int* key_starts = nullptr;
  float cap = 0;  // 0: none
  const float* sinks = nullptr;
  int sum_length = 0, sum_heads = 0;
  std::int64_t sum_stride = 1, sum_head_stride = 0, sum_batch_stride = 0;
};

/// Runs it on memory that host and device see; returns the library's error, or "no such kernel
/// here". `log_sums` may be null.
std::string run_attention_f16(const AttentionCase& test, const void* q, const void* k,
                              const void* v, void* o, float* log_sums);
std::string run_attention_bf16(const AttentionCase& test, const void* q, const void* k,
                               const void* v, void* o, float* log_sums);
