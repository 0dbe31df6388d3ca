// Half of a program with two fat binaries. No HIP headers: what the host side of a kernel needs is
// spelled out.
#define __global__ __attribute__((global))
struct dim3 {
  unsigned x, y, z;
};
enum hipError_t { hipSuccess };
extern "C" hipError_t hipLaunchKernel(const void*, dim3, dim3, void**, unsigned long, void*);
extern "C" hipError_t __hipPopCallConfiguration(dim3*, dim3*, unsigned long*, void*);

extern "C" __global__ void one(int* out) { *out = 1; }
