#include "engine/disk_cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <llvm/Support/SHA256.h>
#include <llvm/TargetParser/Host.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <utility>

#include "engine/host.h"
#include "support/build_id.h"
#include "support/files.h"

namespace hipsight::engine {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view magic = "hipsight code 1\n";
constexpr std::string_view ending = ".code", unfinished = ".part";
constexpr std::size_t header_bytes = magic.size() + 32;

DiskCache::Key digest(std::initializer_list<std::span<const std::byte>> parts) {
  llvm::SHA256 hash;
  for (const auto& part : parts)
    hash.update(llvm::ArrayRef(reinterpret_cast<const std::uint8_t*>(part.data()), part.size()));
  const auto result = hash.final();
  DiskCache::Key key;
  std::memcpy(key.data(), result.data(), key.size());
  return key;
}

/// What makes them: this build, and LLVM, which may be replaced beside it. Empty if not known.
const std::vector<std::byte>& maker() {
  static const std::vector<std::byte> id = [] {
    static const char here = 0;
    std::vector<std::byte> ours = build_id(&here);
    const auto llvm = build_id(reinterpret_cast<const void*>(&llvm::sys::getHostCPUName));
    if (ours.empty() || llvm.empty()) return std::vector<std::byte>();
    ours.insert(ours.end(), llvm.begin(), llvm.end());
    return ours;
  }();
  return id;
}

void complain(const std::string& why) {
  std::fprintf(stderr, "hipsight: no cache of translated code and predictions: %s\n", why.c_str());
}

/// Whether nobody else can put code there, which we would run.
bool is_ours(const fs::path& folder) {
  struct stat info{};
  return stat(folder.c_str(), &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == geteuid() &&
         !(info.st_mode & (S_IWGRP | S_IWOTH));
}

bool write(const Descriptor& file, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::write(file.number(), bytes.data(), bytes.size());
    if (done <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(done));
  }
  return true;
}
/// False when the file is shorter than that.
bool read(const Descriptor& file, std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::read(file.number(), bytes.data(), bytes.size());
    if (done <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(done));
  }
  return true;
}

}  // namespace

std::optional<DiskCache> DiskCache::of(const Host& host) {
  const fs::path& folder = host.cache;
  if (folder.empty() || maker().empty()) return {};
  std::error_code error;
  if (folder.has_parent_path()) fs::create_directories(folder.parent_path(), error);
  mkdir(folder.c_str(), 0700);
  if (!is_ours(folder)) {
    if (fs::exists(folder, error))
      complain(fmt::format("{} is not a folder that only we can write to", folder.string()));
    else if (host.cache_is_asked_for)
      complain(fmt::format("{} cannot be made", folder.string()));
    return {};
  }
  return DiskCache(fs::absolute(folder, error), host.cache_bytes);
}

DiskCache::DiskCache(fs::path folder, std::uint64_t limit_bytes)
    : folder_(std::move(folder)), limit_(limit_bytes) {}

DiskCache::Key DiskCache::key_of(std::span<const std::byte> source) {
  return digest({maker(), source});
}

std::string DiskCache::text(const Key& key) {
  std::string digits;
  for (const std::byte byte : key) digits += fmt::format("{:02x}", static_cast<unsigned>(byte));
  return digits;
}

fs::path DiskCache::file_of(const Key& key) const {
  return folder_ / text(key).append(ending);
}

std::optional<std::vector<std::byte>> DiskCache::find(const Key& key) const {
  std::string why;
  const Descriptor file = open_to_read(file_of(key), why);
  struct stat info{};
  if (!file || fstat(file.number(), &info) != 0) return {};
  const auto size = static_cast<std::size_t>(info.st_size);
  if (size < header_bytes || size > limit_) return {};
  std::vector<std::byte> all(size);
  if (!read(file, all)) return {};
  const std::span bytes = std::span(all).subspan(header_bytes);
  const Key sum = digest({key, bytes});
  if (std::memcmp(all.data(), magic.data(), magic.size()) != 0 ||
      std::memcmp(all.data() + magic.size(), sum.data(), sum.size()) != 0)
    return {};
  futimens(file.number(), nullptr);  // it is in use
  return std::vector(bytes.begin(), bytes.end());
}

void DiskCache::keep(const Key& key, std::span<const std::byte> bytes) {
  const std::uint64_t size = header_bytes + bytes.size();
  if (size > limit_) return;
  kept_ += size;
  if (!made_room_ || kept_ > limit_ / 8) {
    make_room();
    made_room_ = true;
    kept_ = 0;
  }
  // Whoever looks sees a whole file or none, whoever else writes the same.
  const fs::path to = file_of(key);
  static std::atomic<unsigned> number{0};
  const fs::path part = fmt::format("{}.{}.{}{}", to.string(), static_cast<int>(getpid()),
                                    number.fetch_add(1), unfinished);
  const Key sum = digest({key, bytes});
  bool good = false;
  {
    const Descriptor file(open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!file) return;
    good = write(file, std::as_bytes(std::span(magic))) && write(file, sum) && write(file, bytes);
  }
  if (!good || rename(part.c_str(), to.c_str()) != 0) unlink(part.c_str());
}

void DiskCache::make_room() const {
  struct Entry {
    fs::path path;
    fs::file_time_type time;
    std::uint64_t size;
  };
  std::vector<Entry> entries;
  std::uint64_t sum = 0;
  std::error_code error;
  const auto now = fs::file_time_type::clock::now();
  for (fs::directory_iterator at(folder_, error), end; !error && at != end; at.increment(error)) {
    std::error_code gone;
    const auto time = at->last_write_time(gone);
    const std::uint64_t size = at->file_size(gone);
    const std::string name = at->path().filename();
    if (gone) continue;
    // A process that was killed leaves its file behind.
    if (name.ends_with(unfinished) && now - time > std::chrono::hours(1))
      unlink(at->path().c_str());
    if (!name.ends_with(ending)) continue;
    entries.push_back({at->path(), time, size});
    sum += size;
  }
  if (sum <= limit_ - limit_ / 8) return;
  std::ranges::sort(entries, {}, &Entry::time);
  for (const Entry& entry : entries) {
    if (sum <= limit_ / 4 * 3) break;
    if (unlink(entry.path.c_str()) == 0) sum -= entry.size;
  }
}

}  // namespace hipsight::engine
