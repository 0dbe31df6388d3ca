// A plugin that uses HIP and C++'s library, which it may have inside, for all to see.
#include <hip/hip_runtime_api.h>

#include <iostream>
#include <sstream>

/// Stores 42 by the kernel `store`; 0 if that worked.
extern "C" int run(const char* code_object) {
  double half = 0;
  std::istringstream("0.5") >> half;  // numbers, which our files of GPUs hold, too
  int count = 0, value = 42, *memory = nullptr;
  if (hipGetDeviceCount(&count) != hipSuccess || count != 1) return 10;
  hipModule_t module = nullptr;
  hipFunction_t store = nullptr;
  if (hipModuleLoad(&module, code_object) != hipSuccess) return 11;
  if (hipModuleGetFunction(&store, module, "_Z5storePii") != hipSuccess) return 12;
  if (hipMallocManaged(reinterpret_cast<void**>(&memory), sizeof *memory) != hipSuccess) return 13;
  void* arguments[] = {&memory, &value};
  if (hipModuleLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr) != hipSuccess)
    return 14;
  if (hipDeviceSynchronize() != hipSuccess || *memory != 42) return 15;
  std::cout << "stored " << *memory * half * 2 << std::endl;
  return 0;
}
