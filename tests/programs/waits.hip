// Assembly that uses registers before it has waited for them, each beside its fixed twin (-DFIXED);
// waitcheck_test.cpp. What it computes is right here: the engine has every load done at once.
#include <cstring>

#include "check.h"

#if defined(__gfx1201__)
#define WAIT_LOADS(n) "s_wait_loadcnt " #n "\n"
#define WAIT_LDS(n) "s_wait_dscnt " #n "\n"
#define WAIT_SCALAR "s_wait_kmcnt 0\n"
#define WAIT_FLAT "s_wait_loadcnt_dscnt 0\n"
#define LOAD "global_load_b32"
#define LDS "ds_load_b32"
#define SCALAR "s_load_b32"
#define FLAT "flat_load_b32"
#define OFF "off"
#elif defined(__gfx1100__)
#define WAIT_LOADS(n) "s_waitcnt vmcnt(" #n ")\n"
#define WAIT_LDS(n) "s_waitcnt lgkmcnt(" #n ")\n"
#define WAIT_SCALAR WAIT_LDS(0)
#define WAIT_FLAT "s_waitcnt vmcnt(0) lgkmcnt(0)\n"
#define LOAD "global_load_b32"
#define LDS "ds_load_b32"
#define SCALAR "s_load_b32"
#define FLAT "flat_load_b32"
#else
#define WAIT_LOADS(n) "s_waitcnt vmcnt(" #n ")\n"
#define WAIT_LDS(n) "s_waitcnt lgkmcnt(" #n ")\n"
#define WAIT_SCALAR WAIT_LDS(0)
#define WAIT_FLAT "s_waitcnt vmcnt(0) lgkmcnt(0)\n"
#define LOAD "global_load_dword"
#define LDS "ds_read_b32"
#define SCALAR "s_load_dword"
#define FLAT "flat_load_dword"
#endif
#ifdef FIXED
#define FIX(wait) wait
#else
#define FIX(wait)
#endif

// No wait at all.
__global__ void none(const float* in, float* out) {
  float value;
  asm volatile(LOAD " %0, %1, off\n" FIX(WAIT_LOADS(0)) "v_add_f32 %0, 1.0, %0\n"
               : "=&v"(value)
               : "v"(in + threadIdx.x)
               : "memory");
  out[threadIdx.x] = value;
}

// A wait for the first of two loads, and a use of the second one.
__global__ void first(const float* in, float* out) {
  float a, b;
  asm volatile(LOAD " %0, %2, off\n" LOAD " %1, %2, off offset:4\n" WAIT_LOADS(1)
                   FIX(WAIT_LOADS(0)) "v_add_f32 %0, %0, %1\n"
               : "=&v"(a), "=&v"(b)
               : "v"(in + threadIdx.x)
               : "memory");
  out[threadIdx.x] = a;
}

// The wrong counter.
__global__ void counter(float* out) {
  __shared__ float shared[64];
  shared[threadIdx.x] = 3;
  float value;
  asm volatile(LDS " %0, %1\n" WAIT_LOADS(0) FIX(WAIT_LDS(0)) "v_add_f32 %0, 1.0, %0\n" WAIT_LDS(0)
               : "=&v"(value)
               : "v"(reinterpret_cast<__attribute__((address_space(3))) float*>(
                   reinterpret_cast<std::uintptr_t>(shared + threadIdx.x)))
               : "memory");
  out[threadIdx.x] = value;
}

// Scalar loads come in any order: a wait for one of two says nothing.
__global__ void scalar(const float* in, float* out) {
  float value, other;
  asm volatile(SCALAR " %0, %2, 0x0\n" SCALAR
                      " %1, %2, 0x4\n"
#if defined(__gfx1201__)
                      "s_wait_kmcnt 1\n"
#else
               WAIT_LDS(1)
#endif
               FIX(WAIT_SCALAR) "s_add_u32 %0, %0, 0\n" WAIT_SCALAR
               : "=&s"(value), "=&s"(other)
               : "s"(in)
               : "memory", "scc");
  out[threadIdx.x] = value;
}

// The register is written, and then once more by the load.
__global__ void overwrites(const float* in, float* out) {
  float value;
  asm volatile(LOAD " %0, %1, off\n" FIX(WAIT_LOADS(0)) "v_mov_b32 %0, 1.0\n" WAIT_LOADS(0)
               : "=&v"(value)
               : "v"(in + threadIdx.x)
               : "memory");
  out[threadIdx.x] = value;
}

// A flat load may come from LDS, too.
__global__ void flat(const float* in, float* out) {
  float value;
  asm volatile(FLAT " %0, %1\n" WAIT_LOADS(0) FIX(WAIT_FLAT) "v_add_f32 %0, 1.0, %0\n" WAIT_FLAT
               : "=&v"(value)
               : "v"(in + threadIdx.x)
               : "memory");
  out[threadIdx.x] = value;
}

// The wait is on one way only.
__global__ void branch(const float* in, float* out, int waits) {
  float value;
  asm volatile(
      LOAD
      " %0, %1, off\n"
      "s_cmp_eq_u32 %2, 0\n"
      "s_cbranch_scc1 1f\n" WAIT_LOADS(0) "1:\n" FIX(WAIT_LOADS(0)) "v_add_f32 %0, 1.0, %0\n"
      : "=&v"(value)
      : "v"(in + threadIdx.x), "s"(waits)
      : "memory", "scc");
  out[threadIdx.x] = value;
}

// The address of a store.
__global__ void address(float* const* in, float) {
  float* to;
  asm volatile(
#if defined(__gfx1201__) || defined(__gfx1100__)
      "global_load_b64 %0, %1, off\n" FIX(WAIT_LOADS(0)) "global_store_b32 %0, %2, off\n"
#else
      "global_load_dwordx2 %0, %1, off\n" FIX(WAIT_LOADS(0)) "global_store_dword %0, %2, off\n"
#endif
      : "=&v"(to)
      : "v"(in + threadIdx.x), "v"(2.0f)
      : "memory");
}

int main(int, char** arguments) {
  const char* name = arguments[1];
  const auto is = [&](const char* kernel) { return !std::strcmp(name, kernel); };
  float *in = device_array<float>(256), *out = device_array<float>(256);
  float** places = device_array<float*>(64);
  float* host[64];
  for (int i = 0; i < 64; ++i) host[i] = out + i;
  MUST(hipMemcpy(places, host, sizeof host, hipMemcpyHostToDevice));
  if (is("none")) none<<<1, 64>>>(in, out);
  if (is("first")) first<<<1, 64>>>(in, out);
  if (is("counter")) counter<<<1, 64>>>(out);
  if (is("scalar")) scalar<<<1, 64>>>(in, out);
  if (is("overwrites")) overwrites<<<1, 64>>>(in, out);
  if (is("flat")) flat<<<1, 64>>>(in, out);
  if (is("branch")) branch<<<1, 64>>>(in, out, 0);
  if (is("address")) address<<<1, 64>>>(places, 0);
  MUST(hipDeviceSynchronize());
  return 0;
}
