// What Debian's static libraries, of the compiler, of C++ and of LLVM, take from glibc 2.35
// and 2.36. With it here, who links them asks for 2.34 alone.
#include <dlfcn.h>
#include <link.h>
#include <sys/random.h>

#include <cstdint>
#include <cstdlib>

#define HIDDEN extern "C" __attribute__((visibility("hidden")))

HIDDEN std::uint32_t arc4random() noexcept {
  std::uint32_t value = 0;
  if (getrandom(&value, sizeof value, 0) != sizeof value) std::abort();
  return value;
}

namespace {

struct Search {
  std::uintptr_t pc;
  dl_find_object* result;
};

/// Of the file that holds the place in the program: where it lies, and where its unwind tables are.
int look_at(dl_phdr_info* file, std::size_t, void* data) {
  const auto& [pc, result] = *static_cast<Search*>(data);
  bool holds = false;
  *result = {};
  for (int i = 0; i < file->dlpi_phnum; ++i) {
    const ElfW(Phdr) & segment = file->dlpi_phdr[i];
    const std::uintptr_t start = file->dlpi_addr + segment.p_vaddr, end = start + segment.p_memsz;
    if (segment.p_type == PT_LOAD && start <= pc && pc < end) {
      holds = true;
      result->dlfo_map_start = reinterpret_cast<void*>(start);
      result->dlfo_map_end = reinterpret_cast<void*>(end);
    } else if (segment.p_type == PT_GNU_EH_FRAME) {
      result->dlfo_eh_frame = reinterpret_cast<void*>(start);
    }
  }
  return holds && result->dlfo_eh_frame;
}

}  // namespace

/// As glibc has it: 0 if it found the tables for unwinding there.
HIDDEN int _dl_find_object(void* pc, dl_find_object* result) noexcept {
  Search search{reinterpret_cast<std::uintptr_t>(pc), result};
  return dl_iterate_phdr(look_at, &search) ? 0 : -1;
}
