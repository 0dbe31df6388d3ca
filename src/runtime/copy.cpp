#include "runtime/copy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "runtime/mapping.h"
#include "runtime/registration.h"
#include "runtime/state.h"
#include "runtime/stream.h"

namespace hipsight::runtime {
namespace {

/// Bytes from the first to the last that a copy touches. @throws Failure on overflow.
std::size_t extent(Layout layout, Lines lines) {
  std::size_t slices = 0, rows = 0, size = lines.width;
  require(!__builtin_mul_overflow(lines.slices - 1, layout.slice_pitch, &slices) &&
          !__builtin_mul_overflow(lines.rows - 1, layout.pitch, &rows) &&
          !__builtin_add_overflow(size, rows, &size) &&
          !__builtin_add_overflow(size, slices, &size));
  return size;
}

/// Whether the range is device, pinned or managed memory; false when it is plain memory of the
/// program. @throws Failure when it is neither, or runs over the end of an allocation.
bool is_allocation(const void* pointer, std::size_t size, const char* doing) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  const engine::Memory& all = memory();
  if (const auto allocation = all.find(address)) {
    if (size <= allocation->end() - address) return true;
    // The program's own memory may go on behind the part that it registered.
    if (allocation->registered && is_mapped(pointer, size)) return true;
    complain(fmt::format("{} {} bytes at {}: {} ends {} bytes behind that address", doing, size,
                         pointer, allocation->label, allocation->end() - address));
    fail_with(hipErrorInvalidValue);
  }
  if (all.owns(address)) {
    const auto freed = all.freed(address);
    complain(fmt::format("{} {} bytes at {}: {}", doing, size, pointer,
                         freed ? fmt::format("{} was freed", freed->label) : "not allocated"));
    fail_with(hipErrorInvalidValue);
  }
  if (!is_mapped(pointer, size)) {
    complain(fmt::format("{} {} bytes at {}: no memory there", doing, size, pointer));
    fail_with(hipErrorInvalidValue);
  }
  return false;
}

template <class Action>
void for_each_line(Lines lines, Action&& action) {
  for (std::size_t slice = 0; slice < lines.slices; ++slice)
    for (std::size_t row = 0; row < lines.rows; ++row) action(slice, row);
}

template <class Word>
void fill_words(std::byte* to, std::size_t size, std::uint32_t value) {
  std::fill_n(reinterpret_cast<Word*>(to), size / sizeof(Word), static_cast<Word>(value));
}

void require_kind(hipMemcpyKind kind) {
  require(kind <= hipMemcpyDefault || kind == hipMemcpyDeviceToDeviceNoCU,
          hipErrorInvalidMemcpyDirection);
}

}  // namespace

void copy(void* to, Layout to_layout, const void* from, Layout from_layout, Lines lines,
          hipMemcpyKind kind) {
  require_kind(kind);
  if (!lines.width || !lines.rows || !lines.slices) return;
  require(to && from);
  const bool from_allocation = is_allocation(from, extent(from_layout, lines), "copy from");
  const bool to_allocation = is_allocation(to, extent(to_layout, lines), "copy to");
  // As HIP has it: one side must be known to the runtime, unless the program says it is not so.
  if (!from_allocation && !to_allocation)
    require(kind == hipMemcpyHostToHost || kind == hipMemcpyDefault);
  for_each_line(lines, [&](std::size_t slice, std::size_t row) {
    std::memmove(
        static_cast<std::byte*>(to) + slice * to_layout.slice_pitch + row * to_layout.pitch,
        static_cast<const std::byte*>(from) + slice * from_layout.slice_pitch +
            row * from_layout.pitch,
        lines.width);
  });
}

void fill(void* to, Layout layout, Lines lines, std::uint32_t value, unsigned value_size) {
  if (!lines.width || !lines.rows || !lines.slices) return;
  require(to && reinterpret_cast<std::uintptr_t>(to) % value_size == 0);
  require(is_allocation(to, extent(layout, lines), "fill"));
  for_each_line(lines, [&](std::size_t slice, std::size_t row) {
    std::byte* line = static_cast<std::byte*>(to) + slice * layout.slice_pitch + row * layout.pitch;
    switch (value_size) {
      case 1:
        std::memset(line, static_cast<int>(value & 0xff), lines.width);
        break;
      case 2:
        fill_words<std::uint16_t>(line, lines.width, value);
        break;
      default:
        fill_words<std::uint32_t>(line, lines.width, value);
    }
  });
}

