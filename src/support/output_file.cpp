#include "support/output_file.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

#include "support/error.h"
#include "support/printable.h"

namespace hipsight {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void cannot_write(const fs::path& path, const char* why) {
  fail("cannot write '{}': {}", printable(path.native()), why);
}

/// Where the file itself is, beyond links. Empty for what has no place of its own: a pipe, a
/// device, or what a process has open (/proc/self/fd/1, and so /dev/stdout).
fs::path place_of(const fs::path& path) {
  fs::path at = path;
  constexpr int most_links = 40;  // as the kernel has it
  for (int links = 0; links < most_links; ++links) {
    std::error_code error;
    const fs::path folder = fs::canonical(at.has_parent_path() ? at.parent_path() : ".", error);
    if (error) cannot_write(path, error.message().c_str());
    at = folder / at.filename();
    struct statfs system{};
    if (statfs(folder.c_str(), &system) == 0 && system.f_type == PROC_SUPER_MAGIC) return {};
    struct stat info{};
    if (lstat(at.c_str(), &info) != 0) {
      if (errno == ENOENT) return at;
      cannot_write(path, std::strerror(errno));
    }
    if (S_ISREG(info.st_mode)) return at;
    if (S_ISDIR(info.st_mode)) cannot_write(path, "it is a folder");
    if (!S_ISLNK(info.st_mode)) return {};
    const fs::path target = fs::read_symlink(at, error);
    if (error) cannot_write(path, error.message().c_str());
    at = target.is_absolute() ? target : folder / target;
  }
  cannot_write(path, std::strerror(ELOOP));
}

/// A name beside a place that nobody else has. `make` takes it: false, with EEXIST, where somebody
/// has.
template <class Make>
fs::path beside(const fs::path& place, Make&& make) {
  static std::atomic<unsigned> number{0};
  fs::path name;
  do {
    name = place.parent_path() / fmt::format(".hipsight-{}-{}.part", getpid(), ++number);
  } while (!make(name.c_str()) && errno == EEXIST);
  return name;
}

/// What stands there is written to. Of a pipe, whoever reads it must be there.
Descriptor open_as_it_is(const fs::path& path) {
  Descriptor out(open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!out) cannot_write(path, errno == ENXIO ? "nobody reads this pipe" : std::strerror(errno));
  fcntl(out.number(), F_SETFL, O_WRONLY | O_APPEND);  // from now on it may wait
  return out;
}

}  // namespace

OutputFile::OutputFile(const fs::path& path) : path_(path), place_(place_of(path)) {
  if (place_.empty()) {
    out_ = open_as_it_is(path);
    return;
  }
  // Without a name, where the file system can do that: it goes with the process, however that ends.
  out_ = Descriptor(open(place_.parent_path().c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666));
  if (!out_)
    part_ = beside(place_, [&](const char* name) {
      out_ = Descriptor(open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
      return static_cast<bool>(out_);
    });
  if (!out_) cannot_write(path, std::strerror(errno));
  // It may be written to by whoever might write to the one before.
  struct stat before{};
  if (stat(place_.c_str(), &before) == 0) fchmod(out_.number(), before.st_mode & 0777);
}

OutputFile::~OutputFile() {
  give_up();
}

void OutputFile::give_up() {
  if (out_ && !part_.empty()) unlink(part_.c_str());
  out_ = Descriptor();
}

void OutputFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty() && error_ == 0) {
    const ssize_t done = ::write(out_.number(), bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) {
      error_ = done < 0 ? errno : EIO;
      return;
    }
    size_ += static_cast<std::uint64_t>(done);
    bytes = bytes.subspan(static_cast<std::size_t>(done));
  }
}

void OutputFile::finish() {
  if (error_ == 0 && !place_.empty() && part_.empty()) {
    const std::string open_file = fmt::format("/proc/self/fd/{}", out_.number());
    part_ = beside(place_, [&](const char* name) {
      error_ = linkat(AT_FDCWD, open_file.c_str(), AT_FDCWD, name, AT_SYMLINK_FOLLOW) ? errno : 0;
      return error_ == 0;
    });
    if (error_ != 0) part_.clear();  // somebody else's, or none
  }
  if (error_ == 0 && close(out_.release()) != 0) error_ = errno;
  if (error_ == 0 && !part_.empty() && rename(part_.c_str(), place_.c_str()) != 0) error_ = errno;
  if (error_ == 0) return;
  if (!part_.empty()) unlink(part_.c_str());
  out_ = Descriptor();
  cannot_write(path_, std::strerror(error_));
}

void write_output(const fs::path& file, std::span<const std::byte> bytes) {
  OutputFile out(file);
  out.write(bytes);
  out.finish();
}
void write_output(const fs::path& file, std::string_view text) {
  write_output(file, std::as_bytes(std::span(text)));
}

void prepare_output(const fs::path& file) {
  const fs::path place = place_of(file);
  if (place.empty()) {  // whoever reads a pipe would see its end if it was opened and closed here
    if (access(file.c_str(), W_OK) != 0) cannot_write(file, std::strerror(errno));
    return;
  }
  {
    const OutputFile can_be_written(file);
  }
  if (unlink(place.c_str()) != 0 && errno != ENOENT) cannot_write(file, std::strerror(errno));
}

}  // namespace hipsight
