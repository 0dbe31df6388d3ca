#include "runtime/memory/copy.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "runtime/graph/capture.h"
#include "runtime/graph/work.h"
#include "runtime/module/registration.h"
#include "runtime/state.h"
#include "runtime/stream/stream.h"
#include "timeline/copies.h"

namespace hipsight::runtime {

std::byte* at(const void* begin, Layout layout, std::size_t x, std::size_t y, std::size_t z) {
  require(begin != nullptr);
  return reinterpret_cast<std::byte*>(
      sum(reinterpret_cast<std::uintptr_t>(begin), distance(layout, x, y, z)));
}

bool is_allocation(const void* pointer, std::size_t size, Access access, const char* doing) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  const engine::Memory& all = memory();
  const auto allocation = all.find(address);
  if (allocation && !allocation->registered) {
    if (size <= allocation->end() - address) return true;
    complain(fmt::format("{} {} bytes at {}: {} ends {} bytes behind that address", doing, size,
                         pointer, allocation->label, allocation->end() - address));
    fail_with(hipErrorInvalidValue);
  }
  if (!allocation && all.owns(address)) {
    const auto freed = all.freed(address);
    complain(fmt::format("{} {} bytes at {}: {}", doing, size, pointer,
                         freed ? fmt::format("{} was freed", freed->label) : "not allocated"));
    fail_with(hipErrorInvalidValue);
  }
  // The program's own memory may go on behind the part that it registered, or be there no more.
  if (!is_accessible(pointer, size, access)) {
    complain(fmt::format("{} {} bytes at {}: no {} memory there", doing, size, pointer,
                         access == Access::Read ? "readable" : "writable"));
    fail_with(hipErrorInvalidValue);
  }
  return allocation.has_value();
}

namespace {

template <class Action>
void for_each_line(Lines lines, Action&& action) {
  for (std::size_t slice = 0; slice < lines.slices; ++slice)
    for (std::size_t row = 0; row < lines.rows; ++row) action(slice, row);
}

bool is_empty(Lines lines) {
  return !lines.width || !lines.rows || !lines.slices;
}

std::size_t bytes(Lines lines) {
  return product(lines.width, product(lines.rows, lines.slices));
}

/// Bytes from the first to the last of lines that do not overlap. @throws Failure.
std::size_t extent(Layout layout, Lines lines) {
  const std::size_t all = sum(distance(layout, 0, lines.rows - 1, lines.slices - 1), lines.width);
  require(bytes(lines) <= all);
  return all;
}

constexpr std::size_t quick_bytes =
    65536;  // takes less time than to wake a thread, or not much more

void move(const Copy& copy) {
  for_each_line(copy.lines, [&](std::size_t slice, std::size_t row) {
    memory().copy(static_cast<std::byte*>(copy.to) + slice * copy.to_layout.slice_pitch +
                      row * copy.to_layout.pitch,
                  static_cast<const std::byte*>(copy.from) + slice * copy.from_layout.slice_pitch +
                      row * copy.from_layout.pitch,
                  copy.lines.width);
  });
}

/// The GPU whose memory an address is of; none: the host's.
std::optional<int> gpu_with(const void* pointer) {
  const auto allocation = memory().find(reinterpret_cast<std::uintptr_t>(pointer));
  if (!allocation || allocation->kind == engine::Memory::Kind::Host) return {};
  return allocation->device;
}

/// How long a GPU takes for it. Managed memory is taken to be on the GPU.
double seconds_of(const Copy& copy) {
  const auto from = gpu_with(copy.from), to = gpu_with(copy.to);
  using timeline::Path;
  const Path path = !from || !to ? Path::Host : *from == *to ? Path::Memory : Path::Peer;
  return timeline::copy_seconds(Context::get().gpu(), path, double(bytes(copy.lines)));
}

void set(const Fill& fill) {
  for_each_line(fill.lines, [&](std::size_t slice, std::size_t row) {
    memory().fill(static_cast<std::byte*>(fill.to) + slice * fill.layout.slice_pitch +
                      row * fill.layout.pitch,
                  fill.value, fill.value_size, fill.lines.width);
  });
}

}  // namespace

