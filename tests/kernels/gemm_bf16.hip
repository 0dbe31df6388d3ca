// As weights of linear layers need it, in tiles of all sizes, and as their gradients do.
#include "every_instance.h"
#include "gemm_instances.h"

using namespace hipsight::kernels;

std::string run_bf16(const GemmCase& test, const void* a, const void* b, const float* bias,
                     void* c) {
  constexpr auto row = Order::row_major, column = Order::column_major;
  constexpr auto large = TileSize::large, medium = TileSize::medium;
  const auto *of_a = static_cast<const bf16*>(a), *of_b = static_cast<const bf16*>(b);
  const auto of_c = static_cast<bf16*>(c);
  if (!test.transposed_a && test.transposed_b && test.after == After::bias_relu)
    return run_in_tiles(test, a_of<row>(test, of_a), b_of<column>(test, of_b), of_c,
                        Bias(bias) | Relu{});
  if (test.after != After::identity) return no_such_kernel;
  if (test.transposed_a && !test.transposed_b)
    return run_as<column, row, bf16, medium>(test, of_a, of_b, of_c, Identity{});
  if constexpr (every_instance) {
    if (!test.transposed_a && !test.transposed_b)
      return run_as<row, row, bf16, large>(test, of_a, of_b, of_c, Identity{});
    if (test.transposed_a)
      return run_as<column, column, bf16, large>(test, of_a, of_b, of_c, Identity{});
    return run_as<row, column, bf16, large>(test, of_a, of_b, of_c, Identity{});
  }
  return no_such_kernel;
}
