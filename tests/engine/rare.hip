// Device code of rare_test.cpp: instructions that compilers seldom use. No HIP headers. All kernels
// take `in` and `out`, 1024 words each, and 32 work-items.
#define GLOBAL __attribute__((global))
#define DEVICE __attribute__((device))
#define SHARED __attribute__((shared))

using u32 = unsigned int;
using u64 = unsigned long;
using Word3 = u32 __attribute__((ext_vector_type(3)));
using Resource = u32 __attribute__((ext_vector_type(4)));

#if defined(__gfx942__) || defined(__gfx950__)
#define CDNA
#define WAIT "\ns_waitcnt vmcnt(0) lgkmcnt(0)"
#define CMPST "ds_cmpst"
#define EXCHANGE "ds_wrxchg2"
#define EXCHANGE_FAR "ds_wrxchg2st64"
#define BY_LANE(X, Y) "ds_" X "_addtid_b32"
#elif defined(__gfx1201__)
#define WAIT "\ns_wait_loadcnt 0\ns_wait_dscnt 0\ns_wait_storecnt 0"
#define EXCHANGE "ds_storexchg_2addr"
#define EXCHANGE_FAR "ds_storexchg_2addr_stride64"
#define BY_LANE(X, Y) "ds_" Y "_addtid_b32"
#else
#define WAIT "\ns_waitcnt vmcnt(0) lgkmcnt(0)\ns_waitcnt_vscnt null, 0"
#define CMPST "ds_cmpstore"
#define EXCHANGE "ds_storexchg_2addr"
#define EXCHANGE_FAR "ds_storexchg_2addr_stride64"
#define BY_LANE(X, Y) "ds_" Y "_addtid_b32"
#endif

constexpr u32 items = 32, lds_words = 512;
SHARED u32 lds[lds_words];

DEVICE static u32 item() {
  return __builtin_amdgcn_workitem_id_x();
}
DEVICE static void fill(const u32* in) {
  for (u32 i = item(); i < lds_words; i += items) lds[i] = in[i];
  __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");
  __builtin_amdgcn_s_barrier();
}
DEVICE static void copy_to(u32* out) {
  __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");
  for (u32 i = item(); i < lds_words; i += items) out[128 + i] = lds[i];
}
template <class T>
DEVICE static T operand(const u32* in, u32 which) {
  return *(const T*)(in + 512 + 128 * which + 2 * item());
}

// Lane i works on the eight bytes at 8 i, with operands a and b; all lanes but one are on.
#define LDS(NAME, TYPE, TEXT) LDS_LANES(NAME, TYPE, TEXT, item() != 5)
#define LDS_LANES(NAME, TYPE, TEXT, IS_ON)                                                    \
  extern "C" GLOBAL void NAME(const u32* in, u32* out) {                                      \
    fill(in);                                                                                 \
    TYPE a = operand<TYPE>(in, 0), b = operand<TYPE>(in, 1), result = 0;                      \
    u64 both = 0;                                                                             \
    if (IS_ON) {                                                                              \
      asm volatile("s_mov_b32 m0, 64\n" TEXT WAIT                                             \
                   : "+v"(result), "+v"(both)                                                 \
                   : "v"((u32)(u64)(__attribute__((address_space(3))) u32*)lds + 8 * item()), \
                     "v"(a), "v"(b)                                                           \
                   : "memory", "m0");                                                         \
    }                                                                                         \
    *(u64*)(out + 2 * item()) = result | both;                                                \
    copy_to(out);                                                                             \
  }
LDS(mskor32, u32, "ds_mskor_rtn_b32 %0, %2, %3, %4")
LDS(mskor64, u64, "ds_mskor_rtn_b64 %0, %2, %3, %4")
LDS(condxchg, u64, "ds_condxchg32_rtn_b64 %0, %2, %3")
LDS(exchange, u32, EXCHANGE "_rtn_b32 %1, %2, %3, %4 offset0:1")
LDS(exchange_far, u32, EXCHANGE_FAR "_rtn_b32 %1, %2, %3, %4 offset1:2")
LDS(append, u32, "ds_append %0 offset:8")
LDS(consume, u32, "ds_consume %0 offset:8")
LDS(read_by_lane, u32, BY_LANE("read", "load") " %0 offset:12")
LDS(write_by_lane, u32, BY_LANE("write", "store") " %3 offset:12")
#ifdef __gfx1201__
LDS(sub_clamp, u32, "ds_sub_clamp_rtn_u32 %0, %2, %3")
LDS(cond_sub, u32, "ds_cond_sub_rtn_u32 %0, %2, %3")
#else
LDS(wrap, u32, "ds_wrap_rtn_b32 %0, %2, %3, %4")
LDS(cmpst_f32, u32, CMPST "_rtn_f32 %0, %2, %3, %4")
LDS(cmpst_f64, u64, CMPST "_rtn_f64 %0, %2, %3, %4")
#endif

#ifdef __gfx950__
LDS_LANES(transposed16, u64, "ds_read_b64_tr_b16 %0, %2", true)
LDS_LANES(transposed8, u64, "ds_read_b64_tr_b8 %0, %2", true)
LDS_LANES(transposed4, u64, "ds_read_b64_tr_b4 %0, %2", true)
#endif