Sides check(const Copy& copy) {
  require(copy.kind <= hipMemcpyDefault || copy.kind == hipMemcpyDeviceToDeviceNoCU,
          hipErrorInvalidMemcpyDirection);
  if (is_empty(copy.lines)) return {};
  require(copy.to && copy.from);
  Sides sides;
  sides.from_known =
      is_allocation(copy.from, extent(copy.from_layout, copy.lines), Access::Read, "copy from");
  sides.to_known =
      is_allocation(copy.to, extent(copy.to_layout, copy.lines), Access::Write, "copy to");
  // As HIP has it: one side must be known to the runtime, unless the program says it is not so.
  if (!sides.from_known && !sides.to_known)
    require(copy.kind == hipMemcpyHostToHost || copy.kind == hipMemcpyDefault);
  return sides;
}

void check(const Fill& fill) {
  if (is_empty(fill.lines)) return;
  require(fill.to && reinterpret_cast<std::uintptr_t>(fill.to) % fill.value_size == 0);
  require(is_allocation(fill.to, extent(fill.layout, fill.lines), Access::Write, "fill"));
}

Operation operation_of(const Copy& copy) {
  return {.what = fmt::format("copy of {} bytes", bytes(copy.lines)),
          .run =
              [copy](timeline::Span& span) {
                check(copy);
                if (is_empty(copy.lines)) return;
                move(copy);
                span.takes(seconds_of(copy));
              },
          .quick = bytes(copy.lines) <= quick_bytes,
          .type = hipGraphNodeTypeMemcpy};
}

Operation operation_of(const Fill& fill) {
  return {.what = fmt::format("fill of {} bytes", bytes(fill.lines)),
          .run =
              [fill](timeline::Span& span) {
                check(fill);
                if (is_empty(fill.lines)) return;
                set(fill);
                span.takes(timeline::fill_seconds(Context::get().gpu(), double(bytes(fill.lines))));
              },
          .quick = bytes(fill.lines) <= quick_bytes,
          .type = hipGraphNodeTypeMemset};
}

namespace {

/// The lines of a copy in memory of our own, so that the program may reuse its own at once.
Operation staged(const Copy& copy) {
  auto lines = std::make_shared<std::vector<std::byte>>(bytes(copy.lines));
  Copy in = copy, out = copy;
  in.to = lines->data();
  out.from = lines->data();
  in.to_layout = out.from_layout = {copy.lines.width, copy.lines.width * copy.lines.rows};
  move(in);
  Operation operation = operation_of(copy);
  operation.run = [lines, out](timeline::Span& span) {
    check(out);
    move(out);
    span.takes(seconds_of(out));
  };
  return operation;
}

/// Pageable memory of the program: what is copied from it is taken at once, and what is copied to
/// it is there when the call returns.
void submit_after(Stream& stream, const Copy& copy, Wait wait, Completions after) {
  if (wait == Wait::Yes) return stream.run(operation_of(copy), std::move(after));
  require_no_fault();
  const Sides sides = check(copy);
  if (is_empty(copy.lines)) return;
  if (is_capturing(stream))
    capture(stream, copy_work(copy));
  else if (!sides.to_known || (!sides.from_known && stream.idle()))
    stream.run(operation_of(copy), std::move(after));
  else
    stream.submit(sides.from_known ? operation_of(copy) : staged(copy), std::move(after));
}

/// The device that a copy belongs to, when that is not the stream's. A copy between two devices
/// belongs to neither.
std::optional<int> other_device(const Stream& stream, const Copy& copy) {
  if (Context::get().device_count() == 1) return {};
  const auto device_of = [](const void* pointer) -> std::optional<int> {
    const auto allocation = memory().find(reinterpret_cast<std::uintptr_t>(pointer));
    if (!allocation || allocation->kind != engine::Memory::Kind::Device) return {};
    return allocation->device;
  };
  const auto to = device_of(copy.to), from = device_of(copy.from);
  if (to && from && *to != *from) return {};
  const auto device = to ? to : from;
  return device != stream.device() ? device : std::nullopt;
}

}  // namespace

