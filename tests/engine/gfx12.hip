// Device code of gfx12_test.cpp: memory instructions and barriers of GFX12. No HIP headers. All
// kernels take `in` and `out`.
#define GLOBAL __attribute__((global))
#define DEVICE __attribute__((device))
#define SHARED __attribute__((shared))
#define WAIT "\ns_wait_loadcnt 0\ns_wait_storecnt 0\ns_wait_dscnt 0\ns_wait_kmcnt 0\n"

using u32 = unsigned int;
using u64 = unsigned long;
#ifdef WAVE64
constexpr u32 lanes = 64;
#else
constexpr u32 lanes = 32;
#endif

DEVICE static u32 item() {
  return __builtin_amdgcn_workitem_id_x();
}

// Lanes l and l + 32 of wave64 read the halves of what lane l of wave32 reads.
#define TRANSPOSED(NAME, TEXT, BYTES, WORDS)                                                \
  extern "C" GLOBAL void NAME(const u32* in, u32* out) {                                    \
    constexpr u32 part = BYTES * 32 / lanes;                                                \
    u32 __attribute__((ext_vector_type(WORDS))) result;                                     \
    asm volatile(TEXT WAIT                                                                  \
                 : "=&v"(result)                                                            \
                 : "v"((u64)in + item() % 32 * BYTES + item() / 32 * part));                \
    __builtin_memcpy((char*)out + item() % 32 * BYTES + item() / 32 * part, &result, part); \
  }
#if !defined(WAVE64)
TRANSPOSED(transposed16, "global_load_tr_b128 %0, %1, off", 16, 4)
TRANSPOSED(transposed8, "global_load_tr_b64 %0, %1, off", 8, 2)
#else
TRANSPOSED(transposed16, "global_load_tr_b128 %0, %1, off", 16, 2)
extern "C" GLOBAL void transposed8(const u32* in, u32* out) {
  u32 result;
  asm volatile("global_load_tr_b64 %0, %1, off" WAIT
               : "=&v"(result)
               : "v"((u64)in + item() % 32 * 8 + item() / 32 * 4));
  out[item() % 32 * 2 + item() / 32] = result;
}
#endif

// Loads dwords 0, 2, 3 and 31 of a block, whose address lies in it; stores 0 to 3 and 31.
#define BLOCK(LOAD, STORE)                \
  "v_mov_b32 v40, 7\nv_mov_b32 v41, 11\n" \
  "s_mov_b32 m0, 0x8000000d\n" LOAD WAIT "s_mov_b32 m0, 0x8000000f\n" STORE WAIT
#define BLOCK_REGISTERS                                                                          \
  "memory", "v40", "v41", "v42", "v43", "v44", "v45", "v46", "v47", "v48", "v49", "v50", "v51",  \
      "v52", "v53", "v54", "v55", "v56", "v57", "v58", "v59", "v60", "v61", "v62", "v63", "v64", \
      "v65", "v66", "v67", "v68", "v69", "v70", "v71"
extern "C" GLOBAL void blocks(const u32* in, u32* out) {
  const u64 from = (u64)(in + 32 * item()), to = (u64)(out + 64 * item());
  if (item() != 5)
    asm volatile("v_mov_b32 v42, %1\nv_mov_b32 v43, %2\n" BLOCK(
                     "global_load_block v[40:71], v[42:43], off",
                     "global_store_block %0, v[40:71], off offset:64")
                 :
                 : "v"(to), "v"((u32)from), "v"((u32)(from >> 32))
                 : BLOCK_REGISTERS);
}
extern "C" GLOBAL void scratch_blocks(const u32* in, u32* out) {
  volatile u32 array[64];
  for (u32 i = 0; i < 64; ++i) array[i] = in[32 * item() + i % 32];
  const u32 at = (u32)(u64)(__attribute__((address_space(5))) u32*)(u32*)array;
  asm volatile("v_mov_b32 v42, %0\n" BLOCK("scratch_load_block v[40:71], v42, off",
                                           "scratch_store_block %0, v[40:71], off offset:128")
               :
               : "v"(at)
               : BLOCK_REGISTERS);
  for (u32 i = 0; i < 32; ++i) out[64 * item() + 16 + i] = array[32 + i];
}

