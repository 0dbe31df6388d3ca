// Device code of sparse_test.cpp. Each kernel takes arrays of one wave: A, B, C or D, indices; each
// register's lanes lie side by side. No HIP headers.
#define GLOBAL __attribute__((global))

using u32 = unsigned int;
#ifdef __gfx1201__
#define LANES 32
#else
#define LANES 64
#endif

template <int N>
using Half = _Float16 __attribute__((ext_vector_type(N)));
template <int N>
using Float = float __attribute__((ext_vector_type(N)));
template <int N>
using Int = int __attribute__((ext_vector_type(N)));

template <class V>
__attribute__((device)) static V load(const u32* from) {
  constexpr int words = sizeof(V) / 4;
  u32 word[words];
  for (int i = 0; i < words; ++i) word[i] = from[i * LANES + __builtin_amdgcn_workitem_id_x()];
  return __builtin_bit_cast(V, word);
}
template <class V>
__attribute__((device)) static void store(u32* to, V value) {
  constexpr int words = sizeof(V) / 4;
  struct Words {
    u32 word[words];
  };
  const auto all = __builtin_bit_cast(Words, value);
  for (int i = 0; i < words; ++i) to[i * LANES + __builtin_amdgcn_workitem_id_x()] = all.word[i];
}

#define SPARSE(NAME, A, B, C, CALL)                                                        \
  extern "C" GLOBAL void NAME(const u32* pa, const u32* pb, u32* pc, const u32* indices) { \
    const A a = load<A>(pa);                                                               \
    const B b = load<B>(pb);                                                               \
    const C c = load<C>(pc);                                                               \
    const u32 index = indices[__builtin_amdgcn_workitem_id_x()];                           \
    store(pc, CALL);                                                                       \
  }

#ifdef __gfx1201__
SPARSE(f16, Half<8>, Half<16>, Float<8>,
       __builtin_amdgcn_swmmac_f32_16x16x32_f16_w32(a, b, c, (short)index))
SPARSE(f16_to_f16, Half<8>, Half<16>, Half<8>,
       __builtin_amdgcn_swmmac_f16_16x16x32_f16_w32(a, b, c, (short)index))
SPARSE(i8, Int<2>, Int<4>, Int<8>,
       __builtin_amdgcn_swmmac_i32_16x16x32_iu8_w32(true, a, true, b, c, (short)index, false))
#else
SPARSE(f16, Half<4>, Half<8>, Float<4>,
       __builtin_amdgcn_smfmac_f32_16x16x32_f16(a, b, c, (int)index, 0, 2))
SPARSE(f16_wide, Half<4>, Half<8>, Float<16>,
       __builtin_amdgcn_smfmac_f32_32x32x16_f16(a, b, c, (int)index, 1, 3))
SPARSE(i8, Int<2>, Int<4>, Int<4>,
       __builtin_amdgcn_smfmac_i32_16x16x64_i8(a, b, c, (int)index, 0, 1))
#ifdef __gfx950__
SPARSE(i8_long, Int<4>, Int<8>, Int<16>,
       __builtin_amdgcn_smfmac_i32_32x32x64_i8(a, b, c, (int)index, 0, 0))
#endif
#endif
