// A DWARF 5 line table by hand, for one instruction in /src/a.hip:42. With other forms or counts it
// is one of those on which LLVM 22's parser crashes or never ends.
  .amdgcn_target "amdgcn-amd-amdhsa--gfx942"
.ifndef PATH_FORM
  .set PATH_FORM, 0x08   // DW_FORM_string
.endif
.ifndef DIRECTORY_FORM
  .set DIRECTORY_FORM, 0x0b  // DW_FORM_data1
.endif
.ifndef COUNT
  .set COUNT, 1
.endif
  .text
  .globl f
  .type f,@function
f:
  s_endpgm
.Lend_of_f:
  .size f, .Lend_of_f - f

  .section .debug_line,"",@progbits
  .4byte .Lend - .Lbegin
.Lbegin:
  .2byte 5          // version
  .byte 8, 0        // sizes of an address, of a segment
  .4byte .Lprogram - .Lheader
.Lheader:
  .byte 4, 1, 1     // bytes of an instruction, operations of one, is_stmt
  .byte -5, 14, 13  // line base, line range, opcode base
  .byte 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1
  .byte 1           // directories: DW_LNCT_path as DW_FORM_string
  .uleb128 1
  .uleb128 8
  .uleb128 1
  .asciz "/src"
  .byte 2           // files: DW_LNCT_path, DW_LNCT_directory_index
  .uleb128 1
  .uleb128 PATH_FORM
  .uleb128 2
  .uleb128 DIRECTORY_FORM
  .uleb128 COUNT
  .asciz "a.hip"
  .byte 0
.Lprogram:
  .byte 0, 9, 2     // DW_LNE_set_address
  .8byte f
  .byte 4, 0        // DW_LNS_set_file
  .byte 3, 41       // DW_LNS_advance_line
  .byte 1           // DW_LNS_copy
  .byte 2, 1        // DW_LNS_advance_pc
  .byte 0, 1, 1     // DW_LNE_end_sequence
.Lend:
