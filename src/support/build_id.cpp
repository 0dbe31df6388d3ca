#include "support/build_id.h"

#include <link.h>

#include <algorithm>
#include <cstdint>
#include <span>

namespace hipsight {

std::vector<std::byte> build_id(const void* inside) {
  struct Search {
    std::uintptr_t inside;
    std::vector<std::byte> id;
  } search{reinterpret_cast<std::uintptr_t>(inside), {}};
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* data) {
        auto& wanted = *static_cast<Search*>(data);
        const std::span headers(object->dlpi_phdr, object->dlpi_phnum);
        const bool here = std::ranges::any_of(headers, [&](const auto& header) {
          return header.p_type == PT_LOAD &&
                 wanted.inside - object->dlpi_addr - header.p_vaddr < header.p_memsz;
        });
        if (!here) return 0;
        for (const auto& header : headers) {
          if (header.p_type != PT_NOTE) continue;
          const auto align = [](std::uint64_t size) { return (size + 3) & ~std::uint64_t{3}; };
          const auto* at = reinterpret_cast<const std::byte*>(object->dlpi_addr + header.p_vaddr);
          const auto* const end = at + header.p_memsz;
          while (at + sizeof(ElfW(Nhdr)) <= end) {
            const auto& note = *reinterpret_cast<const ElfW(Nhdr)*>(at);
            const auto* const text = at + sizeof note + align(note.n_namesz);
            if (note.n_type == NT_GNU_BUILD_ID) wanted.id.assign(text, text + note.n_descsz);
            at = text + align(note.n_descsz);
          }
        }
        return 1;
      },
      &search);
  return search.id;
}

}  // namespace hipsight
