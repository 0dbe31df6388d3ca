// Device code of lds_load_test.cpp: loads whose data goes to LDS. No HIP headers.
#define GLOBAL __attribute__((global))
#define DEVICE __attribute__((device))
#define SHARED __attribute__((shared))

using u32 = unsigned int;
using Memory = __attribute__((address_space(1))) void*;
using Lds = __attribute__((address_space(3))) void*;

constexpr u32 items = 128, words = items * 4 + 16;
SHARED u32 lds[words];

DEVICE static u32 item() {
  return __builtin_amdgcn_workitem_id_x();
}
DEVICE static u32 wave() {
  return __builtin_amdgcn_readfirstlane(item() / 64);
}
DEVICE static bool is_on() {
  return item() % 64 != 5;
}
DEVICE static void fill() {
  for (u32 i = item(); i < words; i += items) lds[i] = 0xdeadbeef;
  __builtin_amdgcn_s_barrier();
}
DEVICE static void copy_to(u32* out) {
  __builtin_amdgcn_s_waitcnt(0);
  __builtin_amdgcn_s_barrier();
  for (u32 i = item(); i < words; i += items) out[i] = lds[i];
}

// Each lane but one loads the element that `from` names; a wave has WORDS words of LDS. The builtin
// wants plain numbers.
#define LOAD(NAME, TYPE, SIZE, OFFSET, WORDS)                                                    \
  extern "C" GLOBAL void NAME(const TYPE* in, const u32* from, u32* out) {                       \
    fill();                                                                                      \
    if (is_on())                                                                                 \
      __builtin_amdgcn_global_load_lds((Memory)(in + from[item()]), (Lds)(lds + wave() * WORDS), \
                                       SIZE, OFFSET, 0);                                         \
    copy_to(out);                                                                                \
  }
LOAD(bytes, unsigned char, 1, 0, 64)
LOAD(shorts, unsigned short, 2, 0, 64)
LOAD(dwords, u32, 4, 0, 64)
LOAD(dwords_with_offset, u32, 4, 16, 64)
#ifdef __gfx950__
struct Four {
  u32 word[4];
};
LOAD(three_dwords, Four, 12, 0, 256)
LOAD(four_dwords, Four, 16, 0, 256)
#endif

extern "C" GLOBAL void buffer_dwords(const u32* in, const u32* from, u32* out) {
  fill();
  const auto resource = __builtin_amdgcn_make_buffer_rsrc((void*)in, 0, 4 * items, 0x00020000);
  if (is_on())
    __builtin_amdgcn_raw_ptr_buffer_load_lds(resource, (Lds)(lds + wave() * 64), 4,
                                             from[item()] * 4, 0, 0, 0);
  copy_to(out);
}
