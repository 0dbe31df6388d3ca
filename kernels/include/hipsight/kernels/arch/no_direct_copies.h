// For GPUs that copy 16 bytes to shared memory only through registers.
#pragma once

#include "../types.h"

namespace hipsight::kernels::arch {

inline constexpr bool direct_copies = false;

template <class Value>
HIPSIGHT_INLINE void copy_to_shared(const void*, std::uint32_t, std::uint32_t, Chunk<Value>*) {
  static_assert(sizeof(Value) == 0, "copy_to_shared: this GPU has no direct copies");
}

template <int>
HIPSIGHT_INLINE void wait_for_copies() {}

}  // namespace hipsight::kernels::arch
