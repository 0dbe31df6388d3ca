/* Stands in for AMD's library while "greeting" is linked, so that it asks for the names and versions
   that programs built with ROCm ask for. All of its functions fail. */
#define FAILS(name) \
  int name(void) { return 999; }
FAILS(hipGetDeviceProperties)
FAILS(hipGetLastError)
FAILS(hipLaunchKernel)
FAILS(hipMalloc)
FAILS(hipMemcpy)
FAILS(__hipPopCallConfiguration)
FAILS(__hipPushCallConfiguration)
FAILS(__hipRegisterFunction)
FAILS(__hipUnregisterFatBinary)

void* __hipRegisterFatBinary(void) { return 0; }
const char* hipGetErrorName(void) { return "the stand-in's error"; }
