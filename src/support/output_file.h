#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "support/files.h"

namespace hipsight {

/// A file that is there whole, or not at all. It is written beside its place, without a name or
/// under one that nobody else has, and gets its own at the end. A pipe or a device that stands
/// there (/dev/stdout, a shell's >(command)) is written to as it is.
class OutputFile {
 public:
  /// @throws Exception when it cannot be written.
  explicit OutputFile(const std::filesystem::path& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// What goes wrong is told by finish.
  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }
  std::uint64_t size() const { return size_; }
  /// Completes it. @throws Exception, and then there is no file, when not all of it could be
  /// written.
  void finish();

 private:
  void give_up();
  std::filesystem::path path_;   ///< for words
  std::filesystem::path place_;  ///< empty: it is written as it is
  std::filesystem::path part_;   ///< its name until then; empty: it has none
  Descriptor out_;
  std::uint64_t size_ = 0;
  int error_ = 0;
};

/// The same at once. @throws Exception.
void write_output(const std::filesystem::path& file, std::span<const std::byte> bytes);
void write_output(const std::filesystem::path& file, std::string_view text);

/// Before a run that will write a file: takes away what an earlier one left there.
/// @throws Exception when the file could not be written.
void prepare_output(const std::filesystem::path& file);

}  // namespace hipsight
