// C = A B of operands in 8 bits, which are scaled: what torch.ops.hipsight.scaled_gemm launches.
//   -DVALUE=fp8_e4m3 -DOUT=bf16 -DORDER_B=column_major, and -DFACTORS_all, _lines or _blocks
#include "calls.h"
#include "hipsight/kernels/gemm.h"

using namespace hipsight::kernels;

/// Factors: one for each operand; one for each row of A and each column of B; or those of
/// scaled_rows() and scaled_blocks(), which are M x blocks and (blocks of N) x blocks.
HIPSIGHT_EXPORT const char* hipsight_scaled_gemm(const MatrixInMemory* a, const MatrixInMemory* b,
                                                 const MatrixInMemory* c,
                                                 const MatrixInMemory* of_rows,
                                                 const MatrixInMemory* of_columns) {
  if (any_too_large({a, b, c})) return "a matrix has 2^31 rows or columns, or more";
  const auto x = a->as<const VALUE>();
  const auto w = b->as<const VALUE, Order::ORDER_B>();
  const auto y = c->as<OUT>();
  const auto* const rows = static_cast<const float*>(of_rows->data);
  const auto* const columns = static_cast<const float*>(of_columns->data);
#if defined(FACTORS_all)
  return answer(gemm(nullptr, x, w, y, ScaleAll{rows} | ScaleAll{columns}));
#elif defined(FACTORS_lines)
  return answer(gemm(nullptr, x, w, y, ScaleRows{rows} | ScaleColumns{columns}));
#elif defined(FACTORS_blocks)
  return answer(gemm(nullptr, scaled_rows(x, rows, of_rows->stride),
                     scaled_blocks(w, columns, of_columns->stride), y));
#else
#error "which factors?"
#endif
}
