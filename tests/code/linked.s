// One of several objects (PART) that are linked to one code object. Each has a metadata note, a line
// table, a printf format and a section of descriptors of its own, a local function `helper`, and a
// kernel `shared`, of which the linker keeps one.
  .amdgcn_target "amdgcn-amd-amdhsa--gfx942"
  .macro kernel name, binding, part
  .\binding \name
  .p2align 8
  .type \name,@function
\name:
  .loc 1 \part\()0 1
  s_endpgm
  .endm
  .macro descriptor name, part
  .p2align 6
  .amdhsa_kernel \name
    .amdhsa_next_free_vgpr 8 * \part
    .amdhsa_next_free_sgpr 8
    .amdhsa_accum_offset 8
  .end_amdhsa_kernel
  .endm
  .macro object part
  .file 1 "/src/part_\part\().hip"
  .section .text.shared,"axG",@progbits,shared,comdat
  kernel shared, weak, \part
  .fill 0x2000 * \part, 4, 0xbf800000  // s_nop 0: part 2 has more than lies before kernel_3
  .size shared, . - shared
  .section .rodata.shared,"aG",@progbits,shared,comdat
  descriptor shared, \part
  .text
  kernel kernel_\part, globl, \part
  .size kernel_\part, . - kernel_\part
  .type helper,@function
helper:
  .loc 1 \part\()1 1
  s_setpc_b64 s[30:31]
  .size helper, . - helper
  .section .rodata.part_\part,"a",@progbits
  descriptor kernel_\part, \part
  .amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.printf: ["0:0:000\part,of \part\n"]
amdhsa.kernels:
  - {.name: shared, .symbol: shared.kd, .kernarg_segment_size: 0, .kernarg_segment_align: 8, .group_segment_fixed_size: 0, .private_segment_fixed_size: 0, .wavefront_size: 64, .sgpr_count: 8, .vgpr_count: 8\part, .max_flat_workgroup_size: 256}
  - {.name: kernel_\part, .symbol: kernel_\part\().kd, .kernarg_segment_size: 0, .kernarg_segment_align: 8, .group_segment_fixed_size: 0, .private_segment_fixed_size: 0, .wavefront_size: 64, .sgpr_count: 8, .vgpr_count: 8, .max_flat_workgroup_size: 256}
  .end_amdgpu_metadata
  .endm
  .altmacro
  object %PART