/// As HIP has it, a copy that belongs to another device is work of that device's null stream, in
/// its turn in the caller's stream.
void submit(Stream& stream, const Copy& copy, Wait wait) {
  timeline::HostClock::of_thread().submit();
  const auto device = other_device(stream, copy);
  if (!device || is_capturing(stream)) return submit_after(stream, copy, wait, {});
  const auto there = null_stream(*device);
  const Operation turn{.what = "turn of a copy", .run = [](timeline::Span&) {}, .quick = true};
  submit_after(*there, copy, wait, {stream.submit(turn)});
  if (wait == Wait::No) stream.submit(turn, {there->submit(turn)});
}

namespace {

void submit(Stream& stream, const Fill& fill, Wait wait) {
  timeline::HostClock::of_thread().submit();
  if (wait == Wait::Yes) return stream.run(operation_of(fill));
  require_no_fault();
  check(fill);
  if (is_empty(fill.lines)) return;
  if (is_capturing(stream))
    capture(stream, fill_work(fill));
  else
    stream.submit(operation_of(fill));
}

/// Submits what `make` gives: the body of an API function.
template <class Make>
hipError_t in_stream(hipStream_t stream, Wait wait, Make&& make) {
  return api([&] {
    const auto target = find_stream(stream);
    submit(*target, make(), wait);
    return hipSuccess;
  });
}

hipError_t copy_in(hipStream_t stream, Wait wait, void* to, const void* from, std::size_t size,
                   hipMemcpyKind kind) {
  return in_stream(stream, wait,
                   [&] { return Copy{.to = to, .from = from, .lines = {size}, .kind = kind}; });
}

hipError_t copy_2d_in(hipStream_t stream, Wait wait, void* to, std::size_t to_pitch,
                      const void* from, std::size_t from_pitch, std::size_t width,
                      std::size_t height, hipMemcpyKind kind) {
  return in_stream(stream, wait, [&] {
    if (width && height)
      require(width <= to_pitch && width <= from_pitch, hipErrorInvalidPitchValue);
    return Copy{to, {to_pitch}, from, {from_pitch}, {width, height}, kind};
  });
}

/// One end of a 3D copy between pitched pointers. Arrays are not supported.
void* corner(const hipPitchedPtr& end, const hipPos& at, hipArray_t array, Layout& layout) {
  require(!array, hipErrorNotSupported);
  layout = {end.pitch, product(end.pitch, end.ysize)};
  return runtime::at(end.ptr, layout, at.x, at.y, at.z);
}

hipError_t copy_3d_in(hipStream_t stream, Wait wait, const hipMemcpy3DParms* parameters) {
  return in_stream(stream, wait, [&] {
    require(parameters != nullptr);
    return copy_of(*parameters);
  });
}

hipError_t fill_in(hipStream_t stream, Wait wait, void* to, std::uint32_t value,
                   unsigned value_size, std::size_t count) {
  return in_stream(stream, wait,
                   [&] { return Fill{to, {}, {product(count, value_size)}, value, value_size}; });
}

hipError_t fill_2d_in(hipStream_t stream, Wait wait, void* to, std::size_t pitch,
                      std::uint32_t value, std::size_t width, std::size_t height) {
  return in_stream(stream, wait, [&] {
    require(width <= pitch || height <= 1);
    return Fill{to, {pitch}, {width, height}, value, 1};
  });
}

hipError_t fill_3d_in(hipStream_t stream, Wait wait, hipPitchedPtr to, std::uint32_t value,
                      hipExtent size) {
  return in_stream(stream, wait, [&] {
    require(size.width <= to.pitch || product(size.height, size.depth) <= 1);
    return Fill{to.ptr,
                {to.pitch, product(to.pitch, to.ysize)},
                {size.width, size.height, size.depth},
                value,
                1};
  });
}

/// The part of a device variable that a copy means.
void* part_of(const void* symbol, std::size_t size, std::size_t offset) {
  require(symbol != nullptr, hipErrorInvalidSymbol);
  const Variable variable = registered_variable(symbol, current_device());
  require(offset <= variable.size && size <= variable.size - offset);
  return variable.address + offset;
}

hipError_t copy_to_symbol_in(hipStream_t stream, Wait wait, const void* symbol, const void* from,
                             std::size_t size, std::size_t offset, hipMemcpyKind kind) {
  return in_stream(stream, wait, [&] { return copy_to_symbol(symbol, from, size, offset, kind); });
}

hipError_t copy_from_symbol_in(hipStream_t stream, Wait wait, void* to, const void* symbol,
                               std::size_t size, std::size_t offset, hipMemcpyKind kind) {
  return in_stream(stream, wait, [&] { return copy_from_symbol(to, symbol, size, offset, kind); });
}

hipError_t copy_peer(hipStream_t stream, Wait wait, void* to, int to_device, const void* from,
                     int from_device, std::size_t size) {
  return in_stream(stream, wait, [&] {
    require_device(to_device);
    require_device(from_device);
    return Copy{.to = to, .from = from, .lines = {size}, .kind = hipMemcpyDeviceToDevice};
  });
}

}  // namespace

