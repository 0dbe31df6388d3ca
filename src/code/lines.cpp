#include "code/lines.h"

#include <llvm/Object/Decompressor.h>

namespace hipsight::code {
namespace {

void ignore(llvm::Error error) {
  llvm::consumeError(std::move(error));
}

/// The most that zlib (1032 to 1) or zstd (a run of 128 KiB in 4 bytes) can make of one byte.
constexpr std::uint64_t max_ratio = 32768;
/// Of all debug sections together; the largest known have a tenth of it.
constexpr std::uint64_t max_unpacked = std::uint64_t{8} << 30;

}  // namespace

Lines::Lines(const Elf& elf) {
  llvm::StringMap<std::unique_ptr<llvm::MemoryBuffer>> sections;
  std::uint64_t total = 0;
  for (const Elf::Section& section : elf.sections()) {
    std::string_view name = elf.name(section);
    if (!name.starts_with(".debug_") || sections.contains(name.substr(1))) continue;
    auto contents = text_of(elf.contents(section));
    if (section.sh_flags & llvm::ELF::SHF_COMPRESSED) {
      auto unpacker = llvm::object::Decompressor::create(name, contents, true, true);
      if (!unpacker) {
        ignore(unpacker.takeError());
        continue;
      }
      std::uint64_t size = unpacker->getDecompressedSize();
      if (size / max_ratio > contents.size() || size > max_unpacked - total) continue;
      total += size;
      auto& buffer = unpacked_.emplace_back(std::make_unique_for_overwrite<std::byte[]>(size));
      auto* data = reinterpret_cast<std::uint8_t*>(buffer.get());
      if (auto error = unpacker->decompress({data, size})) {
        ignore(std::move(error));
        continue;
      }
      contents = {reinterpret_cast<const char*>(data), size};
    }
    sections[name.substr(1)] = llvm::MemoryBuffer::getMemBuffer(contents, name, false);
  }
  context_ = llvm::DWARFContext::create(sections, 8, true, ignore, ignore);
}

std::optional<SourceLine> Lines::find(std::uint64_t address) {
  using Kind = llvm::DILineInfoSpecifier::FileLineInfoKind;
  std::lock_guard lock(mutex_);
  // The innermost of inlined functions: where the instruction was written.
  auto frames =
      context_->getInliningInfoForAddress({address, llvm::object::SectionedAddress::UndefSection},
                                          {Kind::AbsoluteFilePath, llvm::DINameKind::ShortName});
  if (frames.getNumberOfFrames() == 0) return {};
  const llvm::DILineInfo& frame = frames.getFrame(0);
  if (frame.Line == 0 || frame.FileName == llvm::DILineInfo::BadString) return {};
  SourceLine line{frame.FileName, frame.Line, frame.Column, frame.FunctionName};
  if (line.function == llvm::DILineInfo::BadString) line.function.clear();
  return line;
}

}  // namespace hipsight::code
