// The other half of the program: see program_one.hip.
#define __global__ __attribute__((global))
struct dim3 {
  unsigned x, y, z;
};
enum hipError_t { hipSuccess };
extern "C" hipError_t hipLaunchKernel(const void*, dim3, dim3, void**, unsigned long, void*);
extern "C" hipError_t __hipPopCallConfiguration(dim3*, dim3*, unsigned long*, void*);

extern "C" __global__ void two(int* out) { *out = 2; }
