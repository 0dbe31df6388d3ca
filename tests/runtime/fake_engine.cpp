#include "fake_engine.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <mutex>

#include "code/code_object.h"
#include "runtime/stream/stream.h"

namespace fake {
namespace {

// Kernels fail here on purpose: the process keeps the tests' own exit status.
__attribute__((constructor)) void keep_status() {
  on_exit(
      [](int status, void*) {
        std::fflush(nullptr);
        _exit(status);
      },
      nullptr);
}

std::mutex& mutex() {
  static std::mutex mutex;
  return mutex;
}
std::vector<Launch>& all_launches() {
  static std::vector<Launch> launches;
  return launches;
}

LaunchHook::Function& hook() {
  static LaunchHook::Function hook;
  return hook;
}

}  // namespace

std::vector<Launch>& launches() {
  hipsight::runtime::wait_for_all();
  return all_launches();
}

void LaunchHook::operator=(Function function) const {
  const std::lock_guard lock(mutex());
  hook() = std::move(function);
}

void reset() {
  launches().clear();
  on_launch() = nullptr;
}

std::uint64_t Launch::hidden(const char* kind) const {
  for (const auto& argument : dispatch.kernel->arguments) {
    if (argument.value_kind != kind) continue;
    std::uint64_t value = 0;
    std::memcpy(&value, kernarg.data() + argument.offset, argument.size);
    return value;
  }
  return ~std::uint64_t{0};
}

}  // namespace fake

namespace hipsight::engine {

struct Engine::Impl {
  gpus::Gpu gpu;
  Memory memory;
};

Engine::Engine(gpus::Gpu gpu, Options) : impl_(new Impl{gpu, Memory(gpu.dram_bytes)}) {}
Engine::~Engine() = default;
const gpus::Gpu& Engine::gpu() const {
  return impl_->gpu;
}
MatrixMode Engine::matrix() const {
  return MatrixMode::Fast;
}
Memory& Engine::memory() {
  return impl_->memory;
}
void Engine::on_doorbell(std::function<void(std::uint32_t)>) {}
void Engine::on_overrun(std::function<void(const std::string&)>) {}

Result Engine::run(const Dispatch& dispatch) {
  fake::LaunchHook::Function hook;
  {
    const std::lock_guard lock(fake::mutex());
    hook = fake::hook();
    fake::all_launches().push_back({dispatch, {dispatch.kernarg.begin(), dispatch.kernarg.end()}});
  }
  if (hook) hook(dispatch);
  return {};
}

namespace {
struct FakeModule : Module {
  FakeModule(std::shared_ptr<const code::CodeObject> object, Memory& memory) : memory(memory) {
    object_ = std::move(object);
    image_ = static_cast<std::byte*>(
        memory.allocate(object_->image_size(), Memory::Kind::Code, object_->origin()));
    object_->load(image_, reinterpret_cast<std::uintptr_t>(image_));
  }
  ~FakeModule() override { memory.free(image_); }
  std::vector<Code> called() const override { return {}; }
  Memory& memory;
};
}  // namespace

std::shared_ptr<Module> Module::load(std::shared_ptr<const code::CodeObject> object, Memory& memory,
                                     std::uintptr_t) {
  return std::make_shared<FakeModule>(std::move(object), memory);
}

}  // namespace hipsight::engine
