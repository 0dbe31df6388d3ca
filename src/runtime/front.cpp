// The library that a program loads: front.h. It differs from the others of its kind in the version
// that it stands in for, its SONAME and its version script.
#include "runtime/front.h"

// Every function by name: its number, and on.
#define FORWARD(number, name)                                                                  \
  asm(".globl " #name "\n.type " #name ", @function\n.p2align 4\n" #name ":\n  movl $" #number \
      ", %eax\n  jmp hipsight_forward\n.size " #name ", . - " #name);
#include "forwards.inc"
#undef FORWARD

// Arguments stay where they are: in registers, which are kept here, and on the stack.
asm(R"(
.type hipsight_forward, @function
.p2align 4
hipsight_forward:
  .cfi_startproc
  pushq %rbp
  .cfi_def_cfa_offset 16
  .cfi_offset %rbp, -16
  movq %rsp, %rbp
  .cfi_def_cfa_register %rbp
  pushq %rdi
  pushq %rsi
  pushq %rdx
  pushq %rcx
  pushq %r8
  pushq %r9
  subq $128, %rsp
  movups %xmm0, (%rsp)
  movups %xmm1, 16(%rsp)
  movups %xmm2, 32(%rsp)
  movups %xmm3, 48(%rsp)
  movups %xmm4, 64(%rsp)
  movups %xmm5, 80(%rsp)
  movups %xmm6, 96(%rsp)
  movups %xmm7, 112(%rsp)
  leaq hipsight_front(%rip), %rdi
  movl %eax, %esi
  call *hipsight_enter@GOTPCREL(%rip)
  movq %rax, %r11
  movups (%rsp), %xmm0
  movups 16(%rsp), %xmm1
  movups 32(%rsp), %xmm2
  movups 48(%rsp), %xmm3
  movups 64(%rsp), %xmm4
  movups 80(%rsp), %xmm5
  movups 96(%rsp), %xmm6
  movups 112(%rsp), %xmm7
  addq $128, %rsp
  popq %r9
  popq %r8
  popq %rcx
  popq %rdx
  popq %rsi
  popq %rdi
  popq %rbp
  .cfi_def_cfa %rsp, 8
  jmp *%r11
  .cfi_endproc
.size hipsight_forward, . - hipsight_forward
)");

extern "C" {

#define FORWARD(number, name) void name();
#include "forwards.inc"
#undef FORWARD

#define FORWARD(number, name) reinterpret_cast<const void*>(&(name)),
static const void* const functions[] = {
#include "forwards.inc"
};
#undef FORWARD

extern const HipsightFront hipsight_front;
const HipsightFront hipsight_front = {HIPSIGHT_ABI_VERSION, functions};

}  // extern "C"
