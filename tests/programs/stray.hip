// A kernel that goes to memory it must not touch, in a program that lives on.
//   stray CASE [EXIT_STATUS]
#include <sys/mman.h>

#include <memory>

#include "check.h"

__global__ void store(float* at) {
  at[threadIdx.x] = 1;  // stray store
}

__global__ void load(float* out, const float* at) {
  out[threadIdx.x] = at[threadIdx.x] + 1;  // stray load
}

// One address for the whole wave: read by scalar instructions.
__global__ void load_scalar(float* out, const float* __restrict__ at) {
  out[threadIdx.x] = at[0];  // stray scalar load
}

__global__ void add(int* at) {
  atomicAdd(at + threadIdx.x, 1);  // stray atomic
}

// The compiler cannot know what a pointer read from memory points at.
__global__ void store_flat(float** at) {
  float* volatile* pointer = at;
  (*pointer)[threadIdx.x] = 1;  // stray flat store
}

__global__ void store_lds(float* out, int index) {
  __shared__ float tile[64];
  tile[threadIdx.x] = 0;
  __syncthreads();
  tile[threadIdx.x + index] = 1;  // stray LDS store
  __syncthreads();
  out[threadIdx.x] = tile[63 - threadIdx.x];
}

__global__ void load_lds(float* out, int index) {
  __shared__ float tile[64];
  tile[threadIdx.x] = 2;
  __syncthreads();
  out[threadIdx.x] = 1 + tile[threadIdx.x + index];  // stray LDS load
  __syncthreads();
  out[threadIdx.x] += tile[threadIdx.x + index + 100];  // the kernel's second one is not told of
}

__global__ void store_scratch(float* out, int index) {
  volatile float own[16];
  for (int i = 0; i < 16; ++i) own[i] = i;
  own[index + threadIdx.x] = 1;  // stray scratch store
  out[threadIdx.x] = own[threadIdx.x & 15];
}

__global__ void call() {
  reinterpret_cast<void (*)()>(0x12345678)();  // stray call
}

// What the program is, and what it was given. The compiler must not know what is stored to.
__device__ __attribute__((noinline)) int callee(int a) {
  return a + 1;
}
__global__ void store_code(int* out) {
  out[threadIdx.x] = callee(out[threadIdx.x]);
  int* at = reinterpret_cast<int*>(&callee);
  asm volatile("" : "+v"(at));
  at[threadIdx.x] = 1;  // stray code store
}
__global__ void store_arguments(int* out) {
  int* at = (int*)__builtin_amdgcn_kernarg_segment_ptr();
  asm volatile("" : "+v"(at));
  at[threadIdx.x] = out[0];  // stray argument store
}

float host_global[64];
const float host_constant[64] = {};
float registered[64];  // all but the last

