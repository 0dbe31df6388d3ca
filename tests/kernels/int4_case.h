// A GEMM of weights in 4 bits to test, and their packing, without templates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

struct Int4Case {
  bool on_host = false;
  int rows = 1, columns = 32, depth = 32, group = 32;
  std::int64_t a_stride = 0, c_stride = 0;
  const void *a = nullptr, *factors = nullptr;
  const std::uint32_t* codes = nullptr;
  void* c = nullptr;
  void* workspace = nullptr;
  std::size_t workspace_bytes = 0;
};

/// Few rows; small tiles and, with a workspace, shares of them. Each gives the library's error.
std::string int4_f16(const Int4Case&);
/// Few rows, large tiles, and a bias of 1.
std::string int4_bf16(const Int4Case&);

enum class Int4Layout { values, gptq, awq };

struct Int4PackCase {
  bool on_host = false;
  Int4Layout layout = Int4Layout::values;
  int columns = 32, depth = 32, group = 32, zero_less = 1;
  const void *weights = nullptr, *scales = nullptr;
  const std::uint32_t *from = nullptr, *zeros = nullptr;
  std::uint32_t* codes = nullptr;
  void* factors = nullptr;
};

std::string int4_pack_f16(const Int4PackCase&);
