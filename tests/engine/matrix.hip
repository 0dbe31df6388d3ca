// Device code of matrix_test.cpp: D = A * B + C. Each kernel takes A, B and C as registers of one
// wave, whose lanes lie side by side, and writes D over C. No HIP headers.
#define GLOBAL __attribute__((global))

using u32 = unsigned int;

template <int N>
using Half = _Float16 __attribute__((ext_vector_type(N)));
template <int N>
using Brain = __bf16 __attribute__((ext_vector_type(N)));
template <int N>
using Short = short __attribute__((ext_vector_type(N)));
template <int N>
using Float = float __attribute__((ext_vector_type(N)));

template <class V>
__attribute__((device)) static V load(const u32* from) {
  constexpr int words = sizeof(V) / 4;
  u32 word[words];
  for (int i = 0; i < words; ++i) word[i] = from[i * 64 + __builtin_amdgcn_workitem_id_x()];
  return __builtin_bit_cast(V, word);
}
template <class V>
__attribute__((device)) static void store(u32* to, V value) {
  constexpr int words = sizeof(V) / 4;
  struct Words {
    u32 word[words];
  };
  const auto all = __builtin_bit_cast(Words, value);
  for (int i = 0; i < words; ++i) to[i * 64 + __builtin_amdgcn_workitem_id_x()] = all.word[i];
}

#define MATRIX(NAME, A, C, INSTRUCTION)                                                        \
  extern "C" GLOBAL void NAME(const u32* pa, const u32* pb, u32* pc) {                         \
    store(pc, __builtin_amdgcn_##INSTRUCTION(load<A>(pa), load<A>(pb), load<C>(pc), 0, 0, 0)); \
  }

MATRIX(f32_16, float, Float<4>, mfma_f32_16x16x4f32)
MATRIX(f16_16, Half<4>, Float<4>, mfma_f32_16x16x16f16)
MATRIX(f16_32, Half<4>, Float<16>, mfma_f32_32x32x8f16)
MATRIX(f16_4, Half<4>, Float<4>, mfma_f32_4x4x4f16)
MATRIX(bf16_16, Short<4>, Float<4>, mfma_f32_16x16x16bf16_1k)
#if defined(__gfx90a__)
MATRIX(old_bf16_16, Short<2>, Float<4>, mfma_f32_16x16x8bf16)
#endif
#if defined(__gfx942__)
MATRIX(xf32_16, Float<2>, Float<4>, mfma_f32_16x16x8_xf32)
#endif
#if defined(__gfx942__) || defined(__gfx950__)
MATRIX(fp8_16, long, Float<4>, mfma_f32_16x16x32_fp8_fp8)
MATRIX(bf8_32, long, Float<16>, mfma_f32_32x32x16_bf8_bf8)
#endif
#if defined(__gfx950__)
MATRIX(f16_long, Half<8>, Float<4>, mfma_f32_16x16x32_f16)
MATRIX(bf16_long, Brain<8>, Float<16>, mfma_f32_32x32x16_bf16)
#endif
