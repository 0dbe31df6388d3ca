// All orders of the operands, and epilogues that read other matrices.
#include "gemm_instances.h"

using namespace hipsight::kernels;

std::string run_f16(const GemmCase& test, const void* a, const void* b, const float* bias,
                    void* c) {
  constexpr auto row = Order::row_major, column = Order::column_major;
  constexpr auto large = TileSize::large, small = TileSize::small;
  const auto *of_a = static_cast<const f16*>(a), *of_b = static_cast<const f16*>(b);
  const auto of_c = static_cast<f16*>(c);
  const int orders = test.transposed_a * 2 + test.transposed_b;
  if (orders == 1 && test.after == After::gelu_residual) {
    const RowMajor<const float> residual{bias + test.n, test.m, test.n, test.n,
                                         std::int64_t{test.m} * test.n};
    return run_as<row, column, float, small>(test, of_a, of_b, static_cast<float*>(c),
                                             Bias(bias) | Gelu{} | Residual(residual));
  }
  if (orders == 1 && test.after == After::silu_mul)
    return run_as<row, column, f16, small>(
        test, of_a, of_b, of_c,
        Scale{0.5f} | Silu{} | Multiply(RowMajor<const float>{bias, test.m, test.n, /*stride=*/0}));
  if (test.after != After::identity) return no_such_kernel;
  if (orders == 0) return run_as<row, row, f16, large>(test, of_a, of_b, of_c, Identity{});
  if (orders == 1) return run_as<row, column, f16, large>(test, of_a, of_b, of_c, Identity{});
  if (orders == 2) return run_as<column, row, f16, large>(test, of_a, of_b, of_c, Identity{});
  return run_as<column, column, f16, large>(test, of_a, of_b, of_c, Identity{});
}
