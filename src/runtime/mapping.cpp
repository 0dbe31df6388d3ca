#include "runtime/mapping.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

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

bool is_mapped(const void* pointer, std::size_t size) {
  constexpr std::uintptr_t page = 4096;
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  if (size == 0) return true;
  if (address + size < address) return false;
  const std::uintptr_t begin = address / page * page;
  // msync refuses ranges with holes (POSIX: ENOMEM); MS_ASYNC does nothing else on Linux.
  return msync(reinterpret_cast<void*>(begin), address + size - begin, MS_ASYNC) == 0 ||
         errno != ENOMEM;
}

}  // namespace hipsight::runtime
