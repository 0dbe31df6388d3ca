#pragma once

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "support/error.h"

namespace hipsight {

/// A folder of our own, which goes with all that is in it.
class TemporaryFolder {
 public:
  /// @throws Error when it cannot be made.
  TemporaryFolder() {
    std::string pattern = std::filesystem::temp_directory_path() / "hipsight-XXXXXX";
    if (!mkdtemp(pattern.data())) fail("{}: {}", pattern, std::strerror(errno));
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::filesystem::path operator/(const std::filesystem::path& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

/// What a file holds; nothing when it cannot be read.
inline std::string read_file(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The same as bytes. @throws Error when it cannot be read.
inline std::vector<std::byte> read_bytes(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary | std::ios::ate);
  const std::streamoff size = in ? std::streamoff(in.tellg()) : -1;
  std::vector<std::byte> bytes(size > 0 ? std::size_t(size) : 0);
  in.seekg(0);
  if (size < 0 || !in.read(reinterpret_cast<char*>(bytes.data()), size))
    fail("cannot read '{}'", file.string());
  return bytes;
}

/// Makes a file, and the folders it is in. @throws Error when that cannot be.
inline void write_file(const std::filesystem::path& file, std::string_view text) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream out(file, std::ios::binary);
  out << text;
  if (!out.flush()) fail("cannot write {}", file.string());
}

}  // namespace hipsight
