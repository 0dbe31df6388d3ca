#include "services/services.h"

#include <immintrin.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <new>

#include "services/printf_buffer.h"

namespace hipsight::services {
namespace {

/// Waves that can be on their way in one launch: what the GPU holds, and one workgroup of each
/// host thread where that is more.
std::uint32_t most_waves(const gpus::Gpu& gpu) {
  constexpr std::uint32_t of_host_threads = 4096;
  return gpu.compute_units * gpu.simds_per_cu * gpu.max_waves_per_simd + of_host_threads;
}

/// Zeroed memory for a kernel that goes with the last pointer to it.
std::shared_ptr<std::byte> device_memory(engine::Memory& memory, std::size_t size,
                                         const char* what) {
  void* pointer = memory.allocate(size, engine::Memory::Kind::Code, what);
  if (!pointer) throw std::bad_alloc();
  memory.fill(pointer, 0, 1, size);
  return {static_cast<std::byte*>(pointer), [&memory](std::byte* old) { memory.free(old); }};
}

/// What a kernel's grid_sync and multi_grid_sync read (ROCm device libraries, cg.cl: mg_info).
std::shared_ptr<std::byte> grid_sync(engine::Memory& memory, const engine::Dispatch& dispatch,
                                     const GridGroup& group) {
  struct {
    std::uint64_t all_barrier;
    std::uint32_t id, grids;
    std::uint64_t before, all;
    std::uint32_t barrier[2], workgroups;
  } info{};
  info.all_barrier = reinterpret_cast<std::uintptr_t>(group.barrier.get());
  info.id = group.id;
  info.grids = group.grids;
  info.before = group.before;
  info.all = group.all ? group.all : dispatch.grid.volume();
  info.workgroups = static_cast<std::uint32_t>(dispatch.groups().volume());
  auto result = device_memory(memory, sizeof info, "grid synchronisation");
  memory.copy(result.get(), &info, sizeof info);
  return result;
}

}  // namespace

std::vector<GridGroup> GridGroup::of(engine::Memory& memory,
                                     const std::vector<std::uint64_t>& items) {
  const auto barrier = device_memory(memory, 2 * sizeof(std::uint32_t), "synchronisation of grids");
  std::vector<GridGroup> groups;
  std::uint64_t all = 0;
  for (const std::uint64_t count : items) {
    groups.push_back({.barrier = barrier,
                      .id = static_cast<std::uint32_t>(groups.size()),
                      .grids = static_cast<std::uint32_t>(items.size()),
                      .before = all});
    all += count;
  }
  for (GridGroup& group : groups) group.all = all;
  return groups;
}

Host::Host(engine::Engine& engine, const gpus::Gpu& gpu, Complain complain)
    : memory_(engine.memory()), most_waves_(most_waves(gpu)), complain_(std::move(complain)) {
  engine.on_doorbell([this](std::uint32_t message) { serve(message); });
}

DeviceHeap& Host::heap() {
  if (!heap_) heap_ = std::make_unique<DeviceHeap>(memory_);
  return *heap_;
}

std::unique_ptr<HostcallBuffer> Host::take_hostcall_buffer() {
  std::unique_ptr<HostcallBuffer> buffer;
  if (free_buffers_.empty()) {
    buffer = std::make_unique<HostcallBuffer>(
        memory_, most_waves_,
        HostcallBuffer::Handlers{.memory =
                                     [this](std::uint64_t address, std::uint64_t size) {
                                       return heap().request(address, size, complain_);
                                     },
                                 .complain = complain_});
  } else {
    buffer = std::move(free_buffers_.back());
    free_buffers_.pop_back();
  }
  in_use_.push_back(buffer.get());
  return buffer;
}

std::byte* Host::take_printf_buffer() {
  std::byte* buffer = nullptr;
  if (free_printf_buffers_.empty()) {
    buffer = static_cast<std::byte*>(
        memory_.allocate(printf_buffer_size, engine::Memory::Kind::Arguments, "printf buffer"));
    if (!buffer) throw std::bad_alloc();
  } else {
    buffer = free_printf_buffers_.back();
    free_printf_buffers_.pop_back();
  }
  clear_printf_buffer(memory_, buffer);
  return buffer;
}

// The wave that rings the bell answers its own call, and whatever else is ready: no thread has to
// be woken, and nothing spins.
void Host::serve(std::uint32_t message) {
  constexpr std::uint32_t mask = 0xff, interrupt = 1;  // MSG_INTERRUPT
  if ((message & mask) != interrupt) return;
  const unsigned csr = _mm_getcsr();
  constexpr unsigned host_csr = 0x1f80;  // the wave's rounding is not printf's
  _mm_setcsr(host_csr);
  {
    const std::lock_guard lock(mutex_);
    for (HostcallBuffer* buffer : in_use_) buffer->serve();
  }
  _mm_setcsr(csr);
}

Services::Services(Host& host, const engine::Dispatch& dispatch, const GridGroup& group)
    : host_(host), dispatch_(dispatch), exceptions_(std::uncaught_exceptions()) {
  for (const code::Argument& argument : dispatch_.kernel->arguments) {
    if (!argument.is_hidden()) continue;
    const std::lock_guard lock(host_.mutex_);
    if (argument.value_kind == "hidden_hostcall_buffer") {
      if (!hostcalls_) hostcalls_ = host_.take_hostcall_buffer();
      fill(argument, hostcalls_->address());
    } else if (argument.value_kind == "hidden_printf_buffer") {
      if (!printf_buffer_) printf_buffer_ = host_.take_printf_buffer();
      fill(argument, reinterpret_cast<std::uintptr_t>(printf_buffer_));
    } else if (argument.value_kind == "hidden_heap_v1") {
      fill(argument, host_.heap().address());
    } else if (argument.value_kind == "hidden_multigrid_sync_arg" && dispatch_.cooperative) {
      if (!grid_sync_) grid_sync_ = grid_sync(host_.memory_, dispatch_, group);
      fill(argument, reinterpret_cast<std::uintptr_t>(grid_sync_.get()));
    }
  }
}

Services::~Services() {
  if (printf_buffer_) print_buffer(printf_buffer_, dispatch_.module->object());
  const std::lock_guard lock(host_.mutex_);
  if (printf_buffer_) host_.free_printf_buffers_.push_back(printf_buffer_);
  if (!hostcalls_) return;
  std::erase(host_.in_use_, hostcalls_.get());
  if (std::uncaught_exceptions() > exceptions_) hostcalls_->reset();
  host_.free_buffers_.push_back(std::move(hostcalls_));
}

void Services::fill(const code::Argument& argument, std::uint64_t value) {
  if (kernarg_.empty()) {
    kernarg_.assign(dispatch_.kernarg.begin(), dispatch_.kernarg.end());
    dispatch_.kernarg = kernarg_;
  }
  if (argument.offset + std::size_t{argument.size} <= kernarg_.size())
    std::memcpy(kernarg_.data() + argument.offset, &value,
                std::min<std::size_t>(argument.size, sizeof value));
}

}  // namespace hipsight::services
