// Against the compiler's wish to compute early.
#pragma once

#include "../types.h"

namespace hipsight::kernels::arch {

/// x, of which the compiler does not know that it is the same each time, and which it computes in
/// the order of all that is computed anew. Else it computes the addresses of so many lines before
/// the loop, and reads the operands of all steps first: neither may fit the registers.
template <class T>
HIPSIGHT_INLINE T anew(T x) {
#if defined(__AMDGCN__)
  asm volatile("" : "+v"(x));
#endif
  return x;
}

}  // namespace hipsight::kernels::arch
