// Device code of accesses_test.cpp: one wave that fills its registers, LDS and scratch, runs one
// instruction that the test puts there, and writes down LDS and scratch. No HIP headers.
#define GLOBAL __attribute__((global))
#define SHARED __attribute__((shared))

using u32 = unsigned int;
using u64 = unsigned long;

#if defined(__gfx90a__) || defined(__gfx942__) || defined(__gfx950__)
#define CDNA 1
#define REGISTERS "v255", "a255"
#define WAIT "s_waitcnt vmcnt(0) lgkmcnt(0)\n"
#define LOAD "global_load_dword"
#define STORE "global_store_dword"
#define SCRATCH_LOAD "scratch_load_dword"
#define SCRATCH_STORE "scratch_store_dword"
#define SCALAR4 "s_load_dwordx4"
#define LDS_LOAD "ds_read_b32"
#define LDS_STORE "ds_write_b32"
#define ADD "v_add_u32_e32"
#else
#define REGISTERS "v255"
#if defined(__gfx1200__) || defined(__gfx1201__)
#define WAIT "s_wait_idle\n"
#else
#define WAIT "s_waitcnt vmcnt(0) lgkmcnt(0)\ns_waitcnt_vscnt null, 0x0\n"
#endif
#define LOAD "global_load_b32"
#define STORE "global_store_b32"
#define SCRATCH_LOAD "scratch_load_b32"
#define SCRATCH_STORE "scratch_store_b32"
#define SCALAR4 "s_load_b128"
#define ADD "v_add_nc_u32_e32"
#define LDS_LOAD "ds_load_b32"
#define LDS_STORE "ds_store_b32"
#endif
#if defined(CDNA) || defined(WAVE64)
#define LANES "64"
#define EXEC_ALL "s_mov_b64 exec, -1\n"
#else
#define LANES "32"
#define EXEC_ALL "s_mov_b32 exec_lo, -1\n"
#endif

// As accesses_test.cpp has them, in dwords.
constexpr u32 lds_words = 4096;
constexpr u32 scratch_words = 32;  // of a lane
SHARED u32 lds[lds_words];

// `image`: 256 dwords for each lane, one vector register after the other; then 100 scalar ones, M0
// and EXEC. `memory`: LDS, then each lane's scratch. What they hold afterwards goes to `left`,
// which the code after the instruction knows by a constant that the test replaces.
extern "C" GLOBAL
    __attribute__((amdgpu_flat_work_group_size(1, 64), amdgpu_waves_per_eu(1, 1))) void
    access(const u32* image, u32* memory, const u32* offset) {
  volatile u32 own[scratch_words + 16];
  const u32 lane = __builtin_amdgcn_workitem_id_x();
  const u32 where = __builtin_amdgcn_readfirstlane(*offset);
  const u32 lanes = __builtin_amdgcn_wavefrontsize();
  for (u32 i = 0; i < lds_words / lanes; ++i) lds[i * lanes + lane] = memory[i * lanes + lane];
  own[lane & 1] = lane;
  asm volatile(
      // Scratch, from its first byte on.
      "v_mov_b32 v2, 0\n"
      "v_lshlrev_b32 v1, 2, %3\n"
      "s_mov_b64 s[4:5], %1\n"
      "s_add_u32 s4, s4, 4096*4\ns_addc_u32 s5, s5, 0\n"
      ".set n, 0\n"
      ".rept 32\n" LOAD " v3, v1, s[4:5]\n" WAIT SCRATCH_STORE
      " v2, v3, off offset:n*4\n"
      "s_add_u32 s4, s4, 4*" LANES
      "\ns_addc_u32 s5, s5, 0\n"
      ".set n, n+1\n"
      ".endr\n"
      // Vector registers.
      "s_mov_b64 s[4:5], %0\n"
      "s_mov_b32 vcc_lo, %2\n"
      "v_mov_b32 v255, v1\n"
      ".set n, 0\n"
      ".rept 16\n"
      ".set k, 0\n"
      ".rept 16\n" LOAD " v[n], v255, s[4:5] offset:k*4*" LANES
      "\n"
      ".set n, n+1\n"
      ".set k, k+1\n"
      ".endr\n"
      "s_add_u32 s4, s4, 64*" LANES
      "\ns_addc_u32 s5, s5, 0\n"
      ".endr\n" WAIT
#ifdef CDNA
      ".set n, 0\n"
      ".rept 256\n"
      "v_accvgpr_write_b32 a[n], v[n]\n"
      ".set n, n+1\n"
      ".endr\n"
#endif
      // Where the instruction is; then scalar registers.
      "s_mov_b32 s99, vcc_lo\n"
      "s_mov_b64 s[96:97], s[4:5]\n"
      "s_getpc_b64 vcc\n"
      "1:\n"
      "s_add_u32 vcc_lo, vcc_lo, s99\ns_addc_u32 vcc_hi, vcc_hi, 0\n"
      "s_add_u32 vcc_lo, vcc_lo, 2f-1b\ns_addc_u32 vcc_hi, vcc_hi, 0\n"
      ".set n, 0\n"
      ".rept 24\n" SCALAR4
      " s[n:n+3], s[96:97], n*4\n"
      ".set n, n+4\n"
      ".endr\n" SCALAR4 " s[96:99], s[96:97], 100*4\n" WAIT
      "s_mov_b32 m0, s96\n"
      "s_mov_b32 exec_lo, s97\n"
#if defined(CDNA) || defined(WAVE64)
      "s_mov_b32 exec_hi, s98\n"
#endif
      "s_setpc_b64 vcc\n"
      "s_nop 0xabcd\n"
      "2:\n"
      ".fill 8*1024, 4, 0xbf800000\n"
      "s_nop 0xabce\n" WAIT EXEC_ALL
      // What is left. Lanes are numbered anew: no register is what it was.
      "s_mov_b32 s0, 0x5eed0001\ns_mov_b32 s1, 0x5eed0002\n"
      "v_mbcnt_lo_u32_b32 v0, -1, 0\nv_mbcnt_hi_u32_b32 v0, -1, v0\n"
      "v_lshlrev_b32 v0, 2, v0\n"
      "v_mov_b32 v2, 0\n"
      "v_mov_b32 v1, v0\n"
      ".rept 4096/" LANES "\n" LDS_LOAD " v3, v1\n" WAIT STORE " v0, v3, s[0:1]\n" ADD
      " v1, 4*" LANES
      ", v1\n"
      "s_add_u32 s0, s0, 4*" LANES
      "\ns_addc_u32 s1, s1, 0\n"
      ".endr\n"
      ".set n, 0\n"
      ".rept 32\n" SCRATCH_LOAD " v3, v2, off offset:n*4\n" WAIT STORE
      " v0, v3, s[0:1]\n"
      "s_add_u32 s0, s0, 4*" LANES
      "\ns_addc_u32 s1, s1, 0\n"
      ".set n, n+1\n"
      ".endr\n" WAIT "s_endpgm\n"
      :
      : "s"(image), "s"(memory), "s"(where), "v"(lane)
      : "memory", "vcc", "scc", "v0", "v1", "v2", "v3", "s4", "s5", "s96", "s97", "s98", "s99",
        REGISTERS);
}