namespace {

/// The other end of a copy between devices is memory of a device.
void require_agreement(const void* other, hipMemcpyKind kind) {
  if (kind == hipMemcpyDeviceToDevice)
    require(memory().find(reinterpret_cast<std::uintptr_t>(other)).has_value());
}

}  // namespace

Copy copy_to_symbol(const void* symbol, const void* from, std::size_t size, std::size_t offset,
                    hipMemcpyKind kind) {
  require(kind != hipMemcpyHostToHost && kind != hipMemcpyDeviceToHost,
          hipErrorInvalidMemcpyDirection);
  require_agreement(from, kind);
  return {.to = part_of(symbol, size, offset), .from = from, .lines = {size}, .kind = kind};
}

Copy copy_from_symbol(void* to, const void* symbol, std::size_t size, std::size_t offset,
                      hipMemcpyKind kind) {
  require(kind != hipMemcpyHostToHost && kind != hipMemcpyHostToDevice,
          hipErrorInvalidMemcpyDirection);
  require_agreement(to, kind);
  return {.to = to, .from = part_of(symbol, size, offset), .lines = {size}, .kind = kind};
}

Copy copy_of(const hipMemcpy3DParms& p) {
  if (!p.extent.width || !p.extent.height || !p.extent.depth) return {.lines = {0}, .kind = p.kind};
  Copy copy{.lines = {p.extent.width, p.extent.height, p.extent.depth}, .kind = p.kind};
  copy.from = corner(p.srcPtr, p.srcPos, p.srcArray, copy.from_layout);
  copy.to = corner(p.dstPtr, p.dstPos, p.dstArray, copy.to_layout);
  require(sum(p.extent.width, p.srcPos.x) <= p.srcPtr.pitch &&
              sum(p.extent.width, p.dstPos.x) <= p.dstPtr.pitch,
          hipErrorInvalidPitchValue);
  return copy;
}

hipMemcpy3DParms parameters_of(const Copy& copy) {
  const auto end = [&](const void* pointer, Layout layout) {
    const std::size_t pitch = layout.pitch ? layout.pitch : copy.lines.width;
    const std::size_t rows = layout.slice_pitch ? layout.slice_pitch / pitch : copy.lines.rows;
    return hipPitchedPtr{const_cast<void*>(pointer), pitch, copy.lines.width, rows};
  };
  hipMemcpy3DParms result{};
  result.srcPtr = end(copy.from, copy.from_layout);
  result.dstPtr = end(copy.to, copy.to_layout);
  result.extent = {copy.lines.width, copy.lines.rows, copy.lines.slices};
  result.kind = copy.kind;
  return result;
}

