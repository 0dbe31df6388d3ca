// Mixtures of experts to test, without templates: what moe_test.cpp asks of the programs that hold
// the kernels.
#pragma once

#include <cstdint>
#include <string>

struct RouteCase {
  bool on_host = false, sigmoid = false, renormalise = true;
  int tokens = 0, experts = 0, chosen = 0, groups = 1, chosen_groups = 1, of_group = 1;
  std::int64_t stride = 0;  // of scores
  float factor = 1;
  const void* scores = nullptr;
  const float* bias = nullptr;
  int* which = nullptr;
  float* weights = nullptr;
};

struct SortCase {
  bool on_host = false;
  int choices = 0, chosen = 0, experts = 0;
  const int* which = nullptr;
  int *starts = nullptr, *rows = nullptr, *places = nullptr;
};

struct CombineCase {
  bool on_host = false;
  int tokens = 0, chosen = 0, columns = 0, rows = 0;
  std::int64_t stride = 0;  // of input and output
  const void* in = nullptr;
  const int* places = nullptr;
  const float* weights = nullptr;
  void* out = nullptr;
};

/// Each gives the library's error.
std::string route_f32(const RouteCase&);
std::string route_bf16(const RouteCase&);
std::string sort_by_expert(const SortCase&);
std::string combine_bf16(const CombineCase&);
std::string combine_f32(const CombineCase&);
