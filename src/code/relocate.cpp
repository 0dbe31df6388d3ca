#include "code/relocate.h"

#include <llvm/Support/Endian.h>

#include <limits>
#include <optional>

namespace hipsight::code {
namespace {

using namespace llvm::ELF;

/// What a relocation writes (LLVM AMDGPUUsage, "Relocation Records"): P is the place, S the symbol,
/// A the addend, B the base.
struct Kind {
  unsigned bytes;
  bool relative;         ///< S + A - P
  bool symbol;           ///< needs S; else B + A
  unsigned shift = 0;    ///< the high half of the value
  bool checked = false;  ///< the value must fit
};

std::optional<Kind> kind_of(std::uint32_t type) {
  switch (type) {
    case R_AMDGPU_ABS64:
      return Kind{8, false, true};
    case R_AMDGPU_ABS32:
      return Kind{4, false, true, 0, true};
    case R_AMDGPU_ABS32_LO:
      return Kind{4, false, true};
    case R_AMDGPU_ABS32_HI:
      return Kind{4, false, true, 32};
    case R_AMDGPU_REL64:
      return Kind{8, true, true};
    case R_AMDGPU_REL32:
      return Kind{4, true, true, 0, true};
    case R_AMDGPU_REL32_LO:
      return Kind{4, true, true};
    case R_AMDGPU_REL32_HI:
      return Kind{4, true, true, 32};
    case R_AMDGPU_RELATIVE64:
      return Kind{8, false, false};
    default:
      return {};
  }
}

std::string type_name(std::uint32_t type) {
  auto name = llvm::object::getELFRelocationTypeName(EM_AMDGPU, type);
  return name == "Unknown" ? fmt::format("type {}", type) : name.str();
}

/// The symbol's address in the image that stands at `base`.
std::uint64_t resolve(const Elf& elf, const Elf::Symbol& symbol, const Elf::Section& table,
                      std::uint64_t base) {
  if (symbol.st_shndx == SHN_ABS) return symbol.st_value;
  if (symbol.st_shndx != SHN_UNDEF) return base + symbol.st_value;
  if (symbol.getBinding() == STB_WEAK) return 0;
  elf.bad("symbol {} is not defined", elf.name(symbol, table));
}

void apply(const Elf& elf, const Elf::Rela& rela, const Elf::Section& symbol_table,
           std::span<const Elf::Symbol> symbols, std::span<std::byte> image, std::uint64_t base) {
  std::uint32_t type = rela.getType(false), number = rela.getSymbol(false);
  if (type == R_AMDGPU_NONE) return;
  std::uint64_t place = rela.r_offset;
  auto kind = kind_of(type);
  if (!kind) elf.bad("relocation {} at address {:#x} is not supported", type_name(type), place);
  if (place > image.size() || kind->bytes > image.size() - place)
    elf.bad("relocation {} at address {:#x} is outside the image of {:#x} bytes", type_name(type),
            place, image.size());

  std::uint64_t value = base;
  if (kind->symbol) {
    if (number >= symbols.size())
      elf.bad("relocation {} at address {:#x} names symbol {}, and there are {}", type_name(type),
              place, number, symbols.size());
    value = resolve(elf, symbols[number], symbol_table, base);
  }
  value += static_cast<std::uint64_t>(std::int64_t{rela.r_addend});
  if (kind->relative) value -= base + place;
  if (kind->checked) {
    auto wide = static_cast<std::int64_t>(value);
    bool fits = kind->relative ? wide == static_cast<std::int32_t>(wide) : value >> 32 == 0;
    if (!fits)
      elf.bad("relocation {} at address {:#x}: {:#x} does not fit in 32 bits", type_name(type),
              place, value);
  }
  value >>= kind->shift;
  if (kind->bytes == 8)
    llvm::support::endian::write64le(image.data() + place, value);
  else
    llvm::support::endian::write32le(image.data() + place, static_cast<std::uint32_t>(value));
}

}  // namespace

void relocate(const Elf& elf, std::span<std::byte> image, std::uint64_t base) {
  std::size_t bytes = 0;
  for (const Elf::Section& section : elf.sections()) {
    if (!(section.sh_flags & SHF_ALLOC)) continue;  // for linkers and debuggers, not for loaders
    if (section.sh_type == SHT_REL || section.sh_type == SHT_RELR || section.sh_type == SHT_CREL)
      elf.bad("section {}: relocations without addends are not supported", elf.name(section));
    if (section.sh_type != SHT_RELA) continue;
    auto relocations = elf.relocations(section);
    bytes += relocations.size_bytes();
    if (bytes > elf.bytes().size()) elf.bad("relocation sections overlap");
    const Elf::Section& symbol_table = elf.section(section.sh_link);
    auto symbols = section.sh_link ? elf.symbols(symbol_table) : std::span<const Elf::Symbol>{};
    for (const Elf::Rela& rela : relocations) apply(elf, rela, symbol_table, symbols, image, base);
  }
}

}  // namespace hipsight::code