HIP_API hipError_t hipMemcpy(void* to, const void* from, std::size_t size, hipMemcpyKind kind) {
  return copy_in(nullptr, Wait::Yes, to, from, size, kind);
}
HIP_API hipError_t hipMemcpyAsync(void* to, const void* from, std::size_t size, hipMemcpyKind kind,
                                  hipStream_t stream) {
  return copy_in(stream, Wait::No, to, from, size, kind);
}
HIP_API hipError_t hipMemcpyWithStream(void* to, const void* from, std::size_t size,
                                       hipMemcpyKind kind, hipStream_t stream) {
  return copy_in(stream, Wait::Yes, to, from, size, kind);
}
HIP_API hipError_t hipMemcpyHtoD(hipDeviceptr_t to, const void* from, std::size_t size) {
  return copy_in(nullptr, Wait::Yes, to, from, size, hipMemcpyHostToDevice);
}
HIP_API hipError_t hipMemcpyDtoH(void* to, hipDeviceptr_t from, std::size_t size) {
  return copy_in(nullptr, Wait::Yes, to, from, size, hipMemcpyDeviceToHost);
}
HIP_API hipError_t hipMemcpyDtoD(hipDeviceptr_t to, hipDeviceptr_t from, std::size_t size) {
  return copy_in(nullptr, Wait::Yes, to, from, size, hipMemcpyDeviceToDevice);
}
HIP_API hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t to, const void* from, std::size_t size,
                                      hipStream_t stream) {
  return copy_in(stream, Wait::No, to, from, size, hipMemcpyHostToDevice);
}
HIP_API hipError_t hipMemcpyDtoHAsync(void* to, hipDeviceptr_t from, std::size_t size,
                                      hipStream_t stream) {
  return copy_in(stream, Wait::No, to, from, size, hipMemcpyDeviceToHost);
}
HIP_API hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t to, hipDeviceptr_t from, std::size_t size,
                                      hipStream_t stream) {
  return copy_in(stream, Wait::No, to, from, size, hipMemcpyDeviceToDevice);
}
HIP_API hipError_t hipMemcpyPeer(void* to, int to_device, const void* from, int from_device,
                                 std::size_t size) {
  return copy_peer(nullptr, Wait::Yes, to, to_device, from, from_device, size);
}
HIP_API hipError_t hipMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                                      std::size_t size, hipStream_t stream) {
  return copy_peer(stream, Wait::No, to, to_device, from, from_device, size);
}

HIP_API hipError_t hipMemcpy2D(void* to, std::size_t to_pitch, const void* from,
                               std::size_t from_pitch, std::size_t width, std::size_t height,
                               hipMemcpyKind kind) {
  return copy_2d_in(nullptr, Wait::Yes, to, to_pitch, from, from_pitch, width, height, kind);
}
HIP_API hipError_t hipMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from,
                                    std::size_t from_pitch, std::size_t width, std::size_t height,
                                    hipMemcpyKind kind, hipStream_t stream) {
  return copy_2d_in(stream, Wait::No, to, to_pitch, from, from_pitch, width, height, kind);
}
HIP_API hipError_t hipMemcpy3D(const hipMemcpy3DParms* parameters) {
  return copy_3d_in(nullptr, Wait::Yes, parameters);
}
HIP_API hipError_t hipMemcpy3DAsync(const hipMemcpy3DParms* parameters, hipStream_t stream) {
  return copy_3d_in(stream, Wait::No, parameters);
}

