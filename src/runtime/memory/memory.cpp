#include <fmt/format.h>

#include <array>
#include <atomic>
#include <cstring>

#include "runtime/abi.h"
#include "runtime/graph/capture.h"
#include "runtime/memory/ipc.h"
#include "runtime/memory/managed.h"
#include "runtime/memory/memory_type.h"
#include "runtime/state.h"
#include "runtime/stream/stream.h"

namespace hipsight::runtime {
namespace {

using engine::Memory;

std::uintptr_t address(const void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer);
}

/// Memory for a program. `maker` names it in errors: "hipMalloc #3".
void* allocate(const char* maker, std::size_t size, Memory::Kind kind, unsigned flags) {
  static std::atomic<std::uint64_t> count{0};
  require_no_capture();
  if (size == 0) return nullptr;
  void* pointer =
      memory().allocate(size, kind, fmt::format("{} #{}", maker, ++count), current_device(), flags);
  require(pointer != nullptr, hipErrorOutOfMemory);
  return pointer;
}

template <class Pointer>
hipError_t allocate_into(Pointer** result, const char* maker, std::size_t size, Memory::Kind kind,
                         unsigned flags = 0) {
  return api([&] {
    require(result != nullptr);
    *result = nullptr;
    Context::get();
    *result = static_cast<Pointer*>(allocate(maker, size, kind, flags));
    return hipSuccess;
  });
}

hipError_t free_memory(void* pointer) {
  return api([&] {
    if (!pointer) return hipSuccess;
    Context::get();
    require_no_capture();
    wait_for_all();
    end_sharing(pointer);
    if (is_graph_memory(pointer) || memory().free(pointer)) return hipSuccess;
    if (const auto freed = memory().freed(address(pointer));
        freed && !memory().find(address(pointer)))
      complain(fmt::format("free of {}: {} was freed before", pointer, freed->label));
    Context::get().session().add(
        {.tool = "memcheck",
         .text = fmt::format("invalid free: no allocation begins at {}\n{}", pointer,
                             memory().whereabouts(address(pointer))),
         .count = 1,
         .address = address(pointer)});
    return hipErrorInvalidValue;
  });
}

std::optional<Memory::Allocation> find(const void* pointer) {
  return memory().find(address(pointer));
}

/// @throws Failure when no allocation holds the address.
Memory::Allocation find_or_fail(const void* pointer, hipError_t otherwise = hipErrorInvalidValue) {
  auto allocation = pointer ? find(pointer) : std::nullopt;
  require(allocation.has_value(), otherwise);
  return *allocation;
}

hipMemoryType type_of(const Memory::Allocation& allocation) {
  switch (allocation.kind) {
    case Memory::Kind::Host:
      return hipMemoryTypeHost;
    case Memory::Kind::Managed:
      return hipMemoryTypeManaged;
    default:
      return hipMemoryTypeDevice;
  }
}

bool host_can_use(const Memory::Allocation& allocation) {
  return allocation.kind == Memory::Kind::Host || allocation.kind == Memory::Kind::Managed;
}

constexpr std::size_t pitch_step = 256;  // rows start where coalesced accesses want them

hipError_t allocate_rows(void** result, std::size_t* pitch, std::size_t width, std::size_t rows,
                         const char* maker) {
  return api([&] {
    require(result && pitch);
    *result = nullptr;
    std::size_t size = 0;
    require(width <= SIZE_MAX - pitch_step, hipErrorOutOfMemory);
    *pitch = (width + pitch_step - 1) / pitch_step * pitch_step;
    require(!__builtin_mul_overflow(*pitch, rows, &size), hipErrorOutOfMemory);
    *result = allocate(maker, size, Memory::Kind::Device, 0);
    return hipSuccess;
  });
}

}  // namespace

HIP_API hipError_t hipMalloc(void** pointer, std::size_t size) {
  return allocate_into(pointer, "hipMalloc", size, Memory::Kind::Device);
}

HIP_API hipError_t hipExtMallocWithFlags(void** pointer, std::size_t size, unsigned flags) {
  constexpr unsigned signal = 2, contiguous = 4;  // the greatest
  if (flags > contiguous || (flags == signal && size != 8)) return finish(hipErrorInvalidValue);
  return allocate_into(pointer, "hipExtMallocWithFlags", size, Memory::Kind::Device, flags);
}

