// C = A B of operands in 8 bits, which are scaled.
//   -DVALUE=fp8_e4m3 -DOUT=bf16 -DORDER_B=column_major, and -DFACTORS_all, _lines or _blocks
#include "hipsight/kernels/gemm.h"
#include "tensors.h"

using namespace hipsight::kernels;

const char* hipsight_scaled_gemm(const hipsight_context* context, const hipsight_tensor* a,
                                 const hipsight_tensor* b, const hipsight_tensor* c,
                                 const hipsight_tensor* scale_a, const hipsight_tensor* scale_b) {
  const auto stream = stream_of(context);
  const auto x = matrix<const VALUE>(a);
  const auto w = matrix<const VALUE, Order::ORDER_B>(b);
  const auto y = matrix<OUT>(c);
  const auto* const rows = data_of<const float>(scale_a);
  const auto* const columns = data_of<const float>(scale_b);
#if defined(FACTORS_all)
  return answer(gemm(stream, x, w, y, ScaleAll{rows} | ScaleAll{columns}));
#elif defined(FACTORS_lines)
  return answer(gemm(stream, x, w, y, ScaleRows{rows} | ScaleColumns{columns}));
#elif defined(FACTORS_blocks)
  const auto of_rows = matrix<const float>(scale_a);
  const auto of_blocks = matrix<const float, Order::column_major>(scale_b);
  return answer(gemm(stream, scaled_rows(x, rows, of_rows.stride),
                     scaled_blocks(w, columns, of_blocks.stride), y));
#else
#error "which factors?"
#endif
}