int main(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "";
  float host_local[64] = {};
  const auto host_heap = std::make_unique<float[]>(64);
  // 1000 bytes, so that its end is nowhere near the end of a page.
  float* const array = device_array<float>(250);
  MUST(hipMemset(array, 0, 1000));
  std::printf("before\n");

  if (name == "null") {
    store<<<1, 64>>>(nullptr);
  } else if (name == "call") {
    call<<<1, 64>>>();
  } else if (name == "near_null") {
    store<<<1, 64>>>(reinterpret_cast<float*>(64));
  } else if (name == "wild") {
    store<<<1, 64>>>(reinterpret_cast<float*>(0x123456789000));
  } else if (name == "beyond_48_bits") {
    store<<<1, 64>>>(reinterpret_cast<float*>(0xdeadbeefdeadbeec));
  } else if (name == "past_end") {
    store<<<1, 64>>>(array + 250 - 63);  // the last work-item is one element past the end
  } else if (name == "load_past_end") {
    load<<<1, 64>>>(array, array + 250 - 63);
  } else if (name == "scalar_load_past_end") {
    load_scalar<<<1, 64>>>(array, array + 250);
  } else if (name == "scalar_load_null") {
    load_scalar<<<1, 64>>>(array, nullptr);
  } else if (name == "atomic_past_end") {
    add<<<1, 64>>>(reinterpret_cast<int*>(array) + 250 - 63);
  } else if (name == "atomic_misaligned") {
    add<<<1, 64>>>(reinterpret_cast<int*>(reinterpret_cast<char*>(array) + 2));
  } else if (name == "later_wave") {
    store<<<1, 256>>>(array);  // the first waves stay within it
  } else if (name == "flat_past_end") {
    float* const target = array + 250 - 63;
    float** const pointer = device_array<float*>(1);
    MUST(hipMemcpy(pointer, &target, sizeof target, hipMemcpyHostToDevice));
    store_flat<<<1, 64>>>(pointer);
  } else if (name == "straddling") {
    store<<<1, 1>>>(reinterpret_cast<float*>(reinterpret_cast<char*>(array) + 998));
  } else if (name == "before") {
    store<<<1, 64>>>(array - 1);
  } else if (name == "freed") {
    float* const gone = device_array<float>(64);
    MUST(hipFree(gone));
    store<<<1, 64>>>(gone);
  } else if (name == "heap") {
    store<<<1, 64>>>(host_heap.get());
  } else if (name == "load_heap") {
    load<<<1, 64>>>(array, host_heap.get());
  } else if (name == "stack") {
    store<<<1, 64>>>(host_local);
  } else if (name == "host_global") {
    store<<<1, 64>>>(host_global);
  } else if (name == "host_constant") {
    tell("register", hipHostRegister(const_cast<float*>(host_constant), sizeof host_constant, 0));
    store<<<1, 64>>>(const_cast<float*>(host_constant));
  } else if (name == "unmapped") {
    void* const page =
        mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    tell("register", hipHostRegister(page, 4096, 0));
    munmap(page, 4096);
    store<<<1, 64>>>(static_cast<float*>(page));
  } else if (name == "registered") {
    tell("register", hipHostRegister(registered, sizeof registered - sizeof(float), 0));
    store<<<1, 64>>>(registered);
  } else if (name == "code") {
    store_code<<<1, 64>>>(reinterpret_cast<int*>(array));
  } else if (name == "arguments") {
    // One wave: others would load what it left.
    store_arguments<<<1, 32>>>(reinterpret_cast<int*>(array));
  } else if (name == "lds") {
    store_lds<<<1, 64>>>(array, 1);
  } else if (name == "lds_negative") {
    store_lds<<<1, 64>>>(array, -64);
  } else if (name == "lds_load") {
    load_lds<<<1, 64>>>(array, 1000);
  } else if (name == "scratch") {
    store_scratch<<<1, 64>>>(array, 1 << 20);
  } else if (name == "scratch_negative") {
    store_scratch<<<1, 64>>>(array, -(1 << 20));
  } else if (name == "fixed") {
    // The same kernels, each in its bounds.
    store<<<1, 64>>>(array + 250 - 64);
    load<<<1, 64>>>(array, array + 250 - 64);
    load_scalar<<<1, 64>>>(array, array + 249);
    add<<<1, 64>>>(reinterpret_cast<int*>(array) + 250 - 64);
    store_lds<<<1, 64>>>(array, 0);
    store_scratch<<<1, 16>>>(array, 0);
  } else {
    return 72;
  }
  tell_failure();

  float changed = host_local[0] + registered[63];
  for (int i = 0; i < 64; ++i) changed += host_local[i] + host_heap[i] + host_global[i];
  float loaded[64];
  if (name == "lds_load" &&
      hipMemcpy(loaded, array, sizeof loaded, hipMemcpyDeviceToHost) == hipSuccess)
    for (float value : loaded) changed += value - 1;  // zeros lie there
  std::printf("host memory: %s\n", changed == 0 ? "as it was" : "changed");
  std::printf("after\n");
  return argc > 2 ? std::atoi(argv[2]) : 0;
}
