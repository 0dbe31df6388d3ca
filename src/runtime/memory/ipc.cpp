// Device memory that other processes use.
#include "runtime/memory/ipc.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <mutex>
#include <span>
#include <utility>

#include "runtime/graph/capture.h"
#include "runtime/state.h"
#include "runtime/stream/stream.h"

namespace hipsight::runtime {
namespace {

constexpr std::uint64_t magic = 0x6d656d2d7069683e;
constexpr std::size_t page = 4096;

std::size_t whole_pages(std::size_t size) {
  return (size + page - 1) / page * page;
}

/// What a handle says: the file of an allocation, by the process that holds it open.
struct Shared {
  std::uint64_t magic = 0;
  std::int32_t process = 0, file = -1;
  std::uint64_t inode = 0;  ///< tells whether the file is still the same one
  std::uint64_t size = 0, offset = 0;
};
static_assert(sizeof(Shared) <= sizeof(hipIpcMemHandle_t));

struct Ipc {
  std::mutex mutex;
  std::map<void*, Shared> exported;              ///< by the beginning of the allocation
  std::map<void*, std::span<std::byte>> opened;  ///< by what the program got
};
Ipc& ipc() {
  static auto& ipc = *new Ipc;
  return ipc;
}

struct File {
  int number;
  ~File() {
    if (number >= 0) close(number);
  }
  int release() { return std::exchange(number, -1); }
};

/// Copies what is not zero: pages that nobody touched stay untouched.
void copy_pages(std::byte* to, const std::byte* from, std::size_t size) {
  static constexpr std::array<std::byte, page> zeros{};
  for (std::size_t at = 0; at < size; at += page)
    if (std::memcmp(from + at, zeros.data(), page) != 0) std::memcpy(to + at, from + at, page);
}

/// Puts an allocation into a file, at the same addresses. Nothing may run meanwhile.
Shared share(const engine::Memory::Allocation& allocation) {
  const std::size_t size = whole_pages(allocation.size);
  auto* const begin = reinterpret_cast<std::byte*>(allocation.begin);
  File file{memfd_create("hipsight", MFD_CLOEXEC)};
  struct stat status{};
  require(file.number >= 0 && ftruncate(file.number, static_cast<off_t>(size)) == 0 &&
              fstat(file.number, &status) == 0,
          hipErrorOutOfMemory);
  void* const copy = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file.number, 0);
  require(copy != MAP_FAILED, hipErrorOutOfMemory);
  copy_pages(static_cast<std::byte*>(copy), begin, size);
  munmap(copy, size);
  require(mmap(begin, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file.number, 0) !=
              MAP_FAILED,
          hipErrorOutOfMemory);
  return {magic, getpid(), file.release(), status.st_ino, allocation.size, 0};
}

/// Maps what another process shares.
std::span<std::byte> map(const Shared& shared) {
  const std::string path = fmt::format("/proc/{}/fd/{}", shared.process, shared.file);
  const File file{open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)};
  struct stat status{};
  if (file.number < 0 || fstat(file.number, &status) != 0 || !S_ISREG(status.st_mode) ||
      status.st_ino != shared.inode || static_cast<std::uint64_t>(status.st_size) < shared.size) {
    complain(fmt::format("process {} does not share this memory any more", shared.process));
    fail_with(hipErrorInvalidValue);
  }
  void* const memory =
      mmap(nullptr, whole_pages(shared.size), PROT_READ | PROT_WRITE, MAP_SHARED, file.number, 0);
  require(memory != MAP_FAILED, hipErrorOutOfMemory);
  return {static_cast<std::byte*>(memory), shared.size};
}

}  // namespace

void end_sharing(void* pointer) {
  const std::lock_guard lock(ipc().mutex);
  const auto found = ipc().exported.find(pointer);
  if (found == ipc().exported.end()) return;
  require(mmap(pointer, whole_pages(found->second.size), PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) != MAP_FAILED,
          hipErrorOutOfMemory);
  close(found->second.file);
  ipc().exported.erase(found);
}

HIP_API hipError_t hipIpcGetMemHandle(hipIpcMemHandle_t* handle, void* pointer) {
  return api([&] {
    require(handle && pointer);
    Context::get();
    require_no_capture();
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    const auto allocation = memory().find(address);
    require(allocation && !allocation->registered && !is_graph_memory(pointer) &&
            allocation->kind == engine::Memory::Kind::Device);
    wait_for_all();
    const std::lock_guard lock(ipc().mutex);
    void* const begin = reinterpret_cast<void*>(allocation->begin);
    const auto found = ipc().exported.find(begin);
    Shared shared =
        found != ipc().exported.end() ? found->second : ipc().exported[begin] = share(*allocation);
    shared.offset = address - allocation->begin;
    *handle = {};
    std::memcpy(handle->reserved, static_cast<const void*>(&shared), sizeof shared);
    return hipSuccess;
  });
}

HIP_API hipError_t hipIpcOpenMemHandle(void** result, hipIpcMemHandle_t handle, unsigned flags) {
  return api([&] {
    require(result && flags <= 1);  // hipIpcMemLazyEnablePeerAccess is 0 or 1, by the header
    *result = nullptr;
    Context::get();
    Shared shared;
    std::memcpy(static_cast<void*>(&shared), handle.reserved, sizeof shared);
    require(shared.magic == magic && shared.size && shared.offset < shared.size);
    require(shared.process != getpid(), hipErrorInvalidContext);  // as HIP has it
    const auto mapped = map(shared);
    require(memory().add(mapped.data(), mapped.size(), engine::Memory::Kind::Device,
                         fmt::format("memory of process {}", shared.process)),
            hipErrorUnknown);
    *result = mapped.data() + shared.offset;
    const std::lock_guard lock(ipc().mutex);
    ipc().opened[*result] = mapped;
    return hipSuccess;
  });
}

HIP_API hipError_t hipIpcCloseMemHandle(void* pointer) {
  return api([&] {
    require(pointer != nullptr);
    Context::get();
    wait_for_all();
    const std::lock_guard lock(ipc().mutex);
    const auto found = ipc().opened.find(pointer);
    require(found != ipc().opened.end());
    const auto mapped = found->second;
    ipc().opened.erase(found);
    memory().remove(mapped.data());
    munmap(mapped.data(), whole_pages(mapped.size()));
    return hipSuccess;
  });
}

}  // namespace hipsight::runtime
