#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <map>
#include <mutex>
#include <set>
#include <span>

#include "runtime/graph/capture.h"
#include "runtime/handles.h"
#include "runtime/memory/ipc.h"
#include "runtime/state.h"
#include "runtime/stream/stream.h"

namespace hipsight::runtime {
namespace {

/// A pool of stream-ordered allocations. Freed memory goes back at once: a pool holds no reserve,
/// and its release threshold is only remembered.
struct Pool {
  explicit Pool(int device, engine::Memory::Kind kind = engine::Memory::Kind::Device)
      : device(device), kind(kind) {}

  const int device;
  const engine::Memory::Kind kind;
  std::mutex mutex;
  std::uint64_t used = 0, high = 0, threshold = 0;
  std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  int reuse[3] = {1, 1, 1};
  std::map<int, unsigned> access;  ///< of other devices, as the program says; all can, anyway
};

Handles<hipMemPool_t, Pool>& pools() {
  static auto& handles = *new Handles<hipMemPool_t, Pool>(0x15);
  return handles;
}

struct State {
  std::mutex mutex;
  std::map<std::pair<int, engine::Memory::Kind>, hipMemPool_t> default_pool;  ///< by device
  std::map<int, hipMemPool_t> current_pool;
  std::map<void*, std::pair<std::shared_ptr<Pool>, std::size_t>> allocations;
  std::set<void*> leaving;  ///< a stream will free them
};
State& state() {
  static auto& state = *new State;
  return state;
}

hipMemPool_t default_pool(int device, engine::Memory::Kind kind = engine::Memory::Kind::Device) {
  const std::lock_guard lock(state().mutex);
  hipMemPool_t& pool = state().default_pool[{device, kind}];
  if (!pool) pool = pools().add(std::make_shared<Pool>(device, kind));
  return pool;
}

hipMemPool_t current_pool(int device) {
  {
    const std::lock_guard lock(state().mutex);
    if (const auto chosen = state().current_pool.find(device); chosen != state().current_pool.end())
      return chosen->second;
  }
  return default_pool(device);
}

std::shared_ptr<Pool> find_pool(hipMemPool_t handle) {
  auto pool = pools().find(handle);
  require(pool != nullptr);
  return pool;
}

hipError_t allocate_from(hipMemPool_t (*choose)(int), hipMemPool_t handle, void** result,
                         std::size_t size, hipStream_t stream_handle) {
  return api([&] {
    require(result != nullptr);
    *result = nullptr;
    const auto stream = find_stream(stream_handle, hipErrorInvalidHandle);
    const auto pool = find_pool(choose ? choose(stream->device()) : handle);
    if (size == 0) return hipSuccess;
    if (const auto node =
            is_capturing(*stream) ? capture(*stream, allocation(size, pool->device)) : nullptr) {
      *result = node->work.memory->pointer;
      return hipSuccess;
    }
    static std::atomic<std::uint64_t> count{0};
    const auto allocate = [&] {
      return memory().allocate(size, pool->kind, "hipMallocAsync #" + std::to_string(++count),
                               pool->device);
    };
    require_no_fault();
    const auto has_room = [&] {
      const std::lock_guard lock(pool->mutex);
      return size <= pool->most && pool->used <= pool->most - size;
    };
    void* pointer = has_room() ? allocate() : nullptr;
    if (!pointer) {
      wait_for_all();  // for what is about to be freed
      pointer = has_room() ? allocate() : nullptr;
    }
    require(pointer != nullptr, hipErrorOutOfMemory);
    *result = pointer;
    {
      const std::lock_guard lock(pool->mutex);
      pool->used += size;
      pool->high = std::max(pool->high, pool->used);
    }
    const std::lock_guard lock(state().mutex);
    state().allocations[pointer] = {pool, size};
    return hipSuccess;
  });
}

/// Frees memory of a pool, or of hipMalloc: that may be freed in a stream too.
void free_now(void* pointer) {
  if (is_graph_memory(pointer)) return;
  const std::lock_guard lock(state().mutex);
  if (const auto found = state().allocations.find(pointer); found != state().allocations.end()) {
    const auto& [pool, size] = found->second;
    const std::lock_guard pool_lock(pool->mutex);
    pool->used -= size;
    state().allocations.erase(found);
  }
  end_sharing(pointer);
  memory().free(pointer);
  state().leaving.erase(pointer);
}

}  // namespace

HIP_API hipError_t hipMallocAsync(void** pointer, std::size_t size, hipStream_t stream) {
  return allocate_from(current_pool, nullptr, pointer, size, stream);
}
HIP_API hipError_t hipMallocFromPoolAsync(void** pointer, std::size_t size, hipMemPool_t pool,
                                          hipStream_t stream) {
  return allocate_from(nullptr, pool, pointer, size, stream);
}

HIP_API hipError_t hipFreeAsync(void* pointer, hipStream_t stream_handle) {
  return api([&] {
    require(pointer != nullptr);
    const auto stream = find_stream(stream_handle, hipErrorInvalidHandle);
    require_no_fault();
    const auto allocation = memory().find(reinterpret_cast<std::uintptr_t>(pointer));
    require(allocation && allocation->begin == reinterpret_cast<std::uintptr_t>(pointer) &&
            !allocation->registered);
    if (is_graph_memory(pointer) || is_capturing(*stream)) {
      // Each launch of the graph comes by: the memory stays the graph's until that goes.
      stream->submit({.what = "free of " + allocation->label,
                      .run = [pointer](timeline::Span&) { free_now(pointer); },
                      .quick = true,
                      .type = hipGraphNodeTypeMemFree});
      return hipSuccess;
    }
    {
      const std::lock_guard lock(state().mutex);
      require(state().leaving.insert(pointer).second);
    }
    stream->submit({.what = "free of " + allocation->label,
                    .run = [pointer](timeline::Span&) { free_now(pointer); },
                    .quick = true,
                    .always = true});
    return hipSuccess;
  });
}

HIP_API hipError_t hipDeviceGetDefaultMemPool(hipMemPool_t* pool, int device) {
  return api([&] {
    require(pool != nullptr);
    require_device(device);
    *pool = default_pool(device);
    return hipSuccess;
  });
}

/// Allocation types as the header numbers them: 1 pinned, which is a device's memory, 2 managed.
HIP_API hipError_t hipMemGetDefaultMemPool(hipMemPool_t* pool, hipMemLocation* location,
                                           unsigned type) {
  return api([&] {
    require(pool && location && location->type == hipMemLocationTypeDevice);
    require(location->id >= 0 && location->id < Context::get().device_count());
    require(type == 1 || type == 2);
    using Kind = engine::Memory::Kind;
    *pool = default_pool(location->id, type == 2 ? Kind::Managed : Kind::Device);
    return hipSuccess;
  });
}

HIP_API hipError_t hipDeviceGetMemPool(hipMemPool_t* pool, int device) {
  return api([&] {
    require(pool && device >= 0 && device < Context::get().device_count());
    *pool = current_pool(device);
    return hipSuccess;
  });
}

HIP_API hipError_t hipDeviceSetMemPool(int device, hipMemPool_t pool) {
  return api([&] {
    require(find_pool(pool)->device == device);
    const std::lock_guard lock(state().mutex);
    state().current_pool[device] = pool;
    return hipSuccess;
  });
}

HIP_API hipError_t hipMemPoolSetAccess(hipMemPool_t handle, const hipMemAccessDesc* list,
                                       std::size_t count) {
  return api([&] {
    const auto pool = find_pool(handle);
    require(list && count);
    require(count <= static_cast<std::size_t>(Context::get().device_count()),
            hipErrorInvalidDevice);
    for (const hipMemAccessDesc& one : std::span(list, count)) {
      require(one.location.type == hipMemLocationTypeDevice);
      require_device(one.location.id);
      require(one.flags != hipMemAccessFlagsProtNone || one.location.id != pool->device,
              hipErrorInvalidDevice);
      require(one.flags <= hipMemAccessFlagsProtReadWrite);
    }
    const std::lock_guard lock(pool->mutex);
    for (const hipMemAccessDesc& one : std::span(list, count))
      pool->access[one.location.id] = one.flags;
    return hipSuccess;
  });
}

HIP_API hipError_t hipMemPoolGetAccess(unsigned* flags, hipMemPool_t handle,
                                       hipMemLocation* location) {
  return api([&] {
    const auto pool = find_pool(handle);
    require(flags && location && location->type == hipMemLocationTypeDevice);
    require(location->id >= 0 && location->id < Context::get().device_count());
    const std::lock_guard lock(pool->mutex);
    const auto found = pool->access.find(location->id);
    *flags = found != pool->access.end()    ? found->second
             : location->id == pool->device ? hipMemAccessFlagsProtReadWrite
                                            : hipMemAccessFlagsProtNone;
    return hipSuccess;
  });
}

HIP_API hipError_t hipMemPoolCreate(hipMemPool_t* pool, const hipMemPoolProps* properties) {
  return api([&] {
    require(pool && properties && properties->allocType == 1 && properties->location.type == 1);
    const int device = properties->location.id;
    require(device >= 0 && device < Context::get().device_count());
    const auto fresh = std::make_shared<Pool>(device);
    if (properties->maxSize) fresh->most = properties->maxSize;
    *pool = pools().add(fresh);
    return hipSuccess;
  });
}

HIP_API hipError_t hipMemPoolDestroy(hipMemPool_t pool) {
  return api([&] {
    const auto found = find_pool(pool);
    require(pool != default_pool(found->device, found->kind));
    pools().remove(pool);
    const std::lock_guard lock(state().mutex);
    std::erase_if(state().current_pool, [&](const auto& item) { return item.second == pool; });
    return hipSuccess;
  });
}

HIP_API hipError_t hipMemPoolTrimTo(hipMemPool_t pool, std::size_t least) {
  return api([&] {
    find_pool(pool);
    return hipSuccess;
  });
}

HIP_API hipError_t hipMemPoolGetAttribute(hipMemPool_t handle, hipMemPoolAttr which, void* value) {
  return api([&] {
    require(value != nullptr);
    const auto pool = find_pool(handle);
    const std::lock_guard lock(pool->mutex);
    const auto store = [value](auto number) { std::memcpy(value, &number, sizeof number); };
    switch (which) {
      case hipMemPoolReuseFollowEventDependencies:
      case hipMemPoolReuseAllowOpportunistic:
      case hipMemPoolReuseAllowInternalDependencies:
        store(pool->reuse[which - 1]);
        break;
      case hipMemPoolAttrReleaseThreshold:
        store(pool->threshold);
        break;
      case hipMemPoolAttrReservedMemCurrent:
      case hipMemPoolAttrUsedMemCurrent:
        store(pool->used);
        break;
      case hipMemPoolAttrReservedMemHigh:
      case hipMemPoolAttrUsedMemHigh:
        store(pool->high);
        break;
      default:
        fail_with(hipErrorInvalidValue);
    }
    return hipSuccess;
  });
}

HIP_API hipError_t hipMemPoolSetAttribute(hipMemPool_t handle, hipMemPoolAttr which, void* value) {
  return api([&] {
    require(value != nullptr);
    const auto pool = find_pool(handle);
    const std::lock_guard lock(pool->mutex);
    switch (which) {
      case hipMemPoolReuseFollowEventDependencies:
      case hipMemPoolReuseAllowOpportunistic:
      case hipMemPoolReuseAllowInternalDependencies:
        pool->reuse[which - 1] = *static_cast<const int*>(value);
        break;
      case hipMemPoolAttrReleaseThreshold:
        pool->threshold = *static_cast<const std::uint64_t*>(value);
        break;
      case hipMemPoolAttrReservedMemHigh:
      case hipMemPoolAttrUsedMemHigh:
        require(*static_cast<const std::uint64_t*>(value) == 0);  // may only be reset
        pool->high = pool->used;
        break;
      default:
        fail_with(hipErrorInvalidValue);
    }
    return hipSuccess;
  });
}

}  // namespace hipsight::runtime
