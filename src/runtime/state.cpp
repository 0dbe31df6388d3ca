#include "runtime/state.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <mutex>
#include <set>

#include "config/environment.h"
#include "engine/host.h"
#include "runtime/exit.h"
#include "runtime/fork.h"
#include "runtime/signals.h"
#include "support/error.h"
#include "support/program_clock.h"
#include "support/run_state.h"
#include "timeline/host_clock.h"

namespace hipsight::runtime {
namespace {

std::atomic<hipError_t> fault{hipSuccess};        // until the device is reset
std::atomic<hipError_t> first_error{hipSuccess};  // for good
std::atomic<Context*> made{nullptr};
thread_local int device_of_thread = 0;

/// How many of so many devices HIP_VISIBLE_DEVICES leaves: a list of numbers, which the first one
/// that there is not ends. They are all alike, so which ones does not matter.
int visible(int devices, const std::string& list) {
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

Config read_config() {
  Config config = config::read().config;
  // `hipsight run` has told of them already.
  if (config.run.empty())
    for (const std::string& stranger : config::strangers()) complain(stranger);
  join_run(config.run);
  gpus::use_folders(config.gpu_path);
  engine::set_host(engine::Host::of(config));
  return config;
}

/// To the program's own calls (src/program_clock), if `hipsight run` has loaded what answers them.
void lend_clock() {
  static const ProgramClock clock{
      .now = [] { return timeline::HostClock::of_thread().of_program(); },
      .sleep_until = [](double time) { timeline::HostClock::of_thread().sleep_until(time); }};
  if (void* const use = dlsym(RTLD_DEFAULT, "hipsight_use_program_clock"))
    reinterpret_cast<UseProgramClock*>(use)(clock);
}

}  // namespace

const Config& config() {
  static const auto& config = *new Config(read_config());
  return config;
}

Settings Settings::of(const Config& config) {
  Settings settings;
  const std::uint32_t process = process_of_run();  // even if nothing comes of it, it uses HIP
  if (!config.capture.empty()) settings.capture = output_of_process(config.capture, process);
  settings.devices = visible(static_cast<int>(config.gpus), config.visible_devices);
  settings.predicted_time = config.time == "predicted";
  settings.exit_wait = std::chrono::milliseconds(std::llround(std::ceil(config.exit_wait * 1000)));
  // A captured launch should meet no other work half done.
  settings.blocking =
      config.launch_blocking || config.serialize_kernel || !settings.capture.empty();
  return settings;
}

Context::Context()
    : settings_(Settings::of(config())),
      gpu_(gpus::find(config().gpu, config().xnack)),
      target_(code::Target::parse(gpu_.target_id)) {
  engine_ = std::make_unique<engine::Engine>(gpu_, engine::Options::of(config()));
  engine_->on_overrun(complain);
  host_ = std::make_unique<services::Host>(*engine_, gpu_, complain);
  session_ = std::make_unique<report::Reporter>(
      gpu_, report::Output::of(config()), report::selection_of(config()),
      report::ProgressOutput::of(config()), &engine_->memory());
  watch_exit();
  if (settings_.predicted_time && config().host_clock) lend_clock();
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
