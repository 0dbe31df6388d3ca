// Norms and softmax, in each team.
#include "rows_instances.h"

using namespace hipsight::kernels;

std::string rms_norm_bf16(const RowCase& test) {
  const auto in = input<bf16>(test, test.in);
  const auto out = output<bf16>(test, test.out);
  const auto* weight = static_cast<const bf16*>(test.weight);
  if (test.workers == Workers::chosen && !test.on_host)
    return finish(rms_norm(nullptr, in, weight, out, test.number));
  return run_as<RowSize::lanes, RowSize::wave, RowSize::workgroup, RowSize::wide, RowSize::large,
                RowSize::streamed>(test,
                                   rms_norm_problem(in, weight, out, test.number, NoResidual{}));
}

std::string rms_norm_residual_bf16_fnuz_per_token(const RowCase& test) {
  const PerToken out(output<fp8_e4m3_fnuz>(test, test.out), test.scales);
  const AddResidual residual(input<bf16>(test, test.other), output<bf16>(test, test.sum));
  return run_as<RowSize::workgroup, RowSize::streamed>(
      test, rms_norm_problem(input<bf16>(test, test.in), static_cast<const bf16*>(test.weight), out,
                             test.number, residual));
}

std::string layer_norm_residual_f16_int8_per_token(const RowCase& test) {
  const PerToken out(output<std::int8_t>(test, test.out), test.scales);
  const AddResidual residual(input<f16>(test, test.other), output<f16>(test, test.sum));
  return run_as<RowSize::streamed>(
      test, layer_norm_problem(input<f16>(test, test.in), static_cast<const f16*>(test.weight),
                               static_cast<const f16*>(test.bias), out, test.number, residual));
}

std::string softmax_f32(const RowCase& test) {
  return run_as<RowSize::streamed>(
      test, softmax_problem(input<f32>(test, test.in), output<f32>(test, test.out), test.number));
}

std::string softmax_f16(const RowCase& test) {
  return run_as<RowSize::wave>(
      test, softmax_problem(input<f16>(test, test.in), output<f16>(test, test.out), test.number));
}
