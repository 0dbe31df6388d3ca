#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "code/target.h"
#include "config/config.h"
#include "engine/engine.h"
#include "gpus/gpu.h"
#include "report/reporter.h"
#include "runtime/error.h"
#include "runtime/hip_types.h"
#include "services/services.h"

namespace hipsight::runtime {

/// What this process's environment asks for, read once. Names variables that nothing reads.
/// @throws Exception when a value makes no sense.
const Config& config();

/// What HIP makes of it.
struct Settings {
  int devices = 1;
  /// How long work that is left may take when the program exits.
  std::chrono::milliseconds exit_wait{60'000};
  bool blocking = false;        ///< a launch waits
  std::string capture;          ///< file for the first selected launch
  bool predicted_time = false;  ///< events tell the GPU's time, not the emulation's

  static Settings of(const Config& config);
};

/// The emulated machine of this process: one or more GPUs of one kind and their memory. One engine
/// runs the kernels of all of them, so peer memory needs no copies. Made when first needed, never
/// destroyed: programs call HIP from their own static destructors.
class Context {
 public:
  /// @throws Failure hipErrorNoDevice when the GPU is not known (told once).
  static Context& get();
  /// The context if there is one already.
  static Context* get_if_made();

  const gpus::Gpu& gpu() const { return gpu_; }
  const code::Target& target() const { return target_; }
  const Settings& settings() const { return settings_; }
  int device_count() const { return settings_.devices; }
  engine::Engine& engine() { return *engine_; }
  engine::Memory& memory() { return engine_->memory(); }
  services::Host& host() { return *host_; }
  /// What was launched, and the report at exit (exit.cpp).
  report::Reporter& session() { return *session_; }
  const report::Reporter& session() const { return *session_; }

 private:
  Context();
  Settings settings_;
  gpus::Gpu gpu_;
  code::Target target_;
  std::unique_ptr<engine::Engine> engine_;
  std::unique_ptr<services::Host> host_;
  std::unique_ptr<report::Reporter> session_;
};

inline engine::Memory& memory() {
  return Context::get().memory();
}

/// The calling thread's current device.
int current_device();
void set_current_device(int device);
/// @throws Failure hipErrorInvalidDevice.
void require_device(int device);

/// The error of the first kernel that failed since the start or hipDeviceReset, or hipSuccess. The
/// device is then lost: launches, copies and waits return this error.
hipError_t device_fault() noexcept;
void clear_device_fault() noexcept;
inline void require_no_fault() {
  if (const hipError_t fault = device_fault()) fail_with(fault);
}

/// Makes an error of a kernel, or of other work that nobody waited for, the device's fault, unless
/// there is one.
void set_device_fault(hipError_t code) noexcept;
hipError_t code_of(engine::KernelError::Kind kind) noexcept;

/// Keeps an error for the exit status only: the first in the life of the process counts.
void note_kernel_error(hipError_t code) noexcept;
hipError_t first_kernel_error() noexcept;

}  // namespace hipsight::runtime
