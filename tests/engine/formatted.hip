// Device code of formatted_test.cpp: buffer instructions that convert. No HIP headers.
#define GLOBAL __attribute__((global))
#define DEVICE __attribute__((device))

using u32 = unsigned int;
using Word4 = u32 __attribute__((ext_vector_type(4)));
using Word2 = u32 __attribute__((ext_vector_type(2)));
using Resource = int __attribute__((ext_vector_type(4)));

#if defined(__gfx1201__)
#define WAIT "s_wait_loadcnt 0"
#define NONE "null"
#else
#define WAIT "s_waitcnt vmcnt(0)"
#define NONE "0"
#endif
#if defined(__gfx942__)
#define FORMAT(DATA, NUMBER) "format:[BUF_DATA_FORMAT_" DATA ",BUF_NUM_FORMAT_" NUMBER "]"
#define D16(OPERATION) OPERATION "_format_d16"
#else
#define FORMAT(DATA, NUMBER) "format:[BUF_FMT_" DATA "_" NUMBER "]"
#define D16(OPERATION) OPERATION "_d16_format"
#endif

/// 64 elements of `bytes` bytes.
DEVICE static Resource elements(const void* base, u32 bytes) {
  const auto address = (unsigned long)base;
  return Resource{(int)address, (int)((address >> 32 & 0xffff) | bytes << 16), 64, 0};
}
DEVICE static u32 item() {
  return __builtin_amdgcn_workitem_id_x();
}

#define LOAD(NAME, BYTES, DATA, NUMBER)                       \
  extern "C" GLOBAL void NAME(const u32* in, Word4* out) {    \
    Word4 value;                                              \
    asm volatile("tbuffer_load_format_xyzw %0, %1, %2, " NONE \
                 " " FORMAT(DATA, NUMBER) " idxen\n" WAIT     \
                 : "=&v"(value)                               \
                 : "v"(item()), "s"(elements(in, BYTES)));    \
    out[item()] = value;                                      \
  }
LOAD(load_8_unorm, 1, "8", "UNORM")
LOAD(load_16_16_sscaled, 4, "16_16", "SSCALED")
LOAD(load_10_11_11_float, 4, "10_11_11", "FLOAT")
LOAD(load_2_10_10_10_snorm, 4, "2_10_10_10", "SNORM")
LOAD(load_2_10_10_10_uint, 4, "2_10_10_10", "UINT")
LOAD(load_8_8_8_8_uscaled, 4, "8_8_8_8", "USCALED")
LOAD(load_32_32_32_float, 12, "32_32_32", "FLOAT")

extern "C" GLOBAL void load_halves(const u32* in, Word2* out) {
  Word2 value;
  asm volatile("t" D16("buffer_load") "_xyzw %0, %1, %2, " NONE
                                      " " FORMAT("8_8_8_8", "UNORM") " idxen\n" WAIT
               : "=&v"(value)
               : "v"(item()), "s"(elements(in, 4)));
  out[item()] = value;
}

#define STORE(NAME, BYTES, DATA, NUMBER)                                                         \
  extern "C" GLOBAL void NAME(const Word4* in, u32* out) {                                       \
    asm volatile("tbuffer_store_format_xyzw %0, %1, %2, " NONE " " FORMAT(DATA, NUMBER) " idxen" \
                 :                                                                               \
                 : "v"(in[item()]), "v"(item()), "s"(elements(out, BYTES)));                     \
  }
STORE(store_8_8_8_8_unorm, 4, "8_8_8_8", "UNORM")
STORE(store_8_8_8_8_snorm, 4, "8_8_8_8", "SNORM")
STORE(store_10_11_11_float, 4, "10_11_11", "FLOAT")
STORE(store_16_16_float, 4, "16_16", "FLOAT")
STORE(store_16_16_16_16_sscaled, 8, "16_16_16_16", "SSCALED")
