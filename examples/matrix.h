// Matrix instructions of each GPU behind one interface. A wave computes D = A * B + D on a square
// tile of f32 results; lane l gives
//   row    l % kSize of A, at the depths first_depth(l) + i, i < the size of Operand,
//   column l % kSize of B, at the same depths,
// and holds column l % kSize of D, at row(l, r) in register r.
// The layouts are those that AMD's matrix instruction calculator prints
// (github.com/ROCm/amd_matrix_instruction_calculator).
#pragma once

#include <hip/hip_runtime.h>

using f16 = _Float16;
using f16x4 = f16 __attribute__((ext_vector_type(4)));
using f16x8 = f16 __attribute__((ext_vector_type(8)));
using f16x16 = f16 __attribute__((ext_vector_type(16)));
using f32x4 = float __attribute__((ext_vector_type(4)));
using f32x8 = float __attribute__((ext_vector_type(8)));
using f32x16 = float __attribute__((ext_vector_type(16)));

// CDNA: gfx90a, gfx942, gfx950.
struct Mfma32x32x8 {
  static constexpr int kWave = 64, kSize = 32, kDepth = 8, kResults = 16;
  using Operand = f16x4;
  using Result = f32x16;
  static __device__ int first_depth(int lane) { return lane / 32 * 4; }
  static __device__ int row(int lane, int r) { return r / 4 * 8 + lane / 32 * 4 + r % 4; }
  static __device__ Result multiply_add(Operand a, Operand b, Result d) {
    return __builtin_amdgcn_mfma_f32_32x32x8f16(a, b, d, 0, 0, 0);
  }
};

struct Mfma16x16x16 {
  static constexpr int kWave = 64, kSize = 16, kDepth = 16, kResults = 4;
  using Operand = f16x4;
  using Result = f32x4;
  static __device__ int first_depth(int lane) { return lane / 16 * 4; }
  static __device__ int row(int lane, int r) { return lane / 16 * 4 + r; }
  static __device__ Result multiply_add(Operand a, Operand b, Result d) {
    return __builtin_amdgcn_mfma_f32_16x16x16f16(a, b, d, 0, 0, 0);
  }
  // D of one product as B of the next: here each lane already has the depths it needs.
  static __device__ Operand as_operand(Result d) { return __builtin_convertvector(d, Operand); }
};

// RDNA3: both halves of the wave give all depths.
struct WmmaGfx11 {
  static constexpr int kWave = 32, kSize = 16, kDepth = 16, kResults = 8;
  using Operand = f16x16;
  using Result = f32x8;
  static __device__ int first_depth(int) { return 0; }
  static __device__ int row(int lane, int r) { return r * 2 + lane / 16; }
  static __device__ Result multiply_add(Operand a, Operand b, Result d) {
    return __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(a, b, d);
  }
  // Even depths are in the lower half of the wave, odd ones in the upper.
  static __device__ Operand as_operand(Result d) {
    const bool upper = threadIdx.x % kWave >= 16;
    Operand operand;
#pragma unroll
    for (int r = 0; r < kResults; r++) {
      const float other = __shfl_xor(d[r], 16);
      operand[2 * r] = static_cast<f16>(upper ? other : d[r]);
      operand[2 * r + 1] = static_cast<f16>(upper ? d[r] : other);
    }
    return operand;
  }
};

// RDNA4.
struct WmmaGfx12 {
  static constexpr int kWave = 32, kSize = 16, kDepth = 16, kResults = 8;
  using Operand = f16x8;
  using Result = f32x8;
  static __device__ int first_depth(int lane) { return lane / 16 * 8; }
  static __device__ int row(int lane, int r) { return lane / 16 * 8 + r; }
  static __device__ Result multiply_add(Operand a, Operand b, Result d) {
    return __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12(a, b, d);
  }
  static __device__ Operand as_operand(Result d) { return __builtin_convertvector(d, Operand); }
};

#if defined(__GFX12__)
using LargeMatrix = WmmaGfx12;
using SmallMatrix = WmmaGfx12;
#elif defined(__GFX11__)
using LargeMatrix = WmmaGfx11;
using SmallMatrix = WmmaGfx11;
#else
using LargeMatrix = Mfma32x32x8;
using SmallMatrix = Mfma16x16x16;
#endif

// This lane's part of A or B, where `line` is its row or column and depths lie side by side.
template <class Matrix>
__device__ typename Matrix::Operand load_operand(const f16* line, int lane) {
  return *reinterpret_cast<const typename Matrix::Operand*>(line + Matrix::first_depth(lane));
}
