// Against the compiler's wish to compute early.
#pragma once

#include "../types.h"

namespace hipsight::kernels::arch {

/// x, of which the compiler does not know that it is the same each time, and which it computes in
/// the order of all that is computed anew. Else it computes the addresses of so many lines before
/// the loop, and reads the operands of all steps first: neither may fit the registers.
template <class Value>
HIPSIGHT_INLINE Value anew(Value x) {
#if defined(__AMDGCN__)
  asm volatile("" : "+v"(x));
#endif
  return x;
}

/// x, the same for all lanes of a wave, in scalar registers from here on: it is not read anew, from
/// what the kernel was given, in a loop's way.
template <class Value>
HIPSIGHT_INLINE Value held(Value x) {
#if defined(__HIP_DEVICE_COMPILE__)
  asm volatile("" : "+s"(x));
#endif
  return x;
}

/// x in registers of its own: those that it was in may be loaded anew.
HIPSIGHT_INLINE float moved(float x) {
#if defined(__AMDGCN__)
  float result;
  asm volatile("v_mov_b32 %0, %1" : "=v"(result) : "v"(x));
  return result;
#else
  return x;
#endif
}

}  // namespace hipsight::kernels::arch
