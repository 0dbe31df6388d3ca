// One grouped GEMM to test, without templates: what grouped_test.cpp asks of the programs that hold
// the kernels.
#pragma once

#include <cstdint>
#include <string>

/// As hipsight::kernels::TileSize; or the library's own choice.
enum class GroupedTiles { large, medium, small, chosen };

/// Strides count elements. Without an index, rows are those of the matrix.
struct GroupedCase {
  bool on_host = false;  // on the scalar reference
  GroupedTiles tiles = GroupedTiles::large;
  int rows = 0, columns = 0, depth = 0;  // of all groups
  const int* starts = nullptr;
  int groups = 0;
  const int* index_a = nullptr;
  const int* index_c = nullptr;
  int rows_a = 0, rows_c = 0;  // of the matrices
  std::int64_t a_stride = 0, b_stride = 0, b_batch = 0, c_stride = 0;
};

/// Runs it on memory that host and device see; returns the library's error, or "no such kernel
/// here". Experts N x K in memory; `factors`, if any, are those of the rows.
std::string run_grouped_bf16(const GroupedCase& test, const void* a, const void* b,
                             const float* factors, void* c);
/// Experts K x N in memory, results in f32; `biases` has N for each group.
std::string run_grouped_f16(const GroupedCase& test, const void* a, const void* b,
                            const float* biases, void* c);
/// As the first one; only of every instance.
std::string run_grouped_f32(const GroupedCase& test, const void* a, const void* b,
                            const float* factors, void* c);
