// A causal convolution to test, without templates.
#pragma once

#include <cstdint>
#include <string>

struct CausalCase {
  bool on_host = false;
  int batches = 1, tokens = 1, channels = 1;
  std::int64_t x_stride = 0, y_stride = 0;
  const void *x = nullptr, *weights = nullptr, *bias = nullptr, *before = nullptr;
  void* y = nullptr;
  bool silu = false;
};

/// Filters of 4 taps, and of 3. Each gives the library's error.
std::string causal_bf16(const CausalCase&);
std::string causal_f32(const CausalCase&);
