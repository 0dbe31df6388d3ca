#include "runtime/services.h"

#include <fmt/format.h>
#include <immintrin.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <exception>
#include <map>
#include <mutex>
#include <string>
#include <unordered_set>

#include "runtime/device_printf.h"
#include "runtime/state.h"

namespace hipsight::runtime {
namespace {

/// The heap of malloc in kernels, of the device libraries' making (ockl, dm.cl: heap_t): a zeroed
/// head, some slabs to begin with, and whatever they ask for by service 3.
class DeviceHeap {
 public:
  explicit DeviceHeap(engine::Memory& memory) : memory_(memory) {
    constexpr std::size_t head = 128 << 10, slabs = 8 << 20;
    // After 5 counters of 128 bytes and 256 records of 24 for each of 16 sizes of blocks.
    constexpr std::size_t slabs_at = std::size_t{16} * (5 * 128 + 256 * 24);
    constexpr auto kind = engine::Memory::Kind::Code;
    head_ = static_cast<std::byte*>(memory_.allocate(head, kind, "heap of kernels"));
    require(head_ != nullptr, hipErrorOutOfMemory);
    if (void* first = memory_.allocate(slabs, kind, "malloc in kernels")) {
      const auto begin = reinterpret_cast<std::uintptr_t>(first);
      const std::uint64_t next_end_start[]{begin, begin + slabs, begin};
      std::memcpy(head_ + slabs_at, next_end_start, sizeof next_end_start);
    }
  }

  std::uint64_t address() const { return reinterpret_cast<std::uintptr_t>(head_); }

  /// Service 3. Allocates zero-filled pages (2 MiB at 2 MiB boundaries, as slabs need it), 0 when
  /// there are none left; or frees what was so allocated.
  std::uint64_t request(std::uint64_t address, std::uint64_t size) {
    if (address == 0) {
      void* fresh = memory_.allocate(size, engine::Memory::Kind::Device, "malloc in kernels");
      if (fresh) given_.insert(fresh);
      return reinterpret_cast<std::uintptr_t>(fresh);
    }
    auto* pointer = reinterpret_cast<void*>(address);
    if (given_.erase(pointer))
      memory_.free(pointer);
    else
      complain(fmt::format("free of {} in a kernel: malloc did not give that", pointer));
    return 0;
  }

 private:
  engine::Memory& memory_;
  std::byte* head_ = nullptr;
  std::unordered_set<void*> given_;
};

/// All that is shared by launches; its mutex guards everything in it.
struct Shared {
  std::mutex mutex;
  std::unique_ptr<DeviceHeap> heap;
  std::vector<HostcallBuffer*> in_use;
  std::vector<std::unique_ptr<HostcallBuffer>> free_buffers;
  std::vector<std::byte*> free_printf_buffers;

