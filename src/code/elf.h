#pragma once

#include <llvm/Object/ELF.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/error.h"

namespace hipsight::code {

inline std::string_view view(llvm::StringRef text) {
  return {text.data(), text.size()};
}
inline llvm::StringRef text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
inline std::span<const std::byte> bytes_of(llvm::ArrayRef<std::uint8_t> bytes) {
  return std::as_bytes(std::span(bytes.data(), bytes.size()));
}

/// A 64-bit little-endian ELF file. Every read is checked against the file's size, and errors name
/// the file. Refers to the bytes; does not own them.
class Elf {
 public:
  using File = llvm::object::ELFFile<llvm::object::ELF64LE>;
  using Header = File::Elf_Ehdr;
  using Section = File::Elf_Shdr;
  using Segment = File::Elf_Phdr;
  using Symbol = File::Elf_Sym;
  using Rela = File::Elf_Rela;

  static bool has_magic(std::span<const std::byte> bytes);

  /// @throws Exception when the header is none of a 64-bit little-endian ELF, or cut short.
  Elf(std::span<const std::byte> bytes, std::string origin);

  const std::string& origin() const { return origin_; }
  std::span<const std::byte> bytes() const { return bytes_; }
  const Header& header() const { return file_.getHeader(); }

  std::span<const Section> sections() const { return sections_; }
  std::string_view name(const Section& section) const;
  std::span<const std::byte> contents(const Section& section) const;
  std::span<const Symbol> symbols(const Section& table) const;
  std::string_view name(const Symbol& symbol, const Section& table) const;
  std::span<const Rela> relocations(const Section& table) const;
  /// The section of this number. @throws Exception when there is none.
  const Section& section(std::uint32_t index) const;

  std::span<const Segment> segments() const { return segments_; }
  std::span<const std::byte> contents(const Segment& segment) const;
  /// The bytes of the file behind `size` bytes at a virtual address; empty when no loaded segment
  /// holds them all.
  std::span<const std::byte> at(std::uint64_t address, std::uint64_t size) const;
  /// Bytes from a virtual address to the end of the executable segment that holds it; 0 outside
  /// all.
  std::uint64_t code_left(std::uint64_t address) const;

  /// Throws an Exception that begins with the file's name.
  template <class... Args>
  [[noreturn]] void bad(fmt::format_string<Args...> format, Args&&... args) const {
    fail("{}: {}", origin_, fmt::format(format, std::forward<Args>(args)...));
  }

 private:
  template <class T>
  T checked(llvm::Expected<T> value, std::string_view what) const {
    if (!value) bad("{}: {}", what, llvm::toString(value.takeError()));
    return *value;
  }

  std::span<const std::byte> bytes_;
  std::string origin_;
  File file_;
  std::span<const Section> sections_;
  std::span<const Segment> segments_;
  llvm::StringRef section_names_;
};

}  // namespace hipsight::code
