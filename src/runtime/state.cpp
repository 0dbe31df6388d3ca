#include "runtime/state.h"

#include <fmt/format.h>

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <set>

#include "runtime/exit.h"
#include "runtime/fork.h"
#include "runtime/signals.h"
#include "support/environment.h"
#include "support/error.h"
#include "support/run_state.h"

namespace hipsight::runtime {
namespace {

std::atomic<hipError_t> fault{hipSuccess};        // until the device is reset
std::atomic<hipError_t> first_error{hipSuccess};  // for good
std::atomic<Context*> made{nullptr};
thread_local int device_of_thread = 0;

/// The number in an environment variable, if it is set and within the limits.
std::optional<double> number(const char* variable, double least, double most) {
  const std::string text = environment(variable);
  if (text.empty()) return std::nullopt;
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (*end == '\0' && value >= least && value <= most) return value;
  complain(
      fmt::format("{}={}: expected a number from {} to {}; left out", variable, text, least, most));
  return std::nullopt;
}

/// How many of so many devices HIP_VISIBLE_DEVICES leaves: a list of numbers, which the first one
/// that there is not ends. They are all alike, so which ones does not matter.
int visible(int devices) {
  const std::string list = environment("HIP_VISIBLE_DEVICES");
  if (list.empty()) return devices;
  std::set<long> seen;
  const char* text = list.c_str();
  for (char* end = nullptr;; text = end + 1) {
    const long one = std::strtol(text, &end, 10);
    if (end == text || one < 0 || one >= devices) break;
    seen.insert(one);
    if (*end != ',') break;
  }
  return static_cast<int>(seen.size());
}

/// Whether a variable is set to a number that is not 0.
bool is_on(const char* variable) {
  return std::strtol(environment(variable).c_str(), nullptr, 0) != 0;
}

}  // namespace

Settings Settings::read() {
  Settings settings;
  const std::uint32_t process = process_of_run();  // even if nothing comes of it, it uses HIP
  if (const std::string gpu = environment("HIPSIGHT_GPU"); !gpu.empty()) settings.gpu = gpu;
  if (const std::string file = environment("HIPSIGHT_CAPTURE"); !file.empty())
    settings.capture = output_of_process(file, process);
  if (const auto devices = number("HIPSIGHT_GPUS", 1, 64))
    settings.devices = static_cast<int>(*devices);
  settings.devices = visible(settings.devices);
  if (const auto threads = number("HIPSIGHT_THREADS", 1, 4096))
    settings.threads = static_cast<unsigned>(*threads);
  if (const auto strict = number("HIPSIGHT_STRICT", 0, 1)) settings.strict = *strict != 0;
  if (const auto seconds = number("HIPSIGHT_TIMEOUT", 0, 1e9))
    settings.timeout = std::chrono::milliseconds(std::llround(std::ceil(*seconds * 1000)));
  if (const auto seconds = number("HIPSIGHT_EXIT_WAIT", 0, 1e9))
    settings.exit_wait = std::chrono::milliseconds(std::llround(std::ceil(*seconds * 1000)));
  settings.blocking = is_on("HIP_LAUNCH_BLOCKING") || is_on("AMD_SERIALIZE_KERNEL");
  // A captured launch should meet no other work half done.
  if (!settings.capture.empty()) settings.blocking = true;
  return settings;
}

Context::Context()
    : settings_(Settings::read()),
      gpu_(gpus::find(settings_.gpu)),
      target_(code::Target::parse(gpu_.target_id)) {
  engine::Options options;
  options.threads = settings_.threads;
  options.timeout = settings_.timeout;
  options.strict = settings_.strict;
  engine_ = std::make_unique<engine::Engine>(gpu_, options);
  engine_->on_overrun(complain);
  host_ = std::make_unique<services::Host>(*engine_, gpu_, complain);
  session_ = std::make_unique<report::Reporter>(gpu_);
  watch_exit();
  watch_signals();
  watch_fork();
}

Context& Context::get() {
  const auto checked = [](Context& context) -> Context& {
    require(context.device_count() > 0, hipErrorNoDevice);
    return context;
  };
  if (Context* context = made.load(std::memory_order_acquire)) return checked(*context);
  static auto& mutex = *new std::mutex;
  const std::lock_guard lock(mutex);
  if (Context* context = made.load(std::memory_order_acquire)) return checked(*context);
  try {
    auto* context = new Context;
    made.store(context, std::memory_order_release);
    return checked(*context);
  } catch (const Exception& error) {
    complain(error.what());
    fail_with(hipErrorNoDevice);
  }
}

Context* Context::get_if_made() {
  return made.load(std::memory_order_acquire);
}

int current_device() {
  return device_of_thread;
}
void set_current_device(int device) {
  device_of_thread = device;
}

void require_device(int device) {
  require(device >= 0 && device < Context::get().device_count(), hipErrorInvalidDevice);
}

hipError_t device_fault() noexcept {
  return fault.load(std::memory_order_acquire);
}
void clear_device_fault() noexcept {
  fault.store(hipSuccess, std::memory_order_release);
}

hipError_t code_of(engine::KernelError::Kind kind) noexcept {
  switch (kind) {
    case engine::KernelError::Kind::MemoryAccess:
      return hipErrorIllegalAddress;
    case engine::KernelError::Kind::Timeout:
      return hipErrorLaunchTimeOut;
    default:
      return hipErrorLaunchFailure;
  }
}

void set_device_fault(hipError_t code) noexcept {
  hipError_t none = hipSuccess;
  fault.compare_exchange_strong(none, code);
  note_kernel_error(code);
}

void note_kernel_error(hipError_t code) noexcept {
  hipError_t none = hipSuccess;
  first_error.compare_exchange_strong(none, code);
}

hipError_t first_kernel_error() noexcept {
  return first_error.load(std::memory_order_acquire);
}

}  // namespace hipsight::runtime
