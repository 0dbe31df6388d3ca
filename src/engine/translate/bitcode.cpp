// The translator's bitcode as data: hipsight_meanings_{8,16}x{1,2}_{begin,end}.

#define HIPSIGHT_EMBED(NAME)               \
  asm("  .pushsection .rodata\n"           \
      "  .hidden hipsight_" NAME           \
      "_begin\n"                           \
      "  .globl hipsight_" NAME            \
      "_begin\n"                           \
      "  .balign 16\n"                     \
      "hipsight_" NAME                     \
      "_begin:\n"                          \
      "  .incbin \"" HIPSIGHT_BITCODE NAME \
      ".bc\"\n"                            \
      "  .hidden hipsight_" NAME           \
      "_end\n"                             \
      "  .globl hipsight_" NAME            \
      "_end\n"                             \
      "hipsight_" NAME                     \
      "_end:\n"                            \
      "  .byte 0\n"                        \
      "  .popsection\n")
HIPSIGHT_EMBED("meanings_8x1");
HIPSIGHT_EMBED("meanings_8x2");
HIPSIGHT_EMBED("meanings_16x1");
HIPSIGHT_EMBED("meanings_16x2");
