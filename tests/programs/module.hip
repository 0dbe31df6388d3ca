// Device code that load_module loads.
#include <hip/hip_runtime.h>

extern "C" __global__ void store(int* out) {
  out[threadIdx.x] = 42;
}
