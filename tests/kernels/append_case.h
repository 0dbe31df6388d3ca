// Appending to a cache to test, without templates.
#pragma once

#include <cstdint>
#include <string>

/// All of a cache lies without gaps: page by page, place by place, head by head.
struct AppendCase {
  bool on_host = false;
  int tokens = 0, heads = 0, size = 0, page_places = 16;
  std::int64_t token_stride = 0;
  const void *keys = nullptr, *values = nullptr;
  void *to_keys = nullptr, *to_values = nullptr;
  const int* slots = nullptr;
  float key_scale = 1, value_scale = 1;
};

/// Each gives the library's error, or "no such kernel here".
std::string append_bf16(const AppendCase&);
std::string append_f16_to_e4m3(const AppendCase&);
std::string append_f16_to_fnuz(const AppendCase&);
