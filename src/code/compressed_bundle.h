#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace hipsight::code {

/// The header of a compressed offload bundle, CCOB version 1 to 3 (clang's ClangOffloadBundler
/// documentation, "Compression and Decompression").
struct CompressedBundle {
  bool zstd = false;                  ///< else zlib
  std::span<const std::byte> packed;  ///< ends with the bundle where the header says its size
  std::uint64_t size = 0;             ///< of the whole bundle in bytes
  std::uint64_t unpacked_size = 0;

  static bool has_magic(std::span<const std::byte> bytes);

  /// Reads the header at the front of `bytes`. Version 1 does not say where it ends: that is read
  /// off the zstd frame; with zlib it is the next bundle at a 4096-byte step, or the end of
  /// `bytes`.
  /// @throws Exception.
  static CompressedBundle read(std::span<const std::byte> bytes, const std::string& origin);

  /// The bundle that was compressed, `unpacked_size` bytes. @throws Exception.
  std::unique_ptr<std::byte[]> unpack(const std::string& origin) const;
};

}  // namespace hipsight::code
