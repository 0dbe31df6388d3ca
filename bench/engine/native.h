#pragma once
// The same work as this computer's own code, for the compiler's -O3 -march=native: C++ of the same
// structure as the kernels, with loops over workgroups and work-items.

#include <cstddef>
#include <cstdint>

namespace hipsight::bench::native {

// C = A * B, row-major, n x n.
void sgemm_16(int n, const float* a, const float* b, float* c);
void sgemm_4x4(int n, const float* a, const float* b, float* c);
void sgemm_8x8(int n, const float* a, const float* b, float* c);

void copy(std::size_t n, const float* from, float* to);
void saxpy(std::size_t n, float a, const float* x, float* y);
void saxpy_exp(std::size_t n, float a, const float* x, const float* y, float* z);
void gather(std::size_t n, const int* index, const float* table, float* to);
void histogram(std::size_t n, const unsigned char* bytes, unsigned* counts);
void histogram_global(std::size_t n, const unsigned char* bytes, unsigned* counts);
void mandelbrot(int width, int height, float step, int most, int* steps);

/// Runs independent FMAs on values in registers; gives the number of floating-point operations.
double fma_in_registers(int steps);

}  // namespace hipsight::bench::native