HIP_API hipError_t hipMallocManaged(void** pointer, std::size_t size, unsigned flags) {
  if (size == 0 || (flags != hipMemAttachGlobal && flags != hipMemAttachHost))
    return finish(hipErrorInvalidValue);
  const hipError_t result =
      allocate_into(pointer, "hipMallocManaged", size, Memory::Kind::Managed, flags);
  if (result == hipSuccess) forget_advice(*pointer, size);
  return result;
}

HIP_API hipError_t hipHostMalloc(void** pointer, std::size_t size, unsigned flags) {
  constexpr unsigned known = hipHostMallocPortable | hipHostMallocMapped |
                             hipHostMallocWriteCombined | hipHostMallocUncached |
                             hipHostMallocNumaUser | hipHostMallocCoherent |
                             hipHostMallocNonCoherent;
  constexpr unsigned opposites = hipHostMallocCoherent | hipHostMallocNonCoherent;
  if (flags & ~known || (flags & opposites) == opposites) return finish(hipErrorInvalidValue);
  return allocate_into(pointer, "hipHostMalloc", size, Memory::Kind::Host, flags);
}
HIP_API hipError_t hipHostAlloc(void** pointer, std::size_t size, unsigned flags) {
  return hipHostMalloc(pointer, size, flags);
}
HIP_API hipError_t hipMallocHost(void** pointer, std::size_t size) {
  return hipHostMalloc(pointer, size, hipHostMallocDefault);
}
HIP_API hipError_t hipMemAllocHost(void** pointer, std::size_t size) {
  return hipHostMalloc(pointer, size, hipHostMallocDefault);
}

// Freeing waits for the devices, as HIP does.
HIP_API hipError_t hipFree(void* pointer) {
  return free_memory(pointer);
}
HIP_API hipError_t hipHostFree(void* pointer) {
  return free_memory(pointer);
}
HIP_API hipError_t hipFreeHost(void* pointer) {
  return free_memory(pointer);
}

HIP_API hipError_t hipMallocPitch(void** pointer, std::size_t* pitch, std::size_t width,
                                  std::size_t height) {
  return allocate_rows(pointer, pitch, width, height, "hipMallocPitch");
}

HIP_API hipError_t hipMemAllocPitch(hipDeviceptr_t* pointer, std::size_t* pitch, std::size_t width,
                                    std::size_t height, unsigned element_size) {
  if (element_size != 4 && element_size != 8 && element_size != 16)
    return finish(hipErrorInvalidValue);
  return allocate_rows(pointer, pitch, width, height, "hipMemAllocPitch");
}

HIP_API hipError_t hipMalloc3D(hipPitchedPtr* result, hipExtent extent) {
  std::size_t rows = 0;
  if (!result || __builtin_mul_overflow(extent.height, extent.depth, &rows))
    return finish(hipErrorInvalidValue);
  result->xsize = extent.width;
  result->ysize = extent.height;
  return allocate_rows(&result->ptr, &result->pitch, extent.width, rows, "hipMalloc3D");
}

HIP_API hipError_t hipHostGetDevicePointer(void** result, void* pointer, unsigned flags) {
  return api([&] {
    require(result && flags == 0);
    require(host_can_use(find_or_fail(pointer)));
    *result = pointer;
    return hipSuccess;
  });
}

HIP_API hipError_t hipHostGetFlags(unsigned* flags, void* pointer) {
  return api([&] {
    require(flags != nullptr);
    const auto allocation = find_or_fail(pointer);
    require(allocation.kind == Memory::Kind::Host);
    *flags = allocation.flags;
    return hipSuccess;
  });
}

HIP_API hipError_t hipMemGetInfo(std::size_t* free, std::size_t* total) {
  return api([&] {
    const std::size_t capacity = memory().capacity();
    if (free) *free = capacity - memory().used(current_device());
    if (total) *total = capacity;
    return hipSuccess;
  });
}

HIP_API hipError_t hipMemGetAddressRange(hipDeviceptr_t* base, std::size_t* size,
                                         hipDeviceptr_t pointer) {
  return api([&] {
    const auto allocation = find_or_fail(pointer, hipErrorNotFound);
    if (base) *base = reinterpret_cast<void*>(allocation.begin);
    if (size) *size = allocation.size;
    return hipSuccess;
  });
}

