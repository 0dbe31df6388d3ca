#include "runtime/mapping.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <memory>

namespace hipsight::runtime {

std::size_t readable_bytes(const void* pointer) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> maps(std::fopen("/proc/self/maps", "r"),
                                                             std::fclose);
  if (!maps) return 0;
  std::uintptr_t readable_end = 0;  // of the run of mappings that holds the address, so far
  char line[512];
  bool line_begins = true;
  while (std::fgets(line, sizeof line, maps.get())) {
    const bool whole_line = line_begins;
    line_begins = false;
    for (const char* c = line; *c; ++c) line_begins |= *c == '\n';
    unsigned long begin = 0, end = 0;
    char read = 0;
    if (!whole_line || std::sscanf(line, "%lx-%lx %c", &begin, &end, &read) != 3) continue;
    if (readable_end ? begin != readable_end || read != 'r' : begin > address) break;
    if (address < end && read == 'r') readable_end = end;
  }
  return readable_end > address ? readable_end - address : 0;
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
