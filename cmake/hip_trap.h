// How HIP's own headers trap (make_sdk in ./dev puts it among them).
#pragma once

// Behind a trap in a function for gfx1100, gfx1101 and gfx1102, clang 22 leaves out a step of what
// follows (llvm-project issue 208912, "Unsupported instruction"), so that a second trap does not
// compile: and each __shfl_sync has two. There they share a function of their own.
#if defined(__gfx1100__) || defined(__gfx1101__) || defined(__gfx1102__) || \
    defined(__gfx11_generic__)
extern "C" __attribute__((device, noinline, cold, noreturn, weak)) void __hip_trap() {
  __builtin_trap();
}
#else
#define __hip_trap() __builtin_trap()
#endif