HIP_API hipError_t hipMemPtrGetInfo(void* pointer, std::size_t* size) {
  return api([&] {
    require(size != nullptr);
    *size = find_or_fail(pointer).size;
    return hipSuccess;
  });
}

// What is known of a pointer.

HIP_API hipError_t hipPointerGetAttributes(hipPointerAttribute_t* attributes, const void* pointer) {
  return api([&] {
    require(attributes && pointer);
    *attributes = {};
    const auto allocation = find(pointer);
    if (!allocation) {
      require(abi_version() >= 6);  // HIP 5 has no word for it
      attributes->type = hipMemoryTypeUnregistered;
      attributes->device = hipInvalidDeviceId;
      return hipSuccess;
    }
    const hipMemoryType type = type_of(*allocation);
    attributes->type = static_cast<hipMemoryType>(type_number(type));
    attributes->device = allocation->device;
    attributes->devicePointer = const_cast<void*>(pointer);
    if (host_can_use(*allocation)) attributes->hostPointer = const_cast<void*>(pointer);
    attributes->isManaged = type == hipMemoryTypeManaged;
    attributes->allocationFlags = allocation->flags;
    return hipSuccess;
  });
}

namespace {

/// Writes one attribute of a pointer. The type of `data` goes by the attribute.
void pointer_attribute(void* data, hipPointer_attribute which, const void* pointer) {
  const auto allocation = find_or_fail(pointer);
  const auto store = [data](auto value) {
    std::memcpy(data, static_cast<const void*>(&value), sizeof value);
  };
  switch (which) {
    case HIP_POINTER_ATTRIBUTE_MEMORY_TYPE:
      return store(type_number(type_of(allocation)));
    case HIP_POINTER_ATTRIBUTE_DEVICE_POINTER:
      return store(pointer);
    case HIP_POINTER_ATTRIBUTE_HOST_POINTER:
      require(host_can_use(allocation));
      return store(pointer);
    case HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS:
      return store(0u);
    case HIP_POINTER_ATTRIBUTE_BUFFER_ID:
      return store(static_cast<std::uint32_t>(allocation.begin >> 12));  // pages are not shared
    case HIP_POINTER_ATTRIBUTE_IS_MANAGED:
      return store(allocation.kind == Memory::Kind::Managed);
    case HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      return store(allocation.device);
    case HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR:
      return store(allocation.begin);
    case HIP_POINTER_ATTRIBUTE_RANGE_SIZE:
      return store(allocation.size);
    case HIP_POINTER_ATTRIBUTE_MAPPED:
      return store(true);
    default:
      fail_with(which <= HIP_POINTER_ATTRIBUTE_MEMPOOL_HANDLE ? hipErrorNotSupported
                                                              : hipErrorInvalidValue);
  }
}

}  // namespace

HIP_API hipError_t hipPointerGetAttribute(void* data, hipPointer_attribute which,
                                          hipDeviceptr_t pointer) {
  return api([&] {
    require(data && pointer);
    pointer_attribute(data, which, pointer);
    return hipSuccess;
  });
}

HIP_API hipError_t hipDrvPointerGetAttributes(unsigned count, hipPointer_attribute* which,
                                              void** data, hipDeviceptr_t pointer) {
  return api([&] {
    require(count && which && data);
    for (unsigned i = 0; i < count; ++i) {
      require(data[i] != nullptr);
      // Unlike the function above: what only host memory has is null for other memory.
      if (which[i] == HIP_POINTER_ATTRIBUTE_HOST_POINTER && !host_can_use(find_or_fail(pointer)))
        std::memset(data[i], 0, sizeof(void*));
      else
        pointer_attribute(data[i], which[i], pointer);
    }
    return hipSuccess;
  });
}

HIP_API hipError_t hipPointerSetAttribute(const void* value, hipPointer_attribute which,
                                          hipDeviceptr_t pointer) {
  return api([&] {
    require(value && which == HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS);
    require(*static_cast<const unsigned*>(value) <= 1);
    find_or_fail(pointer, hipErrorInvalidDevicePointer);
    return hipSuccess;
  });
}

}  // namespace hipsight::runtime