namespace {

/// Runs work in a stream as the body of an API function.
template <class Work>
hipError_t in_stream(hipStream_t stream, Work&& work) {
  return api([&] {
    find_stream(stream)->submit(work);
    return hipSuccess;
  });
}

hipError_t copy_in(hipStream_t stream, void* to, const void* from, std::size_t size,
                   hipMemcpyKind kind) {
  return in_stream(stream, [&] { copy(to, from, size, kind); });
}

hipError_t copy_2d_in(hipStream_t stream, void* to, std::size_t to_pitch, const void* from,
                      std::size_t from_pitch, std::size_t width, std::size_t height,
                      hipMemcpyKind kind) {
  return in_stream(stream, [&] {
    if (!width || !height) return;
    require(width <= to_pitch && width <= from_pitch, hipErrorInvalidPitchValue);
    copy(to, {to_pitch}, from, {from_pitch}, {width, height}, kind);
  });
}

/// One end of a 3D copy between pitched pointers. Arrays are not supported.
void* corner(const hipPitchedPtr& end, const hipPos& at, hipArray_t array, Layout& layout) {
  require(!array, hipErrorNotSupported);
  require(end.ptr != nullptr);
  layout = {end.pitch, end.pitch * end.ysize};
  return static_cast<std::byte*>(end.ptr) + at.z * layout.slice_pitch + at.y * layout.pitch + at.x;
}

hipError_t copy_3d_in(hipStream_t stream, const hipMemcpy3DParms* p) {
  return in_stream(stream, [&] {
    require(p != nullptr);
    if (!p->extent.width || !p->extent.height || !p->extent.depth) return;
    Layout from_layout, to_layout;
    const void* from = corner(p->srcPtr, p->srcPos, p->srcArray, from_layout);
    void* to = corner(p->dstPtr, p->dstPos, p->dstArray, to_layout);
    require(p->extent.width + p->srcPos.x <= p->srcPtr.pitch &&
                p->extent.width + p->dstPos.x <= p->dstPtr.pitch,
            hipErrorInvalidPitchValue);
    copy(to, to_layout, from, from_layout, {p->extent.width, p->extent.height, p->extent.depth},
         p->kind);
  });
}

hipError_t fill_in(hipStream_t stream, void* to, std::uint32_t value, unsigned value_size,
                   std::size_t count) {
  return in_stream(stream, [&] {
    std::size_t size = 0;
    require(!__builtin_mul_overflow(count, std::size_t{value_size}, &size));
    fill(to, {}, {size}, value, value_size);
  });
}

hipError_t fill_2d_in(hipStream_t stream, void* to, std::size_t pitch, std::uint32_t value,
                      std::size_t width, std::size_t height) {
  return in_stream(stream, [&] {
    require(width <= pitch || height <= 1);
    fill(to, {pitch}, {width, height}, value, 1);
  });
}

hipError_t fill_3d_in(hipStream_t stream, hipPitchedPtr to, std::uint32_t value, hipExtent size) {
  return in_stream(stream, [&] {
    require(size.width <= to.pitch || size.height * size.depth <= 1);
    fill(to.ptr, {to.pitch, to.pitch * to.ysize}, {size.width, size.height, size.depth}, value, 1);
  });
}

/// The part of a device variable that a copy means.
void* part_of(const void* symbol, std::size_t size, std::size_t offset) {
  require(symbol != nullptr, hipErrorInvalidSymbol);
  const Variable variable = registered_variable(symbol, current_device());
  require(offset <= variable.size && size <= variable.size - offset);
  return variable.address + offset;
}

hipError_t copy_to_symbol(hipStream_t stream, const void* symbol, const void* from,
                          std::size_t size, std::size_t offset, hipMemcpyKind kind) {
  return in_stream(stream, [&] {
    require(kind != hipMemcpyHostToHost && kind != hipMemcpyDeviceToHost,
            hipErrorInvalidMemcpyDirection);
    copy(part_of(symbol, size, offset), from, size, kind);
  });
}

hipError_t copy_from_symbol(hipStream_t stream, void* to, const void* symbol, std::size_t size,
                            std::size_t offset, hipMemcpyKind kind) {
  return in_stream(stream, [&] {
    require(kind != hipMemcpyHostToHost && kind != hipMemcpyHostToDevice,
            hipErrorInvalidMemcpyDirection);
    copy(to, part_of(symbol, size, offset), size, kind);
  });
}

hipError_t copy_peer(hipStream_t stream, void* to, int to_device, const void* from, int from_device,
                     std::size_t size) {
  return in_stream(stream, [&] {
    require_device(to_device);
    require_device(from_device);
    copy(to, from, size, hipMemcpyDeviceToDevice);
  });
}

}  // namespace

