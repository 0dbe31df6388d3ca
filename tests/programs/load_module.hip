// Loads a code object or fat binary from a file and runs its kernel "store".
//   load_module FILE
#include <vector>

#include "check.h"

int main(int argc, char** argv) {
  if (argc != 2) return 72;
  hipModule_t module = nullptr;
  hipError_t error = hipModuleLoad(&module, argv[1]);
  tell("load", error);
  if (error != hipSuccess) return 0;
  hipFunction_t function = nullptr;
  error = hipModuleGetFunction(&function, module, "store");
  tell("function", error);
  if (error != hipSuccess) return 0;
  int* out = device_array<int>(64);
  void* arguments[] = {&out};
  tell("launch",
       hipModuleLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, nullptr, arguments, nullptr));
  tell("wait", hipDeviceSynchronize());
  int host = 0;
  MUST(hipMemcpy(&host, out, sizeof host, hipMemcpyDeviceToHost));
  std::printf("out: %d\n", host);
}
