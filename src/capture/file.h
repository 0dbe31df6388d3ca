#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/output_file.h"

// The container of a capture file: a magic number, a version, and compressed sections, each with a
// checksum of what it unpacks to. docs/capture.md describes it.

namespace hipsight::capture {

inline constexpr std::string_view kMagic = "hipsight";  ///< then the version, u32, and a u32 of 0
inline constexpr std::uint32_t kVersion = 1;
/// No section but the code unpacks to more.
inline constexpr std::size_t kMaxBlock = std::size_t{16} << 20;

/// Writes sections one by one. The file has its name only once it is complete.
class FileWriter {
 public:
  /// @throws Exception when the file cannot be written.
  explicit FileWriter(const std::string& path);

  /// `tag`: four letters.
  void add(std::string_view tag, std::span<const std::byte> bytes);
  void add(std::string_view tag, std::string_view text) {
    add(tag, std::as_bytes(std::span(text)));
  }
  /// The size of the file, in bytes. @throws Exception when it could not be written.
  std::uint64_t finish();

 private:
  OutputFile out_;
};

/// A section of a file that lies in memory.
struct Section {
  std::string tag;
  std::uint64_t offset = 0;  ///< of the section in the file, for errors
  std::uint64_t size = 0;    ///< unpacked
  std::uint64_t checksum = 0;
  std::span<const std::byte> packed;
};

/// The sections of a file, still packed; `origin` names it in errors.
/// @throws Exception when it is none, of another version, or cut short.
std::vector<Section> read_sections(std::span<const std::byte> file, const std::string& origin);

/// @throws Exception when the section is corrupt.
std::vector<std::byte> unpack(const Section& section, const std::string& origin);

}  // namespace hipsight::capture
