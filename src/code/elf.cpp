#include "code/elf.h"

namespace hipsight::code {

using llvm::object::ELF64LE;

namespace {

template <class T>
std::span<const T> span_of(llvm::ArrayRef<T> items) {
  return {items.data(), items.size()};
}

/// The file as LLVM sees it, once the bytes are known to begin with a 64-bit little-endian header.
Elf::File open(std::span<const std::byte> bytes, const std::string& origin) {
  if (!Elf::has_magic(bytes)) fail("{}: no ELF file", origin);
  if (bytes.size() < sizeof(Elf::Header))
    fail("{}: {} bytes are shorter than an ELF header", origin, bytes.size());
  auto at = [&](unsigned i) { return std::to_integer<unsigned>(bytes[i]); };
  if (at(llvm::ELF::EI_CLASS) != llvm::ELF::ELFCLASS64 ||
      at(llvm::ELF::EI_DATA) != llvm::ELF::ELFDATA2LSB)
    fail("{}: the ELF file is not 64-bit little-endian", origin);
  auto file = Elf::File::create(text_of(bytes));
  if (!file) fail("{}: {}", origin, llvm::toString(file.takeError()));
  return *file;
}

}  // namespace

bool Elf::has_magic(std::span<const std::byte> bytes) {
  return text_of(bytes).starts_with(llvm::StringRef(llvm::ELF::ElfMagic, 4));
}

Elf::Elf(std::span<const std::byte> bytes, std::string origin)
    : bytes_(bytes), origin_(std::move(origin)), file_(open(bytes, origin_)) {
  segments_ = span_of(checked(file_.program_headers(), "program headers"));
  // Linkers make about ten. Many more are a broken file, and would make look-ups slow.
  if (segments_.size() > 1024) bad("{} program headers are too many", segments_.size());
  auto sections = checked(file_.sections(), "section headers");
  sections_ = span_of(sections);
  section_names_ = checked(file_.getSectionStringTable(sections), "section names");
}

std::string_view Elf::name(const Section& section) const {
  return view(checked(file_.getSectionName(section, section_names_), "name of a section"));
}

std::span<const std::byte> Elf::contents(const Section& section) const {
  if (section.sh_type == llvm::ELF::SHT_NOBITS) return {};
  return bytes_of(checked(file_.getSectionContents(section), "contents of a section"));
}

std::span<const Elf::Symbol> Elf::symbols(const Section& table) const {
  return span_of(checked(file_.symbols(&table), "symbol table"));
}

std::string_view Elf::name(const Symbol& symbol, const Section& table) const {
  auto names = checked(file_.getStringTable(section(table.sh_link)), "symbol names");
  if (symbol.st_name >= names.size())
    bad("name of a symbol: offset {:#x} is outside the string table of {:#x} bytes",
        std::uint32_t{symbol.st_name}, names.size());
  // A string table ends in a zero byte: getStringTable checked.
  return names.data() + symbol.st_name;
}

std::span<const Elf::Rela> Elf::relocations(const Section& table) const {
  return span_of(checked(file_.relas(table), "relocations"));
}

const Elf::Section& Elf::section(std::uint32_t index) const {
  if (index >= sections_.size())
    bad("section {} does not exist; there are {}", index, sections_.size());
  return sections_[index];
}

std::span<const std::byte> Elf::contents(const Segment& segment) const {
  return bytes_of(checked(file_.getSegmentContents(segment), "contents of a segment"));
}

std::span<const std::byte> Elf::at(std::uint64_t address, std::uint64_t size) const {
  for (const Segment& segment : segments_) {
    if (segment.p_type != llvm::ELF::PT_LOAD || address < segment.p_vaddr) continue;
    std::uint64_t offset = address - segment.p_vaddr;
    if (offset > segment.p_filesz || size > segment.p_filesz - offset) continue;
    return contents(segment).subspan(offset, size);
  }
  return {};
}

std::uint64_t Elf::code_left(std::uint64_t address) const {
  for (const Segment& segment : segments_)
    if (segment.p_type == llvm::ELF::PT_LOAD && (segment.p_flags & llvm::ELF::PF_X) &&
        address >= segment.p_vaddr && address - segment.p_vaddr < segment.p_filesz)
      return segment.p_filesz - (address - segment.p_vaddr);
  return 0;
}

}  // namespace hipsight::code
