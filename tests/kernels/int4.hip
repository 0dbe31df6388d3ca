// GEMMs of weights in 4 bits.
#include "finish.h"
#include "hipsight/kernels/int4_gemm.h"
#include "int4_case.h"

using namespace hipsight::kernels;

namespace {

struct PlusOne {
  HIPSIGHT_INLINE float operator()(float value, ResultPlace) const { return value + 1; }
};

template <bool with_shares, TileSize... sizes, class T, class After>
std::string multiply(const Int4Case& t, T, After after) {
  const RowMajor<const T> a{static_cast<const T*>(t.a), t.rows, t.depth, t.a_stride};
  const RowMajor<T> c{static_cast<T*>(t.c), t.rows, t.columns, t.c_stride};
  const Int4Weights<T> b{t.codes, static_cast<const Int4Factors<T>*>(t.factors), t.depth, t.columns,
                         t.group};
  if (t.on_host) return int4_gemm_on_host(a, b, c, after).error;
  if constexpr (with_shares)
    if (t.workspace)
      return finish(
          int4_gemm<sizes...>(nullptr, a, b, c, after, Workspace{t.workspace, t.workspace_bytes}));
  return finish(int4_gemm<sizes...>(nullptr, a, b, c, after));
}

template <class From>
std::string pack(const Int4PackCase& t, const From& from) {
  auto* const factors = static_cast<Int4Factors<f16>*>(t.factors);
  if (t.on_host)
    return int4_pack_on_host(from, t.codes, factors, t.depth, t.columns, t.group).error;
  return finish(int4_pack(nullptr, from, t.codes, factors, t.depth, t.columns, t.group));
}

}  // namespace

std::string int4_f16(const Int4Case& test) {
  return multiply<true, TileSize::small>(test, f16(), Identity{});
}

std::string int4_bf16(const Int4Case& test) {
  return multiply<false, TileSize::large>(test, bf16(), PlusOne{});
}

std::string int4_pack_f16(const Int4PackCase& t) {
  const auto* const scales = static_cast<const f16*>(t.scales);
  if (t.layout == Int4Layout::values)
    return pack(t, Int4FromValues<f16>{static_cast<const f16*>(t.weights), t.depth});
  if (t.layout == Int4Layout::gptq)
    return pack(t, Int4FromGptq<f16>{t.from, t.zeros, scales, t.columns, t.zero_less});
  return pack(t, Int4FromAwq<f16>{t.from, t.zeros, scales, t.columns});
}
