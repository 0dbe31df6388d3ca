// One GEMM to test, without templates: what gemm_test.cpp asks of the programs that hold the
// kernels.
#pragma once

#include <cstdint>
#include <string>

enum class Type { f16, bf16, f32, e4m3, fnuz };
enum class After {
  identity,
  bias_relu,
  gelu_residual,  ///< after the bias; what is added is behind the biases, M x N for each batch
  silu_mul,       ///< of half the value; each row times the bias
  scaled,
  scaled_by_one,
  scaled_blocks
};

/// As hipsight::kernels::TileSize; or the library's own choice, with the workspace it asks for: of
/// all, without one, of two sizes.
enum class Tiles { large, medium, small, tiny, chosen, chosen_without_workspace, chosen_of_two };

/// Sizes, strides and batch strides count elements. Transposed: column_major, that is, C = A B with
/// A in memory K x M, or B in memory N x K.
struct GemmCase {
  Type type = Type::f16;
  bool transposed_a = false, transposed_b = false;
  After after = After::identity;
  bool on_host = false;           // on the scalar reference
  Tiles tiles = Tiles::large;     // where the instance leaves it open
  int shares = 0;                 // of the depth of all tiles
  std::size_t misaligned_by = 0;  // what is given as workspace, in bytes
  int m = 0, n = 0, k = 0, batches = 1;
  std::int64_t a_stride = 0, b_stride = 0, c_stride = 0;
  std::int64_t a_batch = 0, b_batch = 0, c_batch = 0;
};

/// Runs it on memory that host and device see; returns the library's error, or "no such kernel
/// here".
std::string run_f16(const GemmCase& test, const void* a, const void* b, const float* bias, void* c);
std::string run_bf16(const GemmCase& test, const void* a, const void* b, const float* bias,
                     void* c);
std::string run_f32(const GemmCase& test, const void* a, const void* b, const float* bias, void* c);

/// `factors` are those of the rows, then those of the columns; or, for run_e4m3, one for all; or
/// those of the blocks of A and then of B.
std::string run_fnuz(const GemmCase& test, const void* a, const void* b, const float* factors,
                     void* c);
std::string run_e4m3(const GemmCase& test, const void* a, const void* b, const float* factors,
                     void* c);
