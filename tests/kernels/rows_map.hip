// Gated activations, conversions and rotations.
#include "every_instance.h"
#include "rows_instances.h"

using namespace hipsight::kernels;

std::string silu_f16_int8_per_block(const RowCase& test) {
  const PerBlock out(output<std::int8_t>(test, test.out), block_scales<float>(test));
  const auto gate = input<f16>(test, test.in), up = input<f16>(test, test.other);
  if (test.workers == Workers::chosen && !test.on_host)
    return finish(silu_mul(nullptr, gate, up, out));
  return run_as<RowSize::lanes, RowSize::wave>(test, gated_problem<SiluGate>(gate, up, out));
}

std::string quantise_f32_e4m3_per_tensor(const RowCase& test) {
  const PerTensor out(output<fp8_e4m3>(test, test.out), test.scales);
  return run_as<RowSize::wave>(test, convert_problem(input<f32>(test, test.in), out));
}

std::string quantise_f32_fnuz_per_tensor(const RowCase& test) {
  const PerTensor out(output<fp8_e4m3_fnuz>(test, test.out), test.scales);
  return run_as<RowSize::wave>(test, convert_problem(input<f32>(test, test.in), out));
}

std::string quantise_f32_int8_per_token(const RowCase& test) {
  const PerToken out(output<std::int8_t>(test, test.out), test.scales);
  return run_as<RowSize::wave>(test, convert_problem(input<f32>(test, test.in), out));
}

std::string dequantise_e4m3_per_tensor_f32(const RowCase& test) {
  const PerTensor in(input<fp8_e4m3>(test, test.in), test.scales);
  return run_as<RowSize::lanes>(test, convert_problem(in, output<f32>(test, test.out)));
}

std::string dequantise_fnuz_per_token_bf16(const RowCase& test) {
  if constexpr (builds_fp8<fp8_e4m3_fnuz>) {
    const PerToken in(input<fp8_e4m3_fnuz>(test, test.in), static_cast<const float*>(test.scales));
    return run_as<RowSize::wave>(test, convert_problem(in, output<bf16>(test, test.out)));
  }
  return "no such kernel here";
}

std::string dequantise_int8_per_block_f16(const RowCase& test) {
  const PerBlock in(input<std::int8_t>(test, test.in), block_scales<const float>(test));
  return run_as<RowSize::wave>(test, convert_problem(in, output<f16>(test, test.out)));
}

namespace {

template <Pairing pairing, class T>
std::string rotate(const RopeCase& test) {
  const Heads<const T> in{static_cast<const T*>(test.in),
                          test.tokens,
                          test.heads,
                          test.size,
                          test.token_stride,
                          test.head_stride};
  const Heads<T> out{static_cast<T*>(test.out), test.tokens,     test.heads, test.size,
                     test.token_stride,         test.head_stride};
  const RowMajor<const float> cosine{test.cosine, test.table_rows, test.pairs, test.pairs};
  const RowMajor<const float> sine{test.sine, test.table_rows, test.pairs, test.pairs};
  if (test.on_host)
    return run_rows_on_host(rope_problem<pairing, T>(in, out, cosine, sine, test.positions)).error;
  return finish(rope<pairing, T>(nullptr, in, out, cosine, sine, test.positions));
}

}  // namespace

std::string rope_halves_bf16(const RopeCase& test) {
  return rotate<Pairing::halves, bf16>(test);
}

std::string rope_neighbours_f16(const RopeCase& test) {
  return rotate<Pairing::neighbours, f16>(test);
}
