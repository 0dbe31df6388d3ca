#pragma once

#include "runtime/abi.h"
#include "runtime/error.h"
#include "runtime/hip_types.h"

namespace hipsight::runtime {

/// The number that programs of this library's HIP version have for a memory type.
inline unsigned type_number(hipMemoryType type) {
  if (abi_version() >= 6) return type;
  switch (type) {
    case hipMemoryTypeHost:
      return static_cast<unsigned>(hipMemoryTypeR0000::Host);
    case hipMemoryTypeManaged:
      return static_cast<unsigned>(hipMemoryTypeR0000::Managed);
    case hipMemoryTypeArray:
      return static_cast<unsigned>(hipMemoryTypeR0000::Array);
    case hipMemoryTypeUnified:
      return static_cast<unsigned>(hipMemoryTypeR0000::Unified);
    default:
      return static_cast<unsigned>(hipMemoryTypeR0000::Device);
  }
}

/// The memory type behind such a number. @throws Failure hipErrorInvalidValue.
inline hipMemoryType memory_type(unsigned number) {
  for (const auto type : {hipMemoryTypeHost, hipMemoryTypeDevice, hipMemoryTypeManaged,
                          hipMemoryTypeArray, hipMemoryTypeUnified})
    if (type_number(type) == number) return type;
  fail_with(hipErrorInvalidValue);
}

}  // namespace hipsight::runtime
