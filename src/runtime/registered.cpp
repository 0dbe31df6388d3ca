#include "runtime/registered.h"

#include <fmt/format.h>

#include <atomic>
#include <map>
#include <mutex>

#include "runtime/mapping.h"
#include "runtime/state.h"
#include "runtime/stream.h"

namespace hipsight::runtime {
namespace {

struct Registered {
  std::mutex mutex;
  std::map<void*, std::size_t> sizes;
  std::atomic<bool> any{false};
};
Registered& registered() {
  static auto& all = *new Registered;
  return all;
}

}  // namespace

void drop_unmapped() {
  Registered& all = registered();
  if (!all.any) return;
  const std::lock_guard lock(all.mutex);
  std::erase_if(all.sizes, [](const auto& range) {
    const auto& [pointer, size] = range;
    if (is_mapped(pointer, size)) return false;
    complain(fmt::format("the memory of hipHostRegister at {} is mapped no more", pointer));
    memory().remove(pointer);
    return true;
  });
}

HIP_API hipError_t hipHostRegister(void* pointer, std::size_t size, unsigned flags) {
  return api([&] {
    require(pointer && size && flags <= 15);
    // Kernels may write to it unless the program says that none does.
    require(flags & hipHostRegisterReadOnly ? is_mapped(pointer, size)
                                            : writable_bytes(pointer) >= size);
    Context::get();
    Registered& all = registered();
    const std::lock_guard lock(all.mutex);
    require(memory().add(pointer, size, engine::Memory::Kind::Host,
                         fmt::format("hipHostRegister of {}", pointer), flags),
            hipErrorHostMemoryAlreadyRegistered);
    all.sizes[pointer] = size;
    all.any = true;
    return hipSuccess;
  });
}

HIP_API hipError_t hipHostUnregister(void* pointer) {
  return api([&] {
    require(pointer != nullptr);
    Context::get();
    wait_for_all();
    Registered& all = registered();
    const std::lock_guard lock(all.mutex);
    all.sizes.erase(pointer);
    require(memory().remove(pointer), hipErrorHostMemoryNotRegistered);
    return hipSuccess;
  });
}

}  // namespace hipsight::runtime
