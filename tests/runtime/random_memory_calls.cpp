// Memory: of any kind, copied and filled; and questions about it.

#include <array>
#include <atomic>

#include "random_caller.h"

namespace random_calls {

hipError_t Caller::keep(hipError_t result, void* pointer) {
  return world_.memory.add(result, static_cast<char*>(pointer));
}

hipError_t Caller::allocate() {
  void* made = nullptr;
  std::size_t pitch = 0;
  hipPitchedPtr box{};
  const std::size_t size = a_size();
  return one_of([&] { return keep(hipMalloc(&made, size), made); },
                [&] { return keep(hipHostMalloc(&made, size, random_.flags(64)), made); },
                [&] { return keep(hipMallocManaged(&made, size, random_.flags(4)), made); },
                [&] { return keep(hipExtMallocWithFlags(&made, size, random_.flags(6)), made); },
                [&] { return keep(hipMallocAsync(&made, size, a_stream()), made); },
                [&] { return keep(hipMallocPitch(&made, &pitch, size, a_count()), made); },
                [&] {
                  const hipError_t result = hipMalloc3D(&box, {size, a_count(), a_count()});
                  return keep(result, box.ptr);
                },
                [&] { return register_page(); }, [&] { return hipMalloc(nullptr, size); });
}

hipError_t Caller::register_page() {
  if (random_.one_in(2)) return hipHostRegister(a_pointer(), a_size(), random_.flags(16));
  char* const page = a_page();
  const hipError_t result = hipHostRegister(page, World::page_size, 0);
  if (random_.one_in(4)) munmap(page, World::page_size);  // a mistake: it is still registered
  return keep(result, page);
}

char* Caller::a_page() {
  static std::atomic<std::uintptr_t> next{std::uintptr_t{3} << 44};
  return map(next += 2 * World::page_size, World::page_size);
}

hipError_t Caller::free() {
  return one_of([&] { return hipFree(a_pointer()); }, [&] { return hipHostFree(a_pointer()); },
                [&] { return hipFreeAsync(a_pointer(), a_stream()); },
                [&] { return hipHostUnregister(a_pointer()); });
}

hipError_t Caller::copy() {
  char *const to = a_pointer(), *const from = a_pointer();
  const std::size_t size = a_size();
  return one_of(
      [&] { return hipMemcpy(to, from, size, a_kind()); },
      [&] { return hipMemcpyAsync(to, from, size, a_kind(), a_stream()); },
      [&] { return hipMemcpyWithStream(to, from, size, a_kind(), a_stream()); },
      [&] { return hipMemcpyHtoDAsync(to, from, size, a_stream()); },
      [&] { return hipMemcpyDtoHAsync(to, from, size, a_stream()); },
      [&] { return hipMemcpyDtoDAsync(to, from, size, a_stream()); },
      [&] { return hipMemcpyPeer(to, a_device(), from, a_device(), size); },
      [&] { return hipMemcpyPeerAsync(to, a_device(), from, a_device(), size, a_stream()); });
}

char* Caller::a_place() {
  char* const pointer = a_pointer();
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  return address >> 45 == 0 || address >> 47 ? nullptr : pointer;
}

hipMemcpy3DParms Caller::a_box() {
  hipMemcpy3DParms box{};
  box.srcPtr = {a_place(), a_pitch(), a_pitch(), a_count()};
  box.dstPtr = {a_place(), a_pitch(), a_pitch(), a_count()};
  if (random_.one_in(2)) box.srcPos = {a_count(), a_count(), a_count()};
  if (random_.one_in(2)) box.dstPos = {a_count(), a_count(), a_count()};
  box.extent = {a_pitch(), a_count(), a_count()};
  box.kind = a_kind();
  return box;
}

hipError_t Caller::copy_boxes() {
  const hipMemcpy3DParms box = a_box();
  hip_Memcpy2D flat{};
  flat.srcMemoryType = flat.dstMemoryType = random_.any<hipMemoryType>(4);
  flat.srcHost = flat.srcDevice = a_place();
  flat.dstHost = flat.dstDevice = a_place();
  flat.srcPitch = a_pitch();
  flat.dstPitch = a_pitch();
  flat.srcXInBytes = a_count();
  flat.srcY = a_count();
  flat.WidthInBytes = a_pitch();
  flat.Height = a_count();
  HIP_MEMCPY3D deep{};
  deep.srcMemoryType = deep.dstMemoryType = flat.srcMemoryType;
  deep.srcHost = deep.srcDevice = flat.srcDevice;
  deep.dstHost = deep.dstDevice = flat.dstDevice;
  deep.srcPitch = static_cast<unsigned>(a_pitch());
  deep.dstPitch = static_cast<unsigned>(a_pitch());
  deep.srcZ = static_cast<unsigned>(a_count());
  deep.srcHeight = static_cast<unsigned>(a_count());
  deep.WidthInBytes = static_cast<unsigned>(a_pitch());
  deep.Height = static_cast<unsigned>(a_count());
  deep.Depth = static_cast<unsigned>(a_count());
  return one_of(
      [&] {
        return hipMemcpy2D(a_place(), a_pitch(), a_place(), a_pitch(), a_pitch(), a_count(),
                           a_kind());
      },
      [&] {
        return hipMemcpy2DAsync(a_place(), a_pitch(), a_place(), a_pitch(), a_pitch(), a_count(),
                                a_kind(), a_stream());
      },
      [&] { return hipMemcpy3D(&box); }, [&] { return hipMemcpy3DAsync(&box, a_stream()); },
      [&] { return hipMemcpyParam2D(&flat); },
      [&] { return hipMemcpyParam2DAsync(&flat, a_stream()); },
      [&] { return hipDrvMemcpy3D(&deep); },
      [&] { return hipDrvMemcpy3DAsync(&deep, a_stream()); });
}

hipError_t Caller::fill() {
  char* const to = a_place();
  const std::size_t size = a_size();
  const hipPitchedPtr box{to, a_pitch(), a_pitch(), a_count()};
  return one_of(
      [&] { return hipMemset(to, 1, size); },
      [&] { return hipMemsetAsync(to, 1, size, a_stream()); },
      [&] { return hipMemsetD8Async(to, 1, size, a_stream()); },
      [&] { return hipMemsetD16(to, 1, size); },
      [&] { return hipMemsetD32Async(to, 1, size, a_stream()); },
      [&] { return hipMemset2D(to, a_pitch(), 1, a_pitch(), a_count()); },
      [&] { return hipMemset2DAsync(to, a_pitch(), 1, a_pitch(), a_count(), a_stream()); },
      [&] { return hipMemset3D(box, 1, {a_pitch(), a_count(), a_count()}); },
      [&] { return hipMemset3DAsync(box, 1, {a_pitch(), a_count(), a_count()}, a_stream()); });
}

hipError_t Caller::ask() {
  hipPointerAttribute_t attributes{};
  std::uint64_t value = 0;
  hipDeviceptr_t base = nullptr;
  std::size_t size = 0, total = 0;
  unsigned flags = 0;
  return one_of([&] { return hipPointerGetAttributes(&attributes, a_pointer()); },
                [&] {
                  return hipPointerGetAttribute(&value, random_.any<hipPointer_attribute>(20),
                                                a_pointer());
                },
                [&] { return hipMemGetAddressRange(&base, &size, a_pointer()); },
                [&] { return hipHostGetDevicePointer(&base, a_pointer(), random_.flags(2)); },
                [&] { return hipHostGetFlags(&flags, a_pointer()); },
                [&] { return hipMemPtrGetInfo(a_pointer(), &size); },
                [&] { return hipMemGetInfo(&size, &total); });
}

hipError_t Caller::managed() {
  char* const pointer = a_pointer();
  const std::size_t size = a_size();
  std::array<int, 4> data{};
  return one_of(
      [&] { return hipMemAdvise(pointer, size, random_.any<hipMemoryAdvise>(110), a_device()); },
      [&] { return hipMemPrefetchAsync(pointer, size, a_device(), a_stream()); },
      [&] {
        return hipMemRangeGetAttribute(data.data(), random_.pick(17),
                                       random_.any<hipMemRangeAttribute>(6), pointer, size);
      },
      [&] { return hipStreamAttachMemAsync(a_stream(), pointer, size, random_.flags(8)); });
}

hipError_t Caller::pool() {
  void* made = nullptr;
  hipMemPool_t pool = world_.pools.any(random_);
  hipMemPoolProps properties{};
  properties.allocType = random_.any<hipMemAllocationType>(2);
  properties.location = {random_.any<hipMemLocationType>(2), a_device()};
  std::uint64_t value = random_.one_in(2) ? 0 : random_.bits();
  hipMemLocation place = properties.location;
  hipMemAccessDesc access{place, random_.any<hipMemAccessFlags>(4)};
  hipMemAccessFlags flags{};
  return one_of(
      [&] {
        const hipError_t result = hipMemPoolCreate(&pool, &properties);
        return world_.pools.add(result, pool);
      },
      [&] { return keep(hipMallocFromPoolAsync(&made, a_size(), pool, a_stream()), made); },
      [&] { return hipMemPoolDestroy(pool); }, [&] { return hipMemPoolTrimTo(pool, a_size()); },
      [&] { return hipMemPoolGetAttribute(pool, random_.any<hipMemPoolAttr>(10), &value); },
      [&] { return hipMemPoolSetAttribute(pool, random_.any<hipMemPoolAttr>(10), &value); },
      [&] { return hipMemPoolSetAccess(pool, &access, random_.pick(2)); },
      [&] { return hipMemPoolGetAccess(&flags, pool, &place); },
      [&] { return hipDeviceGetDefaultMemPool(&pool, a_device()); },
      [&] { return hipDeviceSetMemPool(a_device(), pool); });
}

}  // namespace random_calls
