#include "code/lines.h"

#include <llvm/Object/Decompressor.h>

namespace hipsight::code {
namespace {

namespace dwarf = llvm::dwarf;
using Cursor = llvm::DataExtractor::Cursor;

void ignore(llvm::Error error) {
  llvm::consumeError(std::move(error));
}

/// The most that zlib (1032 to 1) or zstd (a run of 128 KiB in 4 bytes) can make of one byte.
constexpr std::uint64_t max_ratio = 32768;
/// Of one debug section; the largest known have a tenth of it.
constexpr std::uint64_t max_unpacked = std::uint64_t{8} << 30;

/// Whether LLVM 22 reads this form of this entry without harm: it takes for granted that a number
/// is a number, and hangs on forms of no size.
bool harmless(std::uint64_t type, std::uint64_t form) {
  switch (form) {
    case dwarf::DW_FORM_string:
    case dwarf::DW_FORM_strp:
    case dwarf::DW_FORM_line_strp:
      return type == dwarf::DW_LNCT_path || type > dwarf::DW_LNCT_MD5;
    case dwarf::DW_FORM_udata:
    case dwarf::DW_FORM_data1:
    case dwarf::DW_FORM_data2:
    case dwarf::DW_FORM_data4:
    case dwarf::DW_FORM_data8:
      return type != dwarf::DW_LNCT_path && type != dwarf::DW_LNCT_MD5;
    case dwarf::DW_FORM_data16:
      return type == dwarf::DW_LNCT_MD5;
    default:
      return false;
  }
}

/// Reads the table of directories or files of a DWARF 5 header (DWARF 5, section 6.2.4.1); whether
/// it is harmless.
bool check_entries(const llvm::DataExtractor& data, Cursor& at, unsigned offset_size) {
  std::vector<std::uint64_t> forms(data.getU8(at));
  for (std::uint64_t& form : forms) {
    std::uint64_t type = data.getULEB128(at);
    form = data.getULEB128(at);
    if (!at || !harmless(type, form)) return false;
  }
  std::uint64_t count = data.getULEB128(at);
  if (forms.empty() && count > 0) return false;
  for (std::uint64_t i = 0; i < count && at; ++i)
    for (std::uint64_t form : forms) switch (form) {
        case dwarf::DW_FORM_string:
          data.getCStrRef(at);
          break;
        case dwarf::DW_FORM_udata:
          data.getULEB128(at);
          break;
        case dwarf::DW_FORM_data1:
          data.skip(at, 1);
          break;
        case dwarf::DW_FORM_data2:
          data.skip(at, 2);
          break;
        case dwarf::DW_FORM_data4:
          data.skip(at, 4);
          break;
        case dwarf::DW_FORM_data8:
          data.skip(at, 8);
          break;
        case dwarf::DW_FORM_data16:
          data.skip(at, 16);
          break;
        default:
          data.skip(at, offset_size);
          break;
      }
  return static_cast<bool>(at);
}

/// Whether LLVM can read the header of this line table, which begins after its length.
bool check_header(const llvm::DataExtractor& data, std::uint64_t begin, unsigned offset_size) {
  Cursor at(begin);
  bool good = true;
  if (data.getU16(at) >= 5) {
    data.skip(at, 2 + offset_size + 5);  // sizes of addresses, of the header; five settings
    unsigned opcodes = data.getU8(at);
    data.skip(at, opcodes ? opcodes - 1 : 0);
    good = at && check_entries(data, at, offset_size) && check_entries(data, at, offset_size);
  }
  good &= static_cast<bool>(at);
  ignore(at.takeError());
  return good;
}

}  // namespace

Lines::Lines(const Elf& elf) {
  add_sections(elf);
  context_ = llvm::DWARFContext::create(sections_, 8, true, ignore, ignore);
  parse_tables(elf);
}

void Lines::add_sections(const Elf& elf) try {
  for (const Elf::Section& section : elf.sections()) {
    std::string_view name = elf.name(section);
    if (name != ".debug_line" && name != ".debug_line_str" && name != ".debug_str") continue;
    if (sections_.contains(name.substr(1))) continue;
    auto contents = text_of(elf.contents(section));
    if (section.sh_flags & llvm::ELF::SHF_COMPRESSED) contents = unpack(contents);
    sections_[name.substr(1)] = llvm::MemoryBuffer::getMemBuffer(contents, name, false);
  }
} catch (const std::exception&) {  // broken sections, or no memory for them
  sections_.clear();
}

llvm::StringRef Lines::unpack(llvm::StringRef packed) {
  auto unpacker = llvm::object::Decompressor::create(".debug", packed, true, true);
  if (!unpacker) return ignore(unpacker.takeError()), "";
  std::uint64_t size = unpacker->getDecompressedSize();
  if (size / max_ratio > packed.size() || size > max_unpacked) return "";
  auto& bytes = unpacked_.emplace_back(std::make_unique_for_overwrite<std::byte[]>(size));
  auto* data = reinterpret_cast<std::uint8_t*>(bytes.get());
  if (auto error = unpacker->decompress({data, size})) return ignore(std::move(error)), "";
  return {reinterpret_cast<const char*>(data), size};
}

void Lines::parse_tables(const Elf& elf) {
  auto section = sections_.find("debug_line");
  if (section == sections_.end()) return;
  llvm::DWARFDataExtractor data(section->second->getBuffer(), true, 8);
  // Without the units of .debug_info, of which a line needs nothing but a directory that DWARF 5
  // repeats here.
  for (std::uint64_t begin = 0; begin < data.size();) {
    Cursor at(begin);
    auto [length, format] = data.getInitialLength(at);
    std::uint64_t header = at.tell(), end = header + length;
    if (llvm::Error error = at.takeError()) return ignore(std::move(error));
    if (end < header || end > data.size()) return;
    unsigned offset_size = format == dwarf::DWARF64 ? 8 : 4;
    if (check_header(data, header, offset_size)) {
      std::uint64_t offset = begin;
      auto& table = tables_.emplace_back();
      llvm::DWARFDataExtractor unit(data, end);
      if (auto error = table.parse(unit, &offset, *context_, nullptr, ignore))
        ignore(std::move(error));
      // Of a function that the linker left out (one of several of the same name) the lines stay,
      // and begin at address 0.
      llvm::erase_if(table.Sequences, [&](const llvm::DWARFDebugLine::Sequence& sequence) {
        return elf.code_left(sequence.LowPC) == 0;
      });
    }
    begin = end;
  }
}

std::optional<SourceLine> Lines::find(std::uint64_t address) const {
  for (const auto& table : tables_) {
    llvm::DILineInfo info;
    if (!table.getFileLineInfoForAddress(
            {address, llvm::object::SectionedAddress::UndefSection}, false, "",
            llvm::DILineInfoSpecifier::FileLineInfoKind::AbsoluteFilePath, info))
      continue;
    if (info.Line == 0 || info.FileName == llvm::DILineInfo::BadString) return {};
    return SourceLine{info.FileName, info.Line, info.Column, {}};
  }
  return {};
}

}  // namespace hipsight::code
