#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace hipsight {

/// An open file.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor();
  Descriptor(Descriptor&& other) noexcept;
  Descriptor& operator=(Descriptor&& other) noexcept;
  explicit operator bool() const { return number_ >= 0; }
  int number() const { return number_; }
  int release();

 private:
  int number_;
};

/// Opens a file to read, if it is a regular one: a pipe, a device or a folder in its place is an
/// error at once, and nothing is waited for. Empty, with `why` in words, when that cannot be.
Descriptor open_to_read(const std::filesystem::path& file, std::string& why);

/// What a file holds; nothing when it cannot be read.
std::string read_file(const std::filesystem::path& file);
/// The same. @throws Exception when it cannot be read.
std::string read_text(const std::filesystem::path& file);
std::vector<std::byte> read_bytes(const std::filesystem::path& file);

/// Makes a file of our own, and the folders it is in. @throws Exception when that cannot be.
void write_file(const std::filesystem::path& file, std::string_view text);

/// A folder of our own, which goes with all that is in it.
class TemporaryFolder {
 public:
  /// @throws Exception when it cannot be made.
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::filesystem::path operator/(const std::filesystem::path& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

}  // namespace hipsight
