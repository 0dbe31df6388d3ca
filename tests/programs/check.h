// What the programs here share: HIP calls that must work, and what a call came to.
#pragma once

#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#define MUST(call)                                                                       \
  do {                                                                                   \
    if (const hipError_t error = (call); error != hipSuccess) {                          \
      std::printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, hipGetErrorName(error)); \
      std::exit(70);                                                                     \
    }                                                                                    \
  } while (0)

// "WHAT: hipErrorName", on stdout.
inline void tell(const char* what, hipError_t error) {
  std::printf("%s: %s\n", what, hipGetErrorName(error));
}

// What a launch and the wait for it came to.
inline void tell_launch() {
  tell("launch", hipGetLastError());
  tell("wait", hipDeviceSynchronize());
}

// The same for a kernel that fails, which the launch may or may not know yet.
inline void tell_failure() {
  tell("wait", hipDeviceSynchronize());
  tell("after it", hipGetLastError());
}

template <class T>
T* device_array(size_t count) {
  T* data = nullptr;
  MUST(hipMalloc(reinterpret_cast<void**>(&data), count * sizeof(T)));
  return data;
}