  DeviceHeap& device_heap() {
    if (!heap) heap = std::make_unique<DeviceHeap>(memory());
    return *heap;
  }
};

Shared& shared() {
  static auto& shared = *new Shared;
  return shared;
}

/// Waves that can be on their way in one launch: what the GPU holds, and one workgroup of each
/// host thread where that is more.
std::uint32_t most_waves(const gpus::Gpu& gpu) {
  constexpr std::uint32_t of_host_threads = 4096;
  return gpu.compute_units * gpu.simds_per_cu * gpu.max_waves_per_simd + of_host_threads;
}

std::unique_ptr<HostcallBuffer> take_hostcall_buffer() {
  Shared& all = shared();
  std::unique_ptr<HostcallBuffer> buffer;
  if (all.free_buffers.empty()) {
    buffer = std::make_unique<HostcallBuffer>(
        memory(), most_waves(Context::get().gpu()), [](std::uint64_t address, std::uint64_t size) {
          return shared().device_heap().request(address, size);
        });
  } else {
    buffer = std::move(all.free_buffers.back());
    all.free_buffers.pop_back();
  }
  all.in_use.push_back(buffer.get());
  return buffer;
}

// The printf buffer (ROCm clr, rocprintf.cpp): bytes in use, bytes that there are, records.
constexpr std::uint32_t printf_buffer_size = 4 << 20, printf_buffer_head = 8;

std::byte* take_printf_buffer() {
  auto& free = shared().free_printf_buffers;
  std::byte* buffer = nullptr;
  if (free.empty()) {
    buffer = static_cast<std::byte*>(
        memory().allocate(printf_buffer_size, engine::Memory::Kind::Code, "printf buffer"));
    require(buffer != nullptr, hipErrorOutOfMemory);
  } else {
    buffer = free.back();
    free.pop_back();
  }
  const std::uint32_t head[]{0, printf_buffer_size - printf_buffer_head};
  std::memcpy(buffer, head, sizeof head);
  return buffer;
}

/// The format strings of a code object by their hashes: "0:0:HASH,FORMAT".
std::map<std::uint64_t, std::string> formats_by_hash(const code::CodeObject& object) {
  std::map<std::uint64_t, std::string> formats;
  for (const std::string& line : object.printf_formats()) {
    const std::size_t comma = line.find(',');
    if (!line.starts_with("0:0:") || comma == std::string::npos) continue;
    std::uint64_t hash = 0;
    std::from_chars(line.data() + 4, line.data() + comma, hash, 16);
    formats.emplace(hash, line.substr(comma + 1));
  }
  return formats;
}

/// Prints the records of a printf buffer. A record begins with a word of 32 bits: its size above
/// bit 2; bit 1 when a hash stands for the format; bit 0 for stderr.
void print_buffer(const std::byte* buffer, const code::CodeObject& object) {
  std::uint32_t used = 0;
  std::memcpy(&used, buffer, sizeof used);
  used = std::min(used, printf_buffer_size - printf_buffer_head);
  const auto formats = used ? formats_by_hash(object) : std::map<std::uint64_t, std::string>{};
  const std::byte* record = buffer + printf_buffer_head;
  for (const std::byte* const end = record + used; end - record >= 4;) {
    std::uint32_t control = 0;
    std::memcpy(&control, record, sizeof control);
    const std::size_t size = control >> 2, words = (size - 4) / 8;
    if (size < 4 || size > static_cast<std::size_t>(end - record)) break;
    std::vector<std::uint64_t> message(words);
    std::memcpy(message.data(), record + 4, words * 8);
    if ((control & 2) && words) {
      const auto format = formats.find(message[0]);
      const std::string text = format == formats.end() ? "" : format->second;
      std::vector<std::uint64_t> whole(text.size() / 8 + 1);
      std::memcpy(whole.data(), text.data(), text.size());
      whole.insert(whole.end(), message.begin() + 1, message.end());
      message = std::move(whole);
    }
    const std::string text = format_printf(message);
    std::fwrite(text.data(), 1, text.size(), control & 1 ? stderr : stdout);
    record += size;
  }
}

/// Zeroed memory for a kernel that goes with the last pointer to it.
std::shared_ptr<std::byte> device_memory(std::size_t size, const char* what) {
  engine::Memory& all = memory();
  void* pointer = all.allocate(size, engine::Memory::Kind::Code, what);
  require(pointer != nullptr, hipErrorOutOfMemory);
  std::memset(pointer, 0, size);
  return {static_cast<std::byte*>(pointer), [&all](std::byte* old) { all.free(old); }};
}

/// What a kernel's grid_sync and multi_grid_sync read (ROCm device libraries, cg.cl: mg_info).
std::shared_ptr<std::byte> grid_sync(const engine::Dispatch& dispatch, const GridGroup& group) {
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
  const auto count = [](std::uint32_t items, std::uint32_t block) {
    return (items + block - 1) / block;
  };
  info.workgroups = count(dispatch.grid.x, dispatch.block.x) *
                    count(dispatch.grid.y, dispatch.block.y) *
                    count(dispatch.grid.z, dispatch.block.z);
  auto result = device_memory(sizeof info, "grid synchronisation");
  std::memcpy(result.get(), &info, sizeof info);
  return result;
}

}  // namespace

std::vector<GridGroup> GridGroup::of(const std::vector<std::uint64_t>& items) {
  const auto barrier = device_memory(2 * sizeof(std::uint32_t), "synchronisation of grids");
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

Services::Services(const engine::Dispatch& dispatch, const GridGroup& group)
    : dispatch_(dispatch), exceptions_(std::uncaught_exceptions()) {
  for (const code::Argument& argument : dispatch_.kernel->arguments) {
    if (!argument.value_kind.starts_with("hidden_")) continue;
    const std::lock_guard lock(shared().mutex);
    if (argument.value_kind == "hidden_hostcall_buffer") {
      if (!hostcalls_) hostcalls_ = take_hostcall_buffer();
      fill(argument, hostcalls_->address());
    } else if (argument.value_kind == "hidden_printf_buffer") {
      if (!printf_buffer_) printf_buffer_ = take_printf_buffer();
      fill(argument, reinterpret_cast<std::uintptr_t>(printf_buffer_));
    } else if (argument.value_kind == "hidden_heap_v1") {
      fill(argument, shared().device_heap().address());
    } else if (argument.value_kind == "hidden_multigrid_sync_arg" && dispatch_.cooperative) {
      if (!grid_sync_) grid_sync_ = grid_sync(dispatch_, group);
      fill(argument, reinterpret_cast<std::uintptr_t>(grid_sync_.get()));
    }
  }
}

Services::~Services() {
  if (printf_buffer_) print_buffer(printf_buffer_, dispatch_.module->object());
  Shared& all = shared();
  const std::lock_guard lock(all.mutex);
  if (printf_buffer_) all.free_printf_buffers.push_back(printf_buffer_);
  if (!hostcalls_) return;
  std::erase(all.in_use, hostcalls_.get());
  if (std::uncaught_exceptions() > exceptions_) hostcalls_->reset();
  all.free_buffers.push_back(std::move(hostcalls_));
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

// The wave that rings the bell answers its own call, and whatever else is ready: no thread has to
// be woken, and nothing spins.
void serve_doorbell(std::uint32_t message) {
  constexpr std::uint32_t mask = 0xff, interrupt = 1;  // MSG_INTERRUPT
  if ((message & mask) != interrupt) return;
  const unsigned csr = _mm_getcsr();
  constexpr unsigned host_csr = 0x1f80;  // the wave's rounding is not printf's
  _mm_setcsr(host_csr);
  Shared& all = shared();
  {
    const std::lock_guard lock(all.mutex);
    for (HostcallBuffer* buffer : all.in_use) buffer->serve();
  }
  _mm_setcsr(csr);
}

}  // namespace hipsight::runtime
