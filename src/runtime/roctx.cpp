// libroctx64: of ROCm's markers the ranges of a thread (roctx.h of ROCm's roctracer, version 4.1).
#include <cstdint>

#include "runtime/memory/range.h"

extern "C" {

#define ROCTX __attribute__((visibility("default")))

ROCTX std::uint32_t roctx_version_major();
ROCTX std::uint32_t roctx_version_minor();
ROCTX int roctxRangePushA(const char* message);
ROCTX int roctxRangePop();
ROCTX void roctxMarkA(const char* message);

std::uint32_t roctx_version_major() {
  return 4;
}
std::uint32_t roctx_version_minor() {
  return 1;
}
int roctxRangePushA(const char* message) {
  return hipsight_range_push(message);
}
int roctxRangePop() {
  return hipsight_range_pop();
}
/// A moment: no launch lies in it.
void roctxMarkA(const char*) {}

}  // extern "C"
