#include "support/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <utility>

#include "support/error.h"
#include "support/printable.h"

namespace hipsight {

Descriptor::~Descriptor() {
  if (number_ >= 0) close(number_);
}
Descriptor::Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}
int Descriptor::release() {
  return std::exchange(number_, -1);
}

Descriptor open_to_read(const std::filesystem::path& file, std::string& why) {
  // A pipe is opened without waiting for whoever writes to it.
  Descriptor opened(open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat info{};
  if (!opened || fstat(opened.number(), &info) != 0) {
    why = std::strerror(errno);
    return Descriptor();
  }
  if (S_ISREG(info.st_mode)) return opened;
  why = S_ISDIR(info.st_mode)    ? "it is a folder"
        : S_ISFIFO(info.st_mode) ? "it is a pipe, and no file"
                                 : "it is a device, and no file";
  return Descriptor();
}

namespace {

/// Reads a file to its end. What went wrong, in words; empty when nothing did.
template <class Bytes>
std::string read_all(const std::filesystem::path& file, Bytes& bytes) {
  std::string why;
  const Descriptor in = open_to_read(file, why);
  if (!in) return why;
  struct stat info{};
  fstat(in.number(), &info);
  // Of a file with holes, which takes up less.
  const auto memory =
      static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(getpagesize());
  auto room = static_cast<std::size_t>(info.st_size);
  if (room > memory) return fmt::format("its {} bytes are more than the memory", room);
  bytes.resize(room);
  std::size_t size = 0;
  for (;;) {
    if (size == bytes.size()) {  // it has grown, or is one of /proc, which tell no size
      char more = 0;
      const ssize_t got = read(in.number(), &more, 1);
      if (got == 0) return {};
      if (got < 0) return std::strerror(errno);
      bytes.resize(size + 4096);
      std::memcpy(bytes.data() + size++, &more, 1);
    }
    const ssize_t got = read(in.number(), bytes.data() + size, bytes.size() - size);
    if (got < 0) return std::strerror(errno);
    size += static_cast<std::size_t>(got);
    if (got == 0) break;
  }
  bytes.resize(size);
  return {};
}

template <class Bytes>
Bytes read_or_fail(const std::filesystem::path& file) {
  Bytes bytes;
  if (const std::string why = read_all(file, bytes); !why.empty())
    fail("cannot read '{}': {}", printable(file.native()), why);
  return bytes;
}

}  // namespace

std::string read_file(const std::filesystem::path& file) {
  std::string text;
  return read_all(file, text).empty() ? text : std::string();
}
std::string read_text(const std::filesystem::path& file) {
  return read_or_fail<std::string>(file);
}
std::vector<std::byte> read_bytes(const std::filesystem::path& file) {
  return read_or_fail<std::vector<std::byte>>(file);
}

void write_file(const std::filesystem::path& file, std::string_view text) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream out(file, std::ios::binary);
  out << text;
  if (!out.flush()) fail("cannot write {}", printable(file.native()));
}

TemporaryFolder::TemporaryFolder() {
  std::string pattern = std::filesystem::temp_directory_path() / "hipsight-XXXXXX";
  if (!mkdtemp(pattern.data())) fail("{}: {}", printable(pattern), std::strerror(errno));
  path_ = pattern;
}
TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace hipsight