// in: an identifier and a value for each lane; out[0], out[1]: the turn and the sum.
extern "C" GLOBAL void ordered_add(const u32* in, u32* out) {
  u64 data = *(const u64*)(in + 2 * item()), old = 0;
  asm volatile("global_atomic_ordered_add_b64 %0, %1, %2, off th:TH_ATOMIC_RETURN" WAIT
               : "=&v"(old)
               : "v"(out), "v"(data)
               : "memory");
  *(u64*)(out + 2 + 2 * item()) = old;
}

SHARED volatile u32 lds[16];

DEVICE static u32 wave() {
  return __builtin_amdgcn_readfirstlane(item() / lanes);
}
DEVICE static void all_wait() {
  asm volatile("s_barrier_signal -1\ns_barrier_wait -1" ::: "memory");
}

// Four waves; 0 and 1 meet at barrier 1, while 2 and 3 never do. Wave 0 comes first.
extern "C" GLOBAL void named_barriers(const u32* in, u32* out) {
  u32 state = 0, first = 2;
  if (wave() == 0)
    asm volatile("s_mov_b32 m0, 0x20001\ns_barrier_init m0\ns_get_barrier_state %0, 1" WAIT
                 : "=&s"(state));
  if (item() == 0) {
    out[0] = state;
    lds[0] = 0;
  }
  all_wait();
  if (wave() < 2) {
    asm volatile("s_barrier_join 1" ::: "memory");
    if (wave() == 1) lds[0] = 42;
    asm volatile(WAIT
                 "s_barrier_signal_isfirst 1\ns_cselect_b32 %0, 1, 0\n"
                 "s_get_barrier_state %1, 1" WAIT "s_barrier_wait 1"
                 : "=&s"(first), "=&s"(state)
                 :
                 : "memory", "scc");
    if (item() == 0) out[1] = lds[0];
    if (item() % lanes == 0) out[2 + wave()] = first, out[4 + wave()] = state;
    asm volatile("s_barrier_leave" ::: "memory", "scc");
  }
  all_wait();
  if (wave() == 3) {
    asm volatile("s_get_barrier_state %0, 1" WAIT : "=&s"(state));
    out[6] = state;
  }
}

// Wave 0 signals, and waits only once wave 1 has passed the barrier.
extern "C" GLOBAL void split_barrier(const u32* in, u32* out) {
  if (item() == 0) lds[0] = 0;
  all_wait();
  asm volatile(WAIT "s_barrier_signal -1" ::: "memory");
  if (wave() == 0)
    while (!lds[0]) asm volatile("s_sleep 1" ::: "memory");
  asm volatile("s_barrier_wait -1" ::: "memory");
  if (wave() == 1) lds[0] = 1;
  if (item() % lanes == 0) out[wave()] = 1;
  // No effect: none of these is of the workgroup, and registers are there.
  u32 scc = 0;
  asm volatile(
      "s_barrier_signal 0\ns_barrier_wait 1\ns_cmp_eq_u32 0, 0\ns_alloc_vgpr 64\n"
      "s_cselect_b32 %0, 1, 0"
      : "=&s"(scc)::"scc");
  if (item() == 0) out[8] = scc;
}

// Waves 1 and 2 end without waiting; the others meet.
extern "C" GLOBAL void early_ends(const u32* in, u32* out) {
  if (item() == 0) lds[0] = 0;
  all_wait();
  if (wave() == 1) {
    asm volatile("s_barrier_signal -1" ::: "memory");
    return;
  }
  if (wave() == 2) return;
  if (wave() == 3) {
    for (u32 i = 0; i < in[0]; ++i) asm volatile("s_sleep 1" ::: "memory");
    lds[0] = 7;
  }
  asm volatile(WAIT ::: "memory");
  all_wait();
  if (item() == 0) out[0] = lds[0];
}
