#include "runtime/memory/mapping.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>

namespace hipsight::runtime {

namespace {

/// Bytes from `pointer` to the end of the memory that holds it and grants `access`: 'r' or 'w'.
std::size_t bytes_with(char access, const void* pointer) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> maps(std::fopen("/proc/self/maps", "r"),
                                                             std::fclose);
  if (!maps) return 0;
  std::uintptr_t granted_end = 0;  // of the run of mappings that holds the address, so far
  char line[512];                  // "begin-end rwxp ..."
  bool line_begins = true;
  while (std::fgets(line, sizeof line, maps.get())) {
    const bool whole = line_begins;
    line_begins = std::strchr(line, '\n') != nullptr;
    if (!whole) continue;
    char* rest = nullptr;
    const std::uintptr_t begin = std::strtoul(line, &rest, 16);
    if (*rest != '-') continue;
    const std::uintptr_t end = std::strtoul(rest + 1, &rest, 16);
    const bool granted = rest[0] == ' ' && (access == 'w' ? rest[2] : rest[1]) == access;
    if (granted_end ? begin != granted_end || !granted : begin > address) break;
    if (address < end && granted) granted_end = end;
  }
  return granted_end > address ? granted_end - address : 0;
}

}  // namespace

std::size_t readable_bytes(const void* pointer) {
  return bytes_with('r', pointer);
}
std::size_t writable_bytes(const void* pointer) {
  return bytes_with('w', pointer);
}

namespace {

constexpr std::uintptr_t page = 4096;

/// The whole pages of a range; no pages when there can be none.
std::span<std::byte> pages(const void* pointer, std::size_t size) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  // Rounded up to pages, the size must not come round to 0: the system would find nothing wrong.
  constexpr std::uintptr_t most = UINTPTR_MAX - page;
  if (size > most || address > most - size) return {};
  const std::uintptr_t begin = address / page * page;
  return {reinterpret_cast<std::byte*>(begin), address + size - begin};
}

/// Linux 5.14 and later.
int populate(std::span<std::byte> range, Access access) {
  constexpr int read = 22, write = 23;  // MADV_POPULATE_READ, MADV_POPULATE_WRITE
  return madvise(range.data(), range.size(), access == Access::Read ? read : write);
}
bool can_populate() {
  static const bool can = [] {
    static std::byte known{};
    return populate(pages(&known, 1), Access::Write) == 0;
  }();
  return can;
}

}  // namespace

bool is_accessible(const void* pointer, std::size_t size, Access access) {
  if (!can_populate()) return is_mapped(pointer, size);
  if (size == 0) return true;
  const auto range = pages(pointer, size);
  if (range.empty()) return false;
  return populate(range, access) == 0 || (errno != EINVAL && errno != ENOMEM && errno != EFAULT);
}

bool is_mapped(const void* pointer, std::size_t size) {
  if (size == 0) return true;
  const auto range = pages(pointer, size);
  if (range.empty()) return false;
  // msync refuses ranges with holes (POSIX: ENOMEM); MS_ASYNC does nothing else on Linux.
  return msync(range.data(), range.size(), MS_ASYNC) == 0 || errno != ENOMEM;
}

}  // namespace hipsight::runtime
