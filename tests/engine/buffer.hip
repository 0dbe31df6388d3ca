// Device code of buffer_test.cpp: buffer instructions with descriptors that the test chooses. No
// HIP headers.
#define GLOBAL __attribute__((global))
#define DEVICE __attribute__((device))

using u32 = unsigned int;
using Word2 = u32 __attribute__((ext_vector_type(2)));
using Word4 = u32 __attribute__((ext_vector_type(4)));
using Resource = u32 __attribute__((ext_vector_type(4)));

#ifdef __gfx1201__
#define WAIT "\ns_wait_loadcnt 0"
#else
#define WAIT "\ns_waitcnt vmcnt(0)"
#endif

/// Words 1 to 3 of the descriptor but for the address, and the scalar offset; then lanes' offsets
/// and indices.
struct Setup {
  u32 word1, records, word3, soffset, offset[64], index[64];
};
DEVICE static u32 item() {
  return __builtin_amdgcn_workitem_id_x();
}
DEVICE static u32 uniform(u32 value) {
  return __builtin_amdgcn_readfirstlane(value);
}
DEVICE static Resource resource(const u32* base, const Setup* setup) {
  const auto address = (unsigned long)base;
  return {uniform((u32)address), uniform((u32)(address >> 32) | setup->word1),
          uniform(setup->records), uniform(setup->word3)};
}

#define KERNELS(MODE, ADDRESS, ADDRESS_MODE, VALUE)                                        \
  extern "C" GLOBAL void load_##MODE(const u32* data, const Setup* setup, u32* out) {      \
    u32 value;                                                                             \
    asm volatile("buffer_load_dword %0, " ADDRESS ", %2, %3 " ADDRESS_MODE WAIT            \
                 : "=&v"(value)                                                            \
                 : "v"(VALUE), "s"(resource(data, setup)), "s"(uniform(setup->soffset)));  \
    out[item()] = value;                                                                   \
  }                                                                                        \
  extern "C" GLOBAL void load_x4_##MODE(const u32* data, const Setup* setup, Word4* out) { \
    Word4 value;                                                                           \
    asm volatile("buffer_load_dwordx4 %0, " ADDRESS ", %2, %3 " ADDRESS_MODE WAIT          \
                 : "=&v"(value)                                                            \
                 : "v"(VALUE), "s"(resource(data, setup)), "s"(uniform(setup->soffset)));  \
    out[item()] = value;                                                                   \
  }                                                                                        \
  extern "C" GLOBAL void store_x2_##MODE(u32* data, const Setup* setup) {                  \
    const Word2 value{item() * 2 + 1, item() * 2 + 2};                                     \
    asm volatile("buffer_store_dwordx2 %0, " ADDRESS ", %2, %3 " ADDRESS_MODE              \
                 :                                                                         \
                 : "v"(value), "v"(VALUE), "s"(resource(data, setup)),                     \
                   "s"(uniform(setup->soffset))                                            \
                 : "memory");                                                              \
  }
KERNELS(none, "off", "", 0)
KERNELS(offen, "%1", "offen", setup->offset[item()])
KERNELS(idxen, "%1", "idxen", setup->index[item()])
KERNELS(both, "%1", "idxen offen", (Word2{setup->index[item()], setup->offset[item()]}))
