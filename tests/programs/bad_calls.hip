// Calls that HIP must refuse, and that must harm nothing.
#include "check.h"

__global__ void store(int* out) {
  out[threadIdx.x] = 42;
}
__global__ __launch_bounds__(256) void bounded(int* out) {
  out[threadIdx.x] = 42;
}
// Of more registers than the 1024 work-items that it promises to take leave each other.
__global__ __launch_bounds__(1024) void hungry(int* out) {
  asm volatile("" ::: "v199");
  out[threadIdx.x] = 42;
}

// A refused launch harms nothing: the next one runs.
void tell_refusal(const char* what, int* out) {
  tell(what, hipGetLastError());
  int host = 0;
  MUST(hipMemset(out, 0, sizeof host));
  store<<<1, 64>>>(out);
  MUST(hipGetLastError());
  MUST(hipMemcpy(&host, out, sizeof host, hipMemcpyDeviceToHost));
  if (host != 42) std::exit(71);
}

void bad_launches(int* out) {
  const dim3 none(0, 1, 1), one(1, 1, 1), many(64, 1, 1);
  store<<<none, many>>>(out);
  tell_refusal("no blocks", out);
  store<<<one, none>>>(out);
  tell_refusal("no threads", out);
  store<<<one, 2048>>>(out);
  tell_refusal("2048 threads", out);
  store<<<one, dim3(64, 64, 1)>>>(out);
  tell_refusal("64 x 64 threads", out);
  bounded<<<one, 512>>>(out);
  tell_refusal("512 threads of 256", out);
  store<<<one, many, 200 << 10>>>(out);
  tell_refusal("200 KiB of LDS", out);
  hungry<<<one, 512>>>(out);
  tell_refusal("512 threads of 200 registers", out);
  hungry<<<one, 1024>>>(out);
  tell_refusal("1024 threads of 200 registers", out);

  void* arguments[] = {&out};
  void* const kernel = reinterpret_cast<void*>(&store);
  void* const no_kernel = reinterpret_cast<void*>(&tell_refusal);
  tell("no function", hipLaunchKernel(nullptr, one, many, arguments, 0, nullptr));
  tell("no kernel", hipLaunchKernel(no_kernel, one, many, arguments, 0, nullptr));
  tell("no arguments", hipLaunchKernel(kernel, one, many, nullptr, 0, nullptr));
}

void bad_streams(int* out) {
  hipStream_t stream;
  MUST(hipStreamCreate(&stream));
  MUST(hipStreamDestroy(stream));
  store<<<1, 64, 0, stream>>>(out);
  tell_refusal("launch on a destroyed stream", out);
  tell("destroy it again", hipStreamDestroy(stream));
  tell("destroy the null stream", hipStreamDestroy(nullptr));
  tell("wait for the null stream", hipStreamSynchronize(nullptr));
}

void bad_memory() {
  char* const array = device_array<char>(1000);
  static char host[2000];
  tell("copy to beyond the end", hipMemcpy(array, host, 1001, hipMemcpyHostToDevice));
  tell("copy from beyond the end", hipMemcpy(host, array + 500, 501, hipMemcpyDeviceToHost));
  tell("copy to null", hipMemcpy(nullptr, host, 1000, hipMemcpyHostToDevice));
  tell("copy from null", hipMemcpy(array, nullptr, 1000, hipMemcpyHostToDevice));
  tell("set beyond the end", hipMemset(array, 0, 1001));
  void* large = nullptr;
  tell("allocate more than there is", hipMalloc(&large, size_t{1} << 50));
  tell("free from the middle", hipFree(array + 8));
  tell("free host memory", hipFree(host));
  tell("free", hipFree(array));
  tell("free again", hipFree(array));
  tell("copy to freed memory", hipMemcpy(array, host, 8, hipMemcpyHostToDevice));
}

int main() {
  int* const out = device_array<int>(4096);
  bad_launches(out);
  bad_streams(out);
  bad_memory();
  (void)hipGetLastError();
  tell_refusal("at the end", out);
}