HIP_API hipError_t hipMemcpy(void* to, const void* from, std::size_t size, hipMemcpyKind kind) {
  return copy_in(nullptr, to, from, size, kind);
}
HIP_API hipError_t hipMemcpyAsync(void* to, const void* from, std::size_t size, hipMemcpyKind kind,
                                  hipStream_t stream) {
  return copy_in(stream, to, from, size, kind);
}
HIP_API hipError_t hipMemcpyWithStream(void* to, const void* from, std::size_t size,
                                       hipMemcpyKind kind, hipStream_t stream) {
  return copy_in(stream, to, from, size, kind);
}
HIP_API hipError_t hipMemcpyHtoD(hipDeviceptr_t to, const void* from, std::size_t size) {
  return copy_in(nullptr, to, from, size, hipMemcpyHostToDevice);
}
HIP_API hipError_t hipMemcpyDtoH(void* to, hipDeviceptr_t from, std::size_t size) {
  return copy_in(nullptr, to, from, size, hipMemcpyDeviceToHost);
}
HIP_API hipError_t hipMemcpyDtoD(hipDeviceptr_t to, hipDeviceptr_t from, std::size_t size) {
  return copy_in(nullptr, to, from, size, hipMemcpyDeviceToDevice);
}
HIP_API hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t to, const void* from, std::size_t size,
                                      hipStream_t stream) {
  return copy_in(stream, to, from, size, hipMemcpyHostToDevice);
}
HIP_API hipError_t hipMemcpyDtoHAsync(void* to, hipDeviceptr_t from, std::size_t size,
                                      hipStream_t stream) {
  return copy_in(stream, to, from, size, hipMemcpyDeviceToHost);
}
HIP_API hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t to, hipDeviceptr_t from, std::size_t size,
                                      hipStream_t stream) {
  return copy_in(stream, to, from, size, hipMemcpyDeviceToDevice);
}
HIP_API hipError_t hipMemcpyPeer(void* to, int to_device, const void* from, int from_device,
                                 std::size_t size) {
  return copy_peer(nullptr, to, to_device, from, from_device, size);
}
HIP_API hipError_t hipMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                                      std::size_t size, hipStream_t stream) {
  return copy_peer(stream, to, to_device, from, from_device, size);
}

HIP_API hipError_t hipMemcpy2D(void* to, std::size_t to_pitch, const void* from,
                               std::size_t from_pitch, std::size_t width, std::size_t height,
                               hipMemcpyKind kind) {
  return copy_2d_in(nullptr, to, to_pitch, from, from_pitch, width, height, kind);
}
HIP_API hipError_t hipMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from,
                                    std::size_t from_pitch, std::size_t width, std::size_t height,
                                    hipMemcpyKind kind, hipStream_t stream) {
  return copy_2d_in(stream, to, to_pitch, from, from_pitch, width, height, kind);
}
HIP_API hipError_t hipMemcpy3D(const hipMemcpy3DParms* parameters) {
  return copy_3d_in(nullptr, parameters);
}
HIP_API hipError_t hipMemcpy3DAsync(const hipMemcpy3DParms* parameters, hipStream_t stream) {
  return copy_3d_in(stream, parameters);
}

HIP_API hipError_t hipMemcpyToSymbol(const void* symbol, const void* from, std::size_t size,
                                     std::size_t offset, hipMemcpyKind kind) {
  return copy_to_symbol(nullptr, symbol, from, size, offset, kind);
}
HIP_API hipError_t hipMemcpyToSymbolAsync(const void* symbol, const void* from, std::size_t size,
                                          std::size_t offset, hipMemcpyKind kind,
                                          hipStream_t stream) {
  return copy_to_symbol(stream, symbol, from, size, offset, kind);
}
HIP_API hipError_t hipMemcpyFromSymbol(void* to, const void* symbol, std::size_t size,
                                       std::size_t offset, hipMemcpyKind kind) {
  return copy_from_symbol(nullptr, to, symbol, size, offset, kind);
}
HIP_API hipError_t hipMemcpyFromSymbolAsync(void* to, const void* symbol, std::size_t size,
                                            std::size_t offset, hipMemcpyKind kind,
                                            hipStream_t stream) {
  return copy_from_symbol(stream, to, symbol, size, offset, kind);
}

