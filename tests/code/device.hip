// Device code of the tests, without any HIP headers.
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))

__device__ int counter = 7;
__device__ float table[64];  // in .bss: zero, and not in the file
__constant__ double factors[3] = {1.5, -2.25, 1e100};

// A pointer table: each entry is a relocation.
__device__ int* pointers[4] = {&counter, nullptr, &counter + 5, (int*)&table[3]};

struct Pair {
  short a;
  double b;
};

__device__ __attribute__((noinline)) float square(float x) { return x * x + counter; }

extern "C" __global__ void scale(float* out, const float* in, float factor, unsigned n) {
  unsigned i = __builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() +
               __builtin_amdgcn_workitem_id_x();
  if (i < n) out[i] = in[i] * factor;
}

extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(1, 128))) void tile(
    float* out, char tag, Pair pair) {
  __shared__ float lds[300];
  unsigned i = __builtin_amdgcn_workitem_id_x();
  lds[i] = out[i] + tag;
  __builtin_amdgcn_s_barrier();
  out[i] = lds[299 - i] + pair.b;
}

extern "C" __global__ void calls(float* out, int** where) {
  unsigned i = __builtin_amdgcn_workitem_id_x();
  volatile float spill[32];
  spill[i & 31] = out[i];
  out[i] = square(spill[(i + 1) & 31]) + factors[i % 3] + table[i];
  where[0] = pointers[i & 3];
}

template <class T>
__global__ void fill(T* out, T value) {
  out[__builtin_amdgcn_workitem_id_x()] = value;
}
template __global__ void fill<int>(int*, int);
template __global__ void fill<double>(double*, double);
