#include "validation/profile_run.h"

#include <stdexcept>

#include "validation/recordings.h"

namespace hipsight::bench {
namespace {

template <class T>
T value_of(Expected<T> expected) {
  if (!expected) throw std::runtime_error(expected.error().text);
  return *std::move(expected);
}

}  // namespace

Kernels::Kernels(const std::string& gpu, const std::string& file)
    : gpu_(value_of(Gpu::open(gpu))), file_(programs() / file) {}

Buffer Kernels::bytes(std::size_t size) const {
  return value_of(gpu_.allocate(size));
}
Kernel Kernels::find(const std::string& kernel) const {
  if (!module_) module_ = value_of(gpu_.load_file(file_));
  return value_of(module_->kernel(kernel));
}
KernelReport Kernels::checked(Expected<KernelReport> report) {
  return value_of(std::move(report));
}

std::uint32_t lds_for(const gpus::Gpu& gpu, std::size_t workgroups) {
  constexpr std::size_t granule = 512;  // of what is allocated
  return static_cast<std::uint32_t>(gpu.max_lds_per_workgroup / workgroups / granule * granule);
}

Predicted::Predicted(const KernelReport& kernel) {
  const Prediction& prediction = kernel.prediction.value();
  family = prediction.family;
  seconds = prediction.seconds, launch_seconds = prediction.launch_seconds;
}

}  // namespace hipsight::bench
