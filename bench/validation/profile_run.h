#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gpus/gpu.h"
#include "hipsight/gpu.h"

namespace hipsight::bench {

/// Kernels of one of our files, on a GPU of its own, so that each launch finds memory as any other
/// does. All of it throws std::runtime_error when something fails.
class Kernels {
 public:
  /// `file`: of build/bench, "stream.hipfb".
  Kernels(const std::string& gpu, const std::string& file);

  /// Zeros.
  template <class T>
  Buffer array(std::size_t count) const {
    return bytes(count * sizeof(T));
  }
  /// `kernel`: as the source has it, "sum<128, 128>". With a prediction and a profile.
  template <class... Arguments>
  KernelReport launch(const std::string& kernel, const LaunchConfig& config,
                      const Arguments&... arguments) const {
    return checked(find(kernel).launch(config, arguments...));
  }

 private:
  Buffer bytes(std::size_t size) const;
  Kernel find(const std::string& kernel) const;
  static KernelReport checked(Expected<KernelReport> report);

  Gpu gpu_;
  std::string file_;
  /// Loaded at the first launch, as HIP does: so it lies behind the launch's memory.
  mutable std::optional<Module> module_;
};

/// Workgroups that `hipsight profile` observes.
constexpr std::uint32_t usual_sample = 64;

/// Dynamic LDS that keeps a compute unit at so many workgroups.
std::uint32_t lds_for(const gpus::Gpu& gpu, std::size_t workgroups);

/// What is predicted of one kernel.
struct Predicted {
  std::string family;  ///< timing/validated.h
  double seconds = 0, launch_seconds = 0;

  Predicted() = default;
  explicit Predicted(const KernelReport& kernel);
  double work() const { return seconds - launch_seconds; }
};

}  // namespace hipsight::bench
