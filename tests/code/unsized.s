// Functions whose size is not said, as hand-written kernels often have them.
  .amdgcn_target "amdgcn-amd-amdhsa--gfx942"
  .text
  .globl f
  .type f,@function
f:
  s_nop 0
  s_nop 0
  s_endpgm
  .globl g
  .type g,@function
g:
  s_nop 0
  s_endpgm
