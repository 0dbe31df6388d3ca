// The calls that are one function for all GPUs, and two products of matrices, for a GPU that the
// other tests do not build for.
#include "attention_instances.h"
#include "gemm_instances.h"
#include "rows_instances.h"

using namespace hipsight::kernels;

std::string run_f16(const GemmCase& test, const void* a, const void* b, const float*, void* c) {
  return run_as<Order::row_major, Order::column_major, float, TileSize::small>(
      test, static_cast<const f16*>(a), static_cast<const f16*>(b), static_cast<float*>(c),
      Identity{});
}

std::string run_attention_f16(const AttentionCase& test, const void* q, const void* k,
                              const void* v, void* o, float* log_sums) {
  return run_one_of<f16>(std::integer_sequence<int, 64>(), test, q, k, v, o, log_sums);
}

std::string layer_norm_f32(const RowCase& test) {
  const auto in = input<f32>(test, test.in);
  const auto out = output<f32>(test, test.out);
  const auto *weight = static_cast<const f32*>(test.weight),
             *bias = static_cast<const f32*>(test.bias);
  if (!test.on_host) return finish(layer_norm(nullptr, in, weight, bias, out, test.number));
  return run_as<>(test, layer_norm_problem(in, weight, bias, out, test.number, NoResidual{}));
}

std::string gelu_bf16(const RowCase& test) {
  const auto gate = input<bf16>(test, test.in), up = input<bf16>(test, test.other);
  const auto out = output<bf16>(test, test.out);
  if (!test.on_host) return finish(gelu_mul(nullptr, gate, up, out));
  return run_as<>(test, gated_problem<GeluGate>(gate, up, out));
}

std::string quantise_f32_fnuz_per_block(const RowCase& test) {
  const auto in = input<f32>(test, test.in);
  const PerBlock out(output<fp8_e4m3_fnuz>(test, test.out), block_scales<float>(test));
  if (!test.on_host) return finish(convert(nullptr, in, out));
  return run_as<>(test, convert_problem(in, out));
}
