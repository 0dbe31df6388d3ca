#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

// Kernels of the tests, their host stubs and device variables (kernels.hip).

struct ihipStream_t;

/// Pointers to a kernel's arguments, as HIP takes them.
template <class... Arguments>
std::array<void*, sizeof...(Arguments)> pointers(Arguments&... arguments) {
  return {static_cast<void*>(&arguments)...};
}

struct Triple {
  std::int32_t a;
  double b;
  std::int8_t c;
};

struct Extent {
  unsigned x, y, z;
};

/// __global__ void arguments(char, double, short, int*, Triple), launched with <<<>>>.
void launch_arguments(Extent grid, Extent block, std::size_t lds, ihipStream_t* stream, char a,
                      double b, short c, int* d, Triple e);
/// __global__ void scale(float* data, float factor, int count), launched with <<<>>>.
void launch_scale(unsigned blocks, unsigned threads, ihipStream_t* stream, float* data,
                  float factor, int count);
/// Each block of 256 sums its part of `from` in LDS (dynamic) and adds it to *sum.
void launch_sum(unsigned blocks, ihipStream_t* stream, const int* from, int* sum, int count);
/// Adds to `counter` (a __device__ variable), reads `table` (__constant__) and `common`
/// (__managed__).
void launch_variables(int* result);
/// Writes one int at `where`.
void launch_store(int* where, int value, ihipStream_t* stream = nullptr);
/// Ends when the flag is set.
void launch_forever(int* flag, ihipStream_t* stream = nullptr);

const void* arguments_stub();
const void* bounded_stub();    ///< __launch_bounds__(64), takes no argument
const void* fixed_lds_stub();  ///< has 4096 bytes of LDS
const void* meet_stub();       ///< of cooperative launches: void meet(int* sum, int* seen)
const void* meet_all_stub();   ///< the same on several devices
const void* scale_stub();

const void* counter_variable();  ///< __device__ int counter = 7
const void* table_variable();    ///< __constant__ float table[4] = {1, 2, 4, 8}
int& common_variable();          ///< __managed__ int common = 3
