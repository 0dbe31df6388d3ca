// One operation on rows of the kernel library, in bf16, for `hipsight predict`.
//   kernels_rows_launch OPERATION ROWS COLUMNS
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include "hipsight/kernels/rows.h"
#include "hipsight/kernels/training.h"

using namespace hipsight::kernels;

namespace {

int rows, columns;

template <class T>
RowMajor<T> matrix(int width = columns) {
  void* data = nullptr;
  if (hipMalloc(&data, sizeof(T) * rows * width) != hipSuccess) std::exit(1);
  return {static_cast<T*>(data), rows, width, width};
}

template <class T>
RowMajor<const T> input() {
  const RowMajor<T> made = matrix<T>();
  return {made.data, rows, columns, columns};
}

/// By the team that the library would choose, of which those of these shapes are compiled.
template <class Operation>
Status run(const RowProblem<Operation>& problem) {
  const Device device = current_device();
  const RowSize size = row_size(Operation::whole_rows, columns, device.architecture);
  if constexpr (!Operation::whole_rows) {
    if (size == RowSize::wave)
      return launch_rows<RowSize::wave>(nullptr, problem, device.architecture);
  } else {
    if (size == RowSize::workgroup)
      return launch_rows<RowSize::workgroup>(nullptr, problem, device.architecture);
    if (size == RowSize::wide)
      return launch_rows<RowSize::wide>(nullptr, problem, device.architecture);
  }
  return {"rows: not one of the shapes that this program has kernels for"};
}

Status run_norm() {
  return run(
      rms_norm_problem(input<bf16>(), input<bf16>().data, matrix<bf16>(), 1e-5f, NoResidual{}));
}

/// As before a quantised linear layer.
Status run_norm_quantised() {
  const RowMajor<bf16> sum = matrix<bf16>();
  const RowMajor<const bf16> residual{sum.data, rows, columns, columns};
  const PerToken out(matrix<fp8_e4m3>(), matrix<float>(1).data);
  const PerToken fnuz(matrix<fp8_e4m3_fnuz>(), matrix<float>(1).data);
  const AddResidual both(residual, sum);
  if (current_device().architecture == Architecture::cdna3)
    return run(rms_norm_problem(input<bf16>(), input<bf16>().data, fnuz, 1e-5f, both));
  return run(rms_norm_problem(input<bf16>(), input<bf16>().data, out, 1e-5f, both));
}

Status run_layer_norm() {
  return run(layer_norm_problem(input<bf16>(), input<bf16>().data, input<bf16>().data,
                                matrix<bf16>(), 1e-5f, NoResidual{}));
}

Status run_softmax() {
  return run(softmax_problem(input<bf16>(), matrix<bf16>(), 1));
}

Status run_silu() {
  return run(gated_problem<SiluGate>(input<bf16>(), input<bf16>(), matrix<bf16>()));
}

Status run_quantise() {
  return run(
      convert_problem(input<bf16>(), PerToken(matrix<std::int8_t>(), matrix<float>(1).data)));
}

/// `columns` are heads of 128.
Status run_rope() {
  const auto heads = [](auto* data) { return Heads{data, rows, columns / 128, 128, columns, 128}; };
  const RowMajor<float> table = matrix<float>(64);
  const RowMajor<const float> angles{table.data, rows, 64, 64};
  return rope<Pairing::halves, bf16>(nullptr, heads(input<bf16>().data), heads(matrix<bf16>().data),
                                     angles, angles);
}

Status run_norm_backward() {
  const std::size_t bytes = rms_norm_backward_workspace<bf16>(rows, columns);
  void* workspace = nullptr;
  if (hipMalloc(&workspace, bytes) != hipSuccess) std::exit(1);
  return rms_norm_backward<bf16>(nullptr, input<bf16>(), input<bf16>().data, input<bf16>(),
                                 matrix<bf16>(), matrix<bf16>().data, 1e-5f, {workspace, bytes});
}

Status run_silu_backward() {
  return run(gated_backward_problem<SiluBackward, bf16>(input<bf16>(), input<bf16>(), input<bf16>(),
                                                        matrix<bf16>(), matrix<bf16>()));
}

Status run_cross_entropy() {
  return run(cross_entropy_problem<bf16>(input<bf16>(), matrix<int>(1).data, matrix<float>(1).data,
                                         matrix<bf16>(), 1));
}

Status run_adamw() {
  return run(adamw_problem<bf16, bf16>(input<bf16>(), matrix<bf16>(), matrix<float>(),
                                       matrix<float>(), matrix<float>(), {}));
}

}  // namespace

int main(int argc, char** argv) {
  const std::map<std::string, Status (*)()> operations{{"rms_norm", run_norm},
                                                       {"rms_norm_quantised", run_norm_quantised},
                                                       {"layer_norm", run_layer_norm},
                                                       {"softmax", run_softmax},
                                                       {"silu_mul", run_silu},
                                                       {"quantise", run_quantise},
                                                       {"rms_norm_backward", run_norm_backward},
                                                       {"silu_mul_backward", run_silu_backward},
                                                       {"cross_entropy", run_cross_entropy},
                                                       {"adamw", run_adamw},
                                                       {"rope", run_rope}};
  const auto found = operations.find(argc == 4 ? argv[1] : "");
  if (found == operations.end()) return 2;
  rows = std::atoi(argv[2]), columns = std::atoi(argv[3]);
  const Status status = found->second();
  if (!status) std::fprintf(stderr, "%s\n", status.error.c_str());
  return status && hipDeviceSynchronize() == hipSuccess ? 0 : 1;
}
