// Weights into the codes of int4_gemm.
//   -DVALUE=f16 -DLAYOUT_VALUES     (or _GPTQ, _AWQ)
#include "hipsight/kernels/int4_gemm.h"
#include "tensors.h"

using namespace hipsight::kernels;

const char* hipsight_int4_pack(const hipsight_context* context, const hipsight_tensor* from,
                               [[maybe_unused]] const hipsight_tensor* scales,
                               [[maybe_unused]] const hipsight_tensor* zeros,
                               const hipsight_tensor* codes, const hipsight_tensor* factors,
                               [[maybe_unused]] hipsight_int4_layout layout) {
  const auto columns = static_cast<int>(codes->sizes[0]) * int4_lines,
             depth = static_cast<int>(codes->sizes[1]) * int4_chunk,
             groups = static_cast<int>(factors->sizes[1]);
  const auto pack = [&](const auto& given) {
    return answer(int4_pack(stream_of(context), given, data_of<std::uint32_t>(codes),
                            data_of<Int4Factors<VALUE>>(factors), depth, columns,
                            groups ? depth / groups : 0));
  };
#if defined(LAYOUT_VALUES)
  return pack(Int4FromValues<VALUE>{data_of<const VALUE>(from), stride_of(*from, 0, depth)});
#elif defined(LAYOUT_GPTQ)
  return pack(Int4FromGptq<VALUE>{data_of<const std::uint32_t>(from),
                                  data_of<const std::uint32_t>(zeros), data_of<const VALUE>(scales),
                                  columns, layout == HIPSIGHT_INT4_GPTQ ? 1 : 0});
#elif defined(LAYOUT_AWQ)
  return pack(Int4FromAwq<VALUE>{data_of<const std::uint32_t>(from),
                                 data_of<const std::uint32_t>(zeros), data_of<const VALUE>(scales),
                                 columns});
#else
#error "which layout?"
#endif
}
