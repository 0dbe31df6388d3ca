// Dynamic relocations that name symbols: a defined one, a weak one that nobody defines, one that
// nobody defines at all (in its own object, with UNDEFINED set).
  .amdgcn_target "amdgcn-amd-amdhsa--gfx942"
  .data
  .globl here
  .type here,@object
  .size here,8
here:
  .quad 42
  .globl slots
  .type slots,@object
  .size slots,40
slots:
  .quad here + 4
  .weak maybe
  .quad maybe
  .quad here - 8
  .quad 0x1122334455667788
.ifdef UNDEFINED
  .quad elsewhere
.else
  .quad 0
.endif