HIP_API hipError_t hipMemset(void* to, int value, std::size_t size) {
  return fill_in(nullptr, to, static_cast<std::uint32_t>(value), 1, size);
}
HIP_API hipError_t hipMemsetAsync(void* to, int value, std::size_t size, hipStream_t stream) {
  return fill_in(stream, to, static_cast<std::uint32_t>(value), 1, size);
}
HIP_API hipError_t hipMemsetD8(hipDeviceptr_t to, unsigned char value, std::size_t count) {
  return fill_in(nullptr, to, value, 1, count);
}
HIP_API hipError_t hipMemsetD8Async(hipDeviceptr_t to, unsigned char value, std::size_t count,
                                    hipStream_t stream) {
  return fill_in(stream, to, value, 1, count);
}
HIP_API hipError_t hipMemsetD16(hipDeviceptr_t to, unsigned short value, std::size_t count) {
  return fill_in(nullptr, to, value, 2, count);
}
HIP_API hipError_t hipMemsetD16Async(hipDeviceptr_t to, unsigned short value, std::size_t count,
                                     hipStream_t stream) {
  return fill_in(stream, to, value, 2, count);
}
HIP_API hipError_t hipMemsetD32(hipDeviceptr_t to, int value, std::size_t count) {
  return fill_in(nullptr, to, static_cast<std::uint32_t>(value), 4, count);
}
HIP_API hipError_t hipMemsetD32Async(hipDeviceptr_t to, int value, std::size_t count,
                                     hipStream_t stream) {
  return fill_in(stream, to, static_cast<std::uint32_t>(value), 4, count);
}
HIP_API hipError_t hipMemset2D(void* to, std::size_t pitch, int value, std::size_t width,
                               std::size_t height) {
  return fill_2d_in(nullptr, to, pitch, static_cast<std::uint32_t>(value), width, height);
}
HIP_API hipError_t hipMemset2DAsync(void* to, std::size_t pitch, int value, std::size_t width,
                                    std::size_t height, hipStream_t stream) {
  return fill_2d_in(stream, to, pitch, static_cast<std::uint32_t>(value), width, height);
}
HIP_API hipError_t hipMemset3D(hipPitchedPtr to, int value, hipExtent size) {
  return fill_3d_in(nullptr, to, static_cast<std::uint32_t>(value), size);
}
HIP_API hipError_t hipMemset3DAsync(hipPitchedPtr to, int value, hipExtent size,
                                    hipStream_t stream) {
  return fill_3d_in(stream, to, static_cast<std::uint32_t>(value), size);
}

HIP_API_ALIAS(hipMemcpy_spt, hipMemcpy);
HIP_API_ALIAS(hipMemcpyAsync_spt, hipMemcpyAsync);
HIP_API_ALIAS(hipMemcpy2D_spt, hipMemcpy2D);
HIP_API_ALIAS(hipMemcpy2DAsync_spt, hipMemcpy2DAsync);
HIP_API_ALIAS(hipMemcpy3D_spt, hipMemcpy3D);
HIP_API_ALIAS(hipMemcpy3DAsync_spt, hipMemcpy3DAsync);
HIP_API_ALIAS(hipMemcpyToSymbol_spt, hipMemcpyToSymbol);
HIP_API_ALIAS(hipMemcpyToSymbolAsync_spt, hipMemcpyToSymbolAsync);
HIP_API_ALIAS(hipMemcpyFromSymbol_spt, hipMemcpyFromSymbol);
HIP_API_ALIAS(hipMemcpyFromSymbolAsync_spt, hipMemcpyFromSymbolAsync);
HIP_API_ALIAS(hipMemset_spt, hipMemset);
HIP_API_ALIAS(hipMemsetAsync_spt, hipMemsetAsync);
HIP_API_ALIAS(hipMemset2D_spt, hipMemset2D);
HIP_API_ALIAS(hipMemset2DAsync_spt, hipMemset2DAsync);
HIP_API_ALIAS(hipMemset3D_spt, hipMemset3D);
HIP_API_ALIAS(hipMemset3DAsync_spt, hipMemset3DAsync);

}  // namespace hipsight::runtime
