// What hosts do wrong with memory, each by its name; found_test.cpp.
#include <hip/hip_runtime.h>

#include <cstring>

int main(int, char** arguments) {
  const char* what = arguments[1];
  float *first = nullptr, *second = nullptr;
  float own = 0;
  (void)hipMalloc(&first, 1000);
  (void)hipMallocManaged(&second, 64);
  hipError_t freed = hipSuccess;
  if (!std::strcmp(what, "inner")) freed = hipFree(first + 25);
  if (!std::strcmp(what, "own")) freed = hipFree(&own);
  if (std::strcmp(what, "leak")) (void)hipFree(first);
  if (!std::strcmp(what, "twice")) freed = hipFree(first);
  if (!std::strcmp(what, "many"))
    for (int i = 0; i < 25; ++i) (void)hipMalloc(&first, 100);
  (void)hipFree(second);
  return freed == hipSuccess || freed == hipErrorInvalidValue ? 0 : 1;
}
