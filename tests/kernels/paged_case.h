// One attention to a paged cache to test, without templates: what paged_test.cpp asks of the
// programs that hold the kernels.
#pragma once

#include <cstdint>
#include <string>

enum class CacheType { same, fp8_e4m3, fp8_e4m3_fnuz };

/// Strides count elements, of the memory of Q and O, and of the cache.
struct PagedCase {
  int head = 128, value_head = 0;  // 0: values are as long as keys
  CacheType cached = CacheType::same;
  bool on_host = false;  // on the scalar reference
  int queries = 1, heads = 1, key_heads = 1, batches = 1;
  int before = 1 << 29, after = 0;
  float scale = 0, key_scale = 1, value_scale = 1;
  int splits = 0, longest = 0;
  std::int64_t stride = 0, head_stride = 0, batch_stride = 0;
  int page_places = 16, most_pages = 0;
  std::int64_t page_stride = 0, place_stride = 0, key_head_stride = 0;
  const int* pages = nullptr;
  const int* lengths = nullptr;
  const float* key_scales = nullptr;
  const float* value_scales = nullptr;
  float cap = 0;  // 0: none
  const float* sinks = nullptr;
  void* workspace = nullptr;
  std::size_t workspace_bytes = 0;
};

/// Runs it on memory that host and device see; returns the library's error, or "no such kernel
/// here".
std::string run_paged_f16(const PagedCase& test, const void* q, const void* keys,
                          const void* values, void* o);
std::string run_paged_bf16(const PagedCase& test, const void* q, const void* keys,
                           const void* values, void* o);

/// What the library wants as workspace for it, of f16 in heads of 128.
std::size_t paged_workspace_f16(const PagedCase& test, const void* q, const void* keys,
                                const void* values, void* o);
