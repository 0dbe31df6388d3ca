// Gradients of operations on rows, the loss, and the optimizer.
#include "hipsight/kernels/training.h"
#include "hipsight/kernels/training/on_host.h"
#include "rows_instances.h"
#include "training_case.h"

using namespace hipsight::kernels;

namespace {

/// Memory for a call.
struct Room {
  Workspace workspace;
  explicit Room(std::size_t bytes) {
    if (bytes && hipMalloc(&workspace.data, bytes) == hipSuccess) workspace.bytes = bytes;
  }
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;
  ~Room() { (void)hipFree(workspace.data); }
};

template <class T>
const T* values(const void* data) {
  return static_cast<const T*>(data);
}
template <class T>
T* values(void* data) {
  return static_cast<T*>(data);
}

template <class T>
std::string adamw_of(const TrainingCase& test) {
  const AdamWStep step{
      .rate = 0.01f, .decay = 0.1f, .step = test.step, .gradient_factor = test.number};
  RowMajor<float> master;
  if (test.master) master = output<float>(test, test.master);
  return run_as<RowSize::wave>(
      test, adamw_problem<T, T>(input<T>(test, test.in), output<T>(test, test.out),
                                output<float>(test, test.mean), output<float>(test, test.square),
                                master, step));
}

template <class T>
auto entropy_of(const TrainingCase& test) {
  return cross_entropy_problem<T>(input<T>(test, test.in), test.targets, test.losses,
                                  output<T>(test, test.out), test.number);
}

}  // namespace

std::string rms_norm_backward_bf16(const TrainingCase& test) {
  const Room room(rms_norm_backward_workspace<bf16>(test.rows, test.columns));
  const auto x = input<bf16>(test, test.in), d = input<bf16>(test, test.d_out);
  const auto d_x = output<bf16>(test, test.out);
  const auto* const weight = values<bf16>(test.weight);
  auto* const d_weight = values<bf16>(test.d_weight);
  if (test.on_host)
    return run_norm_backward_on_host(
               rms_norm_backward_problem<bf16>(x, weight, d, d_x, d_weight, test.number, {}))
        .error;
  return finish(
      rms_norm_backward<bf16>(nullptr, x, weight, d, d_x, d_weight, test.number, room.workspace));
}

std::string layer_norm_backward_f32(const TrainingCase& test) {
  const Room room(layer_norm_backward_workspace<float>(test.rows, test.columns));
  const auto x = input<float>(test, test.in), d = input<float>(test, test.d_out);
  const auto d_x = output<float>(test, test.out);
  const auto* const weight = values<float>(test.weight);
  auto *const d_weight = values<float>(test.d_weight), *const d_bias = values<float>(test.d_bias);
  if (test.on_host)
    return run_norm_backward_on_host(layer_norm_backward_problem<float>(x, weight, d, d_x, d_weight,
                                                                        d_bias, test.number, {}))
        .error;
  return finish(layer_norm_backward<float>(nullptr, x, weight, d, d_x, d_weight, d_bias,
                                           test.number, room.workspace));
}

std::string softmax_backward_f16(const TrainingCase& test) {
  return run_as<RowSize::wave, RowSize::streamed>(
      test, softmax_backward_problem<f16>(input<f16>(test, test.in), input<f16>(test, test.d_out),
                                          output<f16>(test, test.out), test.number));
}

std::string silu_backward_bf16(const TrainingCase& test) {
  return run_as<RowSize::wave>(
      test,
      gated_backward_problem<SiluBackward, bf16>(
          input<bf16>(test, test.in), input<bf16>(test, test.other), input<bf16>(test, test.d_out),
          output<bf16>(test, test.out), output<bf16>(test, test.d_other)));
}

std::string gelu_backward_f32(const TrainingCase& test) {
  return run_as<RowSize::lanes>(test,
                                gated_backward_problem<GeluBackward, float>(
                                    input<float>(test, test.in), input<float>(test, test.other),
                                    input<float>(test, test.d_out), output<float>(test, test.out),
                                    output<float>(test, test.d_other)));
}

std::string cross_entropy_bf16(const TrainingCase& test) {
  return run_as<RowSize::workgroup, RowSize::streamed>(test, entropy_of<bf16>(test));
}

std::string cross_entropy_f32(const TrainingCase& test) {
  return run_as<RowSize::lanes>(test, entropy_of<float>(test));
}

std::string adamw_bf16(const TrainingCase& test) {
  return adamw_of<bf16>(test);
}

std::string adamw_f32(const TrainingCase& test) {
  return adamw_of<float>(test);
}
