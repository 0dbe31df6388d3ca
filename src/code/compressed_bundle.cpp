#include "code/compressed_bundle.h"

#include <llvm/Support/Compression.h>
#include <llvm/Support/Endian.h>

#include <new>

#include "code/elf.h"
#include "code/fat_binary.h"
#include "support/zstd.h"

namespace hipsight::code {
namespace {

using llvm::support::endian::read16le;
using llvm::support::endian::read32le;
using llvm::support::endian::read64le;

/// Where the next bundle begins, at a 4096-byte step; else the end.
std::size_t next_bundle(std::span<const std::byte> bytes) {
  for (std::size_t at = 4096; at < bytes.size(); at += 4096) {
    auto rest = text_of(bytes.subspan(at));
    if (rest.starts_with("CCOB") || rest.starts_with("__CLANG_OFFLOAD_BUNDLE__")) return at;
  }
  return bytes.size();
}

}  // namespace

bool CompressedBundle::has_magic(std::span<const std::byte> bytes) {
  return text_of(bytes).starts_with("CCOB");
}

CompressedBundle CompressedBundle::read(std::span<const std::byte> bytes,
                                        const std::string& origin) {
  // CCOB, u16 version, u16 method, then the sizes of the whole (not in version 1) and of the
  // contents (both u64 in version 3, u32 before), u64 of an MD5.
  constexpr std::size_t header_sizes[] = {0, 20, 24, 32};
  if (!has_magic(bytes) || bytes.size() < 8)
    fail("{}: no compressed bundle, or cut short in its first 8 bytes", origin);
  unsigned version = read16le(bytes.data() + 4), method = read16le(bytes.data() + 6);
  if (version < 1 || version > 3)
    fail("{}: compressed bundle version {} is not supported: 1 to 3 are", origin, version);
  std::size_t header_size = header_sizes[version];
  if (bytes.size() < header_size)
    fail("{}: compressed bundle: {} bytes are shorter than its header", origin, bytes.size());
  if (method > 1)
    fail("{}: compressed bundle: unknown method {}, neither 0 (zlib) nor 1 (zstd)", origin, method);

  CompressedBundle bundle;
  bundle.zstd = method == 1;
  const std::byte* sizes = bytes.data() + 8;
  if (version == 3) {
    bundle.size = read64le(sizes);
    bundle.unpacked_size = read64le(sizes + 8);
  } else if (version == 2) {
    bundle.size = read32le(sizes);
    bundle.unpacked_size = read32le(sizes + 4);
  } else {
    bundle.unpacked_size = read32le(sizes);
    if (bundle.zstd) {
      auto frame = zstd_frame_size(bytes.subspan(header_size));
      if (!frame)
        fail("{}: compressed bundle: the zstd frame at offset {} is malformed or cut short", origin,
             header_size);
      bundle.size = header_size + *frame;
    } else {
      bundle.size = next_bundle(bytes);
    }
  }
  if (bundle.size < header_size || bundle.size > bytes.size())
    fail("{}: compressed bundle of {} bytes does not fit the {} bytes that are there", origin,
         bundle.size, bytes.size());
  bundle.packed = bytes.subspan(header_size, bundle.size - header_size);
  return bundle;
}

std::unique_ptr<std::byte[]> CompressedBundle::unpack(const std::string& origin) const {
  // zlib makes at most 1032 bytes of one, zstd 128 KiB of four: more is a lie that would only cost
  // memory.
  std::uint64_t ratio = zstd ? 32768 : 1032;
  if (unpacked_size / ratio > packed.size())
    fail("{}: compressed bundle: {} bytes cannot unpack to {}", origin, packed.size(),
         unpacked_size);
  std::unique_ptr<std::byte[]> bytes;
  try {
    bytes = std::make_unique_for_overwrite<std::byte[]>(unpacked_size);
  } catch (const std::bad_alloc&) {
    fail("{}: compressed bundle: no memory for the {} bytes that it unpacks to", origin,
         unpacked_size);
  }
  namespace compression = llvm::compression;
  if (!(zstd ? compression::zstd::isAvailable() : compression::zlib::isAvailable()))
    fail("{}: this LLVM was built without {}", origin, zstd ? "zstd" : "zlib");
  llvm::ArrayRef<std::uint8_t> in(reinterpret_cast<const std::uint8_t*>(packed.data()),
                                  packed.size());
  auto* out = reinterpret_cast<std::uint8_t*>(bytes.get());
  std::size_t size = unpacked_size;
  if (auto error = zstd ? compression::zstd::decompress(in, out, size)
                        : compression::zlib::decompress(in, out, size))
    fail("{}: compressed bundle: {}", origin, llvm::toString(std::move(error)));
  if (size != unpacked_size)
    fail("{}: compressed bundle unpacks to {} bytes; its header says {}", origin, size,
         unpacked_size);
  return bytes;
}

}  // namespace hipsight::code
