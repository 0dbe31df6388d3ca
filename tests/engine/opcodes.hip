// Device code of opcodes_test.cpp: a kernel with room for instructions that the test puts there. No
// HIP headers.
#define GLOBAL __attribute__((global))
#define SHARED __attribute__((shared))

using u32 = unsigned int;
using u64 = unsigned long;

#if defined(__gfx90a__) || defined(__gfx942__) || defined(__gfx950__)
#define END "0xbf810000"
#define REGISTERS "v255", "a255"
#else
#define END "0xbfb00000"
#define REGISTERS "v255"
#endif

SHARED u32 lds[8192];

// Pairs of scalar registers point to `data`, vector registers and M0 are zero; then the kernel goes
// to `offset` bytes behind the mark, s_nop 0xabcd.
extern "C" GLOBAL
    __attribute__((amdgpu_flat_work_group_size(1, 64), amdgpu_waves_per_eu(1, 1))) void
    slots(u32* data, const u32* offset) {
  lds[__builtin_amdgcn_workitem_id_x()] = 1;
  asm volatile(
      "s_mov_b64 s[8:9], %0\n"
      "s_mov_b32 vcc_lo, %1\n"
      ".irp n, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 34, 36, 38, 40, 42, 44, 46, 48, 50, "
      "52, 54, 56, 58, 60, 62, 64, 66, 68, 70, 72, 74, 76, 78, 80, 82, 84, 86, 88, 90, 92, 94, 96, "
      "98, 100, 0, 2, 4, 6\n"
      "s_mov_b64 s[\\n:\\n+1], s[8:9]\n"
      ".endr\n"
      ".set n, 0\n"
      ".rept 256\n"
      "v_mov_b32 v[n], 0\n"
      ".set n, n+1\n"
      ".endr\n"
      "s_mov_b32 m0, 0\n"
      "s_mov_b32 s101, vcc_lo\n"
      "s_getpc_b64 vcc\n"
      "1:\n"
      "s_add_u32 vcc_lo, vcc_lo, s101\ns_addc_u32 vcc_hi, vcc_hi, 0\n"
      "s_add_u32 vcc_lo, vcc_lo, 2f-1b\ns_addc_u32 vcc_hi, vcc_hi, 0\n"
      "s_mov_b32 s101, s9\n"
      "s_setpc_b64 vcc\n"
      "s_nop 0xabcd\n"
      "2:\n"
      ".fill 8*2048, 4, " END "\n"
      :
      : "s"(data), "s"(*offset)
      : "memory", "vcc", "scc", REGISTERS);
}
