#include "capture/file.h"

#include <llvm/Support/Compression.h>
#include <llvm/Support/Endian.h>
#include <llvm/Support/Error.h>
#include <llvm/Support/xxhash.h>

#include <limits>

#include "support/error.h"

namespace hipsight::capture {
namespace {

using llvm::support::endian::read32le;
using llvm::support::endian::read64le;

constexpr std::size_t kFileHeader = 16;
// A section: tag, u32 of 0, and as u64 the unpacked size, the packed size and the checksum.
constexpr std::size_t kSectionHeader = 32;

llvm::ArrayRef<std::uint8_t> bytes_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
}

}  // namespace

FileWriter::FileWriter(const std::string& path) : out_(path) {
  char header[kFileHeader] = {};
  kMagic.copy(header, kMagic.size());
  llvm::support::endian::write32le(header + 8, kVersion);
  out_.write({header, sizeof header});
}

void FileWriter::add(std::string_view tag, std::span<const std::byte> bytes) {
  llvm::SmallVector<std::uint8_t, 0> packed;
  constexpr int fast = 1;
  llvm::compression::zstd::compress(bytes_of(bytes), packed, fast);
  char header[kSectionHeader] = {};
  tag.copy(header, 4);
  llvm::support::endian::write64le(header + 8, bytes.size());
  llvm::support::endian::write64le(header + 16, packed.size());
  llvm::support::endian::write64le(header + 24, llvm::xxh3_64bits(bytes_of(bytes)));
  out_.write({header, sizeof header});
  out_.write(std::as_bytes(std::span(packed.data(), packed.size())));
}

std::uint64_t FileWriter::finish() {
  out_.finish();
  return out_.size();
}

std::vector<Section> read_sections(std::span<const std::byte> file, const std::string& origin) {
  if (file.size() < kFileHeader ||
      std::string_view(reinterpret_cast<const char*>(file.data()), kMagic.size()) != kMagic)
    fail("{}: no capture file", origin);
  if (const std::uint32_t version = read32le(file.data() + 8); version != kVersion)
    fail("{}: capture file of version {}; this hipsight reads version {}", origin, version,
         kVersion);
  std::vector<Section> sections;
  for (std::size_t at = kFileHeader; at < file.size();) {
    const auto rest = file.subspan(at);
    if (rest.size() < kSectionHeader) fail("{}: cut short at offset {}", origin, at);
    Section section;
    section.tag.assign(reinterpret_cast<const char*>(rest.data()), 4);
    section.offset = at;
    section.size = read64le(rest.data() + 8);
    const std::uint64_t packed = read64le(rest.data() + 16);
    section.checksum = read64le(rest.data() + 24);
    if (packed > rest.size() - kSectionHeader)
      fail("{}: cut short: the section at offset {} has {} bytes, of which {} are there", origin,
           at, packed, rest.size() - kSectionHeader);
    section.packed = rest.subspan(kSectionHeader, packed);
    at += kSectionHeader + packed;
    sections.push_back(section);
  }
  return sections;
}

std::vector<std::byte> unpack(const Section& section, const std::string& origin) {
  const auto corrupt = [&](const std::string& how) {
    fail("{}: corrupt: the section at offset {} {}", origin, section.offset, how);
  };
  // zstd makes at most 128 KiB of four bytes: more is a lie that would only cost memory.
  constexpr std::uint64_t ratio = 32768;
  if (section.size / ratio > section.packed.size()) corrupt("cannot unpack to its size");
  std::vector<std::byte> bytes(section.size);
  std::size_t size = section.size;
  if (auto error = llvm::compression::zstd::decompress(
          bytes_of(section.packed), reinterpret_cast<std::uint8_t*>(bytes.data()), size))
    corrupt("does not unpack: " + llvm::toString(std::move(error)));
  if (size != section.size) corrupt("unpacks to another size");
#ifndef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION  // a fuzzer has to get beyond it
  if (llvm::xxh3_64bits(bytes_of(bytes)) != section.checksum) corrupt("has another checksum");
#endif
  return bytes;
}

}  // namespace hipsight::capture
