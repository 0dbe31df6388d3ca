#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace hipsight::engine {

struct Host;

/// What takes long to make, in files, for later runs: translated code, and predictions. A file is
/// named by what its bytes were made from, and holds a checksum: files that a crash has cut short
/// are ignored and written anew. Processes may share a folder. The least lately used files go when
/// the folder grows beyond its limit.
///
/// Nothing here fails: without a cache, all is made anew.
class DiskCache {
 public:
  /// The one that the host's settings ask for. Where the folder cannot be had, or others may write
  /// to it, that is told on stderr and there is no cache.
  static std::optional<DiskCache> of(const Host& host);

  DiskCache(std::filesystem::path folder, std::uint64_t limit_bytes);

  /// What bytes are made from.
  using Key = std::array<std::byte, 32>;
  /// The key of what this build, with this LLVM, makes from `source`.
  static Key key_of(std::span<const std::byte> source);
  static std::string text(const Key& key);

  std::optional<std::vector<std::byte>> find(const Key& key) const;
  void keep(const Key& key, std::span<const std::byte> bytes);

 private:
  std::filesystem::path file_of(const Key& key) const;
  void make_room() const;

  std::filesystem::path folder_;
  std::uint64_t limit_;
  std::uint64_t kept_ = 0;  ///< bytes since room was made
  bool made_room_ = false;
};

}  // namespace hipsight::engine
