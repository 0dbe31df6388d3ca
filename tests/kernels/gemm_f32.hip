// As weights of linear layers need it, and as their gradients do.
#include "every_instance.h"
#include "gemm_instances.h"

using namespace hipsight::kernels;

std::string run_f32(const GemmCase& test, const void* a, const void* b, const float*, void* c) {
  constexpr auto row = Order::row_major, column = Order::column_major;
  constexpr auto large = TileSize::large, small = TileSize::small;
  const auto *of_a = static_cast<const float*>(a), *of_b = static_cast<const float*>(b);
  const auto of_c = static_cast<float*>(c);
  if (test.after != After::identity) return no_such_kernel;
  if (!test.transposed_a && test.transposed_b)
    return run_as<row, column, float, large>(test, of_a, of_b, of_c, Identity{});
  if (test.transposed_a && !test.transposed_b)
    return run_as<column, row, float, small>(test, of_a, of_b, of_c, Identity{});
  if constexpr (every_instance) {
    if (!test.transposed_a)
      return run_as<row, row, float, large>(test, of_a, of_b, of_c, Identity{});
    return run_as<column, column, float, large>(test, of_a, of_b, of_c, Identity{});
  }
  return no_such_kernel;
}