// Each lane gives four words; lane 5 is off, but holds a value.
#define VECTOR(NAME, TEXT)                                                           \
  extern "C" GLOBAL void NAME(const u32* in, u32* out) {                             \
    const u32 a = operand<u32>(in, 0), b = operand<u32>(in, 1);                      \
    const u64 wide = operand<u64>(in, 0);                                            \
    Resource result = {1, 2, 3, 4};                                                  \
    if (item() != 5)                                                                 \
      asm volatile(TEXT WAIT : "+v"(result) : "v"(a), "v"(b), "v"(wide) : "memory"); \
    *(Resource*)(out + 4 * item()) = result;                                         \
  }
VECTOR(mqsad, "v_mqsad_u32_u8 %0, %3, %2, %0")
#ifdef __gfx1201__
extern "C" GLOBAL void lanes(const u32* in, u32* out) {
  u32 a = operand<u32>(in, 0), b = operand<u32>(in, 1);
  asm volatile(WAIT : "+v"(a), "+v"(b));  // in every lane
  u32 near = 1, far = 2, any = 3;
  if (item() != 5)
    asm volatile(
        "v_permlane16_var_b32 %0, %3, %4\n"
        "v_permlanex16_var_b32 %1, %3, %4 op_sel:[1,0]\n"
        "ds_bpermute_fi_b32 %2, %4, %3\ns_wait_dscnt 0\n"
        : "+&v"(near), "+&v"(far), "+&v"(any)
        : "v"(a), "v"(b));
  out[4 * item()] = near, out[4 * item() + 1] = far, out[4 * item() + 2] = any;
}
#endif

// out[0..]: a register that M0 names, and one that was written so.
extern "C" GLOBAL void scalar_registers(const u32* in, u32* out) {
  u32 from = 0, to = 0;
  asm volatile(
      "s_mov_b32 s20, 100\ns_mov_b32 s22, 122\ns_mov_b32 s23, 123\n"
      "s_mov_b32 m0, 2\n"
      "s_nop 4\n"
      "s_movrels_b32 %0, s20\n"
      "s_movreld_b32 s21, 7\n"
      "s_nop 4\n"
      "s_mov_b32 %1, s23\n"
      : "=&s"(from), "=&s"(to)
      :
      : "s20", "s21", "s22", "s23", "m0");
  if (item() == 0) out[0] = from, out[1] = to;
}

#ifndef CDNA
extern "C" GLOBAL void vector_registers(const u32* in, u32* out) {
  u32 a = 0, b = 0;
  asm volatile(
      "v_mov_b32 v21, 121\nv_mov_b32 v23, 123\n"
      "s_mov_b32 m0, 0x10002\n"
      "s_nop 4\n"
      "v_swaprel_b32 v20, v21\n"  // v21 and v23
      "v_mov_b32 %0, v21\nv_mov_b32 %1, v23\n"
      : "=&v"(a), "=&v"(b)
      :
      : "v20", "v21", "v22", "v23", "m0");
  out[2 * item()] = a, out[2 * item() + 1] = b;
}
extern "C" GLOBAL void global_by_lane(const u32* in, u32* out) {
  u32 value = 0;
  asm volatile("global_load_addtid_b32 %0, %1 offset:8" WAIT : "=&v"(value) : "s"(in));
  asm volatile("global_store_addtid_b32 %0, %1 offset:16" WAIT : : "v"(value), "s"(out) : "memory");
}
#endif

#ifdef CDNA
// Each result word tells what a scalar atomic gave back; `out` changes at the places named.
extern "C" GLOBAL void scalar_memory(const u32* in, u32* out) {
  const Resource buffer{(u32)(u64)out, (u32)((u64)out >> 32), 64, 0};
  u32 old = 3, old_in_buffer = 9;
  u64 old_wide = 5;
  asm volatile(
      "s_mov_b32 s20, 11\ns_mov_b32 s21, 12\ns_mov_b32 s22, 5\ns_mov_b32 s23, 0\n"
      "s_store_dwordx2 s[20:21], %3, 0x8\n"          // out[2], out[3] = 11, 12
      "s_buffer_store_dword s20, %4, 0x10\n"         // out[4] = 11
      "s_buffer_store_dword s20, %4, 0x40\n"         // beyond the buffer
      "s_atomic_add %0, %3, 0x8 glc\n"               // out[2] += 3
      "s_buffer_atomic_umax %1, %4, 0x4 glc\n"       // out[1] = max(out[1], 9)
      "s_atomic_smin_x2 %2, %3, 0x8\n"               // unsigned 12 << 32 | 14: 5
      "s_atomic_cmpswap_x2 s[20:23], %3, 0x8 glc\n"  // 5: equal
      "s_waitcnt lgkmcnt(0)\n"
      "s_dcache_wb\n"
      : "+s"(old), "+s"(old_in_buffer), "+s"(old_wide)
      : "s"(out), "s"(buffer)
      : "memory", "s20", "s21", "s22", "s23");
  if (item() == 0) out[100] = old, out[101] = old_in_buffer;
}
#endif
