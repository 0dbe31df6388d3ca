#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "code/target.h"

namespace hipsight::code {

/// One device image inside a bundle: where it is and what it was built for.
struct Image {
  Target target;
  std::span<const std::byte> elf;  ///< points into the bundle, or into `FatBinary::storage`
};

/// What a fat binary holds. Compressed bundles (CCOB) are unpacked by `open`, so call it only when
/// a kernel is wanted.
struct FatBinary {
  std::string origin;  ///< names it in errors
  std::vector<Image> images;
  std::vector<std::string>
      others;  ///< ids of entries that we cannot run: host, SPIR-V, new targets
  std::unique_ptr<std::byte[]> storage;  ///< the unpacked bundle, if it was compressed

  /// Opens a raw ELF code object, a __CLANG_OFFLOAD_BUNDLE__ or a compressed bundle (CCOB v1-v3,
  /// zlib or zstd). `origin` names it in errors. @throws Exception when truncated or malformed.
  static FatBinary open(std::span<const std::byte> bytes, const std::string& origin);

  /// The image that fits the device best: exact processor before generic, then the one that
  /// states more features.
  /// @throws Exception naming what was there and what was wanted.
  const Image& select(const Target& device) const;
};

/// Size in bytes of the bundle, CCOB or ELF that starts at `data`, read from its own headers: a
/// program registers a bare pointer (__hipRegisterFatBinary). `limit` bounds the reading.
/// @throws Exception when the header is none of these.
std::size_t fat_binary_size(const void* data, std::size_t limit, const std::string& origin);

/// The fat binaries inside an executable or shared library: the contents of its .hip_fatbin
/// section, one span per bundle; or the file itself when it is a bundle (or several) or a code
/// object. Empty when a program holds no GPU code. @throws Exception when it is none of these.
std::vector<std::span<const std::byte>> find_fat_binaries(std::span<const std::byte> file,
                                                          const std::string& origin);

}  // namespace hipsight::code
