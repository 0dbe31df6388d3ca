// Device code of d16_test.cpp: 16-bit loads into registers that hold something. No HIP headers.
#define GLOBAL __attribute__((global))
#define DEVICE __attribute__((device))
#define SHARED __attribute__((shared))

using u32 = unsigned int;
using u64 = unsigned long;
using Word2 = u32 __attribute__((ext_vector_type(2)));
using Resource = int __attribute__((ext_vector_type(4)));

#if defined(__gfx1100__) || defined(__gfx1201__)
#ifdef __gfx1201__
#define WAIT "\ns_wait_loadcnt 0\ns_wait_dscnt 0"
#define NONE "null"
#else
#define WAIT "\ns_waitcnt vmcnt(0) lgkmcnt(0)"
#define NONE "0"
#endif
#define LOW(KIND) "load_d16_" KIND
#define HIGH(KIND) "load_d16_hi_" KIND
#define U8 "u8"
#define I8 "i8"
#define B16 "b16"
#define DS_LOW(KIND) "ds_load_" KIND "_d16"
#define DS_HIGH(KIND) "ds_load_" KIND "_d16_hi"
#define FORMAT_LOW "buffer_load_d16_format_"
#define FORMAT_HIGH "buffer_load_d16_hi_format_x"
#define TYPED "tbuffer_load_d16_format_"
#define FORMAT "format:[BUF_FMT_8_8_8_8_UINT]"
#else
#define WAIT "\ns_waitcnt vmcnt(0) lgkmcnt(0)"
#define NONE "0"
#define LOW(KIND) "load_" KIND "_d16"
#define HIGH(KIND) "load_" KIND "_d16_hi"
#define U8 "ubyte"
#define I8 "sbyte"
#define B16 "short"
#define DS_LOW(KIND) "ds_read_" KIND "_d16"
#define DS_HIGH(KIND) "ds_read_" KIND "_d16_hi"
#define FORMAT_LOW "buffer_load_format_d16_"
#define FORMAT_HIGH "buffer_load_format_d16_hi_x"
#define TYPED "tbuffer_load_format_d16_"
#define FORMAT "format:[BUF_DATA_FORMAT_8_8_8_8,BUF_NUM_FORMAT_UINT]"
#endif

SHARED u32 lds[64];

DEVICE static u32 item() {
  return __builtin_amdgcn_workitem_id_x();
}
/// Bytes of one record each, of four bytes with a format of four unsigned integers.
DEVICE static Resource bytes_of(const void* base) {
  const auto address = (u64)base;
#if defined(__gfx1100__) || defined(__gfx1201__)
  const int format = 3 << 28 | 46 << 12 | 0xfac;  // raw, BUF_FMT_8_8_8_8_UINT, fields in order
#else
  const int format = 4 << 12 | 10 << 15 | 0xfac;
#endif
  return Resource{(int)address, (int)(address >> 32 & 0xffff), 0x1000, format};
}

constexpr u32 before = 0x11112222;

/// Each load in turn puts its result into out[load][item].
struct Results {
  u32* next;
  DEVICE void add(u32 value) {
    *next = value;
    next += 64;
  }
};
#define LOAD(TEXT, ...)                                             \
  {                                                                 \
    u32 value = before;                                             \
    asm volatile(TEXT WAIT : "+v"(value) : __VA_ARGS__ : "memory"); \
    results.add(value);                                             \
  }
#define BOTH(SPACE, KIND, OPERANDS, ...)      \
  LOAD(SPACE LOW(KIND) OPERANDS, __VA_ARGS__) \
  LOAD(SPACE HIGH(KIND) OPERANDS, __VA_ARGS__)
#define KINDS(SPACE, OPERANDS, ...)      \
  BOTH(SPACE, U8, OPERANDS, __VA_ARGS__) \
  BOTH(SPACE, I8, OPERANDS, __VA_ARGS__) \
  BOTH(SPACE, B16, OPERANDS, __VA_ARGS__)
#define LDS_KIND(KIND)                          \
  LOAD(DS_LOW(KIND) " %0, %1", "v"(item() * 4)) \
  LOAD(DS_HIGH(KIND) " %0, %1", "v"(item() * 4))

extern "C" GLOBAL void loads(const u32* in, u32* out) {
  Results results{out + item()};
  const u32 word = in[item()], at = item() * 4;
  lds[item()] = word;
  volatile u32 own[1] = {word};
  __builtin_amdgcn_s_barrier();
  const auto scratch = (u32)(u64)(__attribute__((address_space(5))) volatile u32*)own;

  KINDS("global_", " %0, %1, %2", "v"(at), "s"(in))
  KINDS("flat_", " %0, %1", "v"((u64)(in + item())))
  KINDS("flat_", " %0, %1", "v"((u64)(lds + item())))
  KINDS("flat_", " %0, %1", "v"((u64)own))
#ifndef __gfx90a__  // has its scratch behind buffers
  KINDS("scratch_", " %0, %1, off", "v"(scratch))
#endif
  KINDS("buffer_", " %0, %1, %2, " NONE " offen", "v"(at), "s"(bytes_of(in)))
  LDS_KIND("u8")
  LDS_KIND("i8")
  LDS_KIND("u16")
  LOAD(FORMAT_LOW "x %0, %1, %2, " NONE " offen", "v"(at), "s"(bytes_of(in)))
  LOAD(FORMAT_HIGH " %0, %1, %2, " NONE " offen", "v"(at), "s"(bytes_of(in)))
  LOAD(TYPED "x %0, %1, %2, " NONE " " FORMAT " offen", "v"(at), "s"(bytes_of(in)))
}

/// Three components: the third one has half of a register.
extern "C" GLOBAL void three(const u32* in, Word2* out) {
  Word2 value{before, before};
  asm volatile(FORMAT_LOW "xyz %0, %1, %2, " NONE " offen" WAIT
               : "+v"(value)
               : "v"(item() * 4), "s"(bytes_of(in)));
  out[item()] = value;
}