HIP_API hipError_t hipMemcpyToSymbol(const void* symbol, const void* from, std::size_t size,
                                     std::size_t offset, hipMemcpyKind kind) {
  return copy_to_symbol_in(nullptr, Wait::Yes, symbol, from, size, offset, kind);
}
HIP_API hipError_t hipMemcpyToSymbolAsync(const void* symbol, const void* from, std::size_t size,
                                          std::size_t offset, hipMemcpyKind kind,
                                          hipStream_t stream) {
  return copy_to_symbol_in(stream, Wait::No, symbol, from, size, offset, kind);
}
HIP_API hipError_t hipMemcpyFromSymbol(void* to, const void* symbol, std::size_t size,
                                       std::size_t offset, hipMemcpyKind kind) {
  return copy_from_symbol_in(nullptr, Wait::Yes, to, symbol, size, offset, kind);
}
HIP_API hipError_t hipMemcpyFromSymbolAsync(void* to, const void* symbol, std::size_t size,
                                            std::size_t offset, hipMemcpyKind kind,
                                            hipStream_t stream) {
  return copy_from_symbol_in(stream, Wait::No, to, symbol, size, offset, kind);
}

HIP_API hipError_t hipMemset(void* to, int value, std::size_t size) {
  return fill_in(nullptr, Wait::Yes, to, static_cast<std::uint32_t>(value), 1, size);
}
HIP_API hipError_t hipMemsetAsync(void* to, int value, std::size_t size, hipStream_t stream) {
  return fill_in(stream, Wait::No, to, static_cast<std::uint32_t>(value), 1, size);
}
HIP_API hipError_t hipMemsetD8(hipDeviceptr_t to, unsigned char value, std::size_t count) {
  return fill_in(nullptr, Wait::Yes, to, value, 1, count);
}
HIP_API hipError_t hipMemsetD8Async(hipDeviceptr_t to, unsigned char value, std::size_t count,
                                    hipStream_t stream) {
  return fill_in(stream, Wait::No, to, value, 1, count);
}
HIP_API hipError_t hipMemsetD16(hipDeviceptr_t to, unsigned short value, std::size_t count) {
  return fill_in(nullptr, Wait::Yes, to, value, 2, count);
}
HIP_API hipError_t hipMemsetD16Async(hipDeviceptr_t to, unsigned short value, std::size_t count,
                                     hipStream_t stream) {
  return fill_in(stream, Wait::No, to, value, 2, count);
}
HIP_API hipError_t hipMemsetD32(hipDeviceptr_t to, int value, std::size_t count) {
  return fill_in(nullptr, Wait::Yes, to, static_cast<std::uint32_t>(value), 4, count);
}
HIP_API hipError_t hipMemsetD32Async(hipDeviceptr_t to, int value, std::size_t count,
                                     hipStream_t stream) {
  return fill_in(stream, Wait::No, to, static_cast<std::uint32_t>(value), 4, count);
}
HIP_API hipError_t hipMemset2D(void* to, std::size_t pitch, int value, std::size_t width,
                               std::size_t height) {
  return fill_2d_in(nullptr, Wait::Yes, to, pitch, static_cast<std::uint32_t>(value), width,
                    height);
}
HIP_API hipError_t hipMemset2DAsync(void* to, std::size_t pitch, int value, std::size_t width,
                                    std::size_t height, hipStream_t stream) {
  return fill_2d_in(stream, Wait::No, to, pitch, static_cast<std::uint32_t>(value), width, height);
}
HIP_API hipError_t hipMemset3D(hipPitchedPtr to, int value, hipExtent size) {
  return fill_3d_in(nullptr, Wait::Yes, to, static_cast<std::uint32_t>(value), size);
}
HIP_API hipError_t hipMemset3DAsync(hipPitchedPtr to, int value, hipExtent size,
                                    hipStream_t stream) {
  return fill_3d_in(stream, Wait::No, to, static_cast<std::uint32_t>(value), size);
}

}  // namespace hipsight::runtime
