// Both formats: on each GPU at least one of them is converted. Factors of blocks are for its own.
#include "every_instance.h"
#include "gemm_instances.h"

using namespace hipsight::kernels;

/// As DeepSeek-V3 has it, in f32: inputs scaled by token and 128 of the depth, weights by blocks of
/// 128.
template <Order order_a, Order order_b, class T>
static std::string run_blocks(const GemmCase& test, const T* a, const T* b, const float* factors,
                              float* c) {
  if constexpr (builds_fp8<T>) {
    const int blocks = ceil_div(test.k, scale_block);
    const auto of_a = scaled_rows(a_of<order_a>(test, a), factors, blocks);
    const auto of_b =
        scaled_blocks(b_of<order_b>(test, b), factors + std::int64_t{test.m} * blocks, blocks);
    if (test.shares > 0) return run_in_shares<TileSize::medium>(test, of_a, of_b, c, Identity{});
    return run_with<TileSize::large>(test, of_a, of_b, c, Identity{});
  }
  return no_such_kernel;
}

/// With factors of rows and columns, or of blocks.
template <Order order_a, Order order_b>
static std::string run_in_order(const GemmCase& test, const fp8_e4m3* a, const fp8_e4m3* b,
                                const float* factors, void* c) {
  if (test.after == After::scaled_blocks)
    return run_blocks<order_a, order_b>(test, a, b, factors, static_cast<float*>(c));
  if (test.after != After::scaled) return no_such_kernel;
  return run_as<order_a, order_b, bf16, TileSize::large>(
      test, a, b, static_cast<bf16*>(c), ScaleRows{factors} | ScaleColumns{factors + test.m});
}

/// As a linear layer needs it whose inputs are scaled by token and whose weights by column, and
/// whose output is the next one's input.
std::string run_fnuz(const GemmCase& test, const void* a, const void* b, const float* factors,
                     void* c) {
  constexpr auto row = Order::row_major, column = Order::column_major;
  const auto *of_a = static_cast<const fp8_e4m3_fnuz*>(a),
             *of_b = static_cast<const fp8_e4m3_fnuz*>(b);
  if (test.transposed_a || !test.transposed_b) return no_such_kernel;
  if (test.after == After::scaled_blocks)
    return run_blocks<row, column>(test, of_a, of_b, factors, static_cast<float*>(c));
  if (test.after != After::scaled) return no_such_kernel;
  return run_as<row, column, fp8_e4m3_fnuz, TileSize::medium>(
      test, of_a, of_b, static_cast<fp8_e4m3_fnuz*>(c),
      ScaleRows{factors} | ScaleColumns{factors + test.m});
}

/// With results in other types, too.
std::string run_e4m3(const GemmCase& test, const void* a, const void* b, const float* factors,
                     void* c) {
  constexpr auto row = Order::row_major, column = Order::column_major;
  const auto *of_a = static_cast<const fp8_e4m3*>(a), *of_b = static_cast<const fp8_e4m3*>(b);
  if (!test.transposed_a && test.transposed_b)
    return run_in_order<row, column>(test, of_a, of_b, factors, c);
  if (!test.transposed_a && test.after == After::scaled_by_one)
    return run_as<row, row, std::int8_t, TileSize::small>(
        test, of_a, of_b, static_cast<std::int8_t*>(c), ScaleAll{factors});
  if constexpr (every_instance) {
    if (!test.transposed_a) return run_in_order<row, row>(test, of_a, of_b, factors, c);
    return test.transposed_b ? run_in_order<column, column>(test, of_a, of_b, factors, c)
                             : run_in_order<column, row>(test, of_a, of_b, factors, c);
  }
  return no_such_kernel;
}
