#include "code/fat_binary.h"

#include <fmt/ranges.h>
#include <llvm/Support/Endian.h>

#include <algorithm>
#include <optional>

#include "code/compressed_bundle.h"
#include "code/elf.h"
#include "code/identity.h"

namespace hipsight::code {
namespace {

using Bytes = std::span<const std::byte>;

constexpr std::string_view bundle_magic = "__CLANG_OFFLOAD_BUNDLE__";

bool is_bundle(Bytes bytes) {
  return text_of(bytes).starts_with(bundle_magic);
}

struct Entry {
  std::uint64_t at = 0;  ///< of this entry in the bundle
  std::uint64_t offset = 0, size = 0;
  std::string_view id;
};

/// Reads a bundle's table: magic, u64 count, and per entry u64 offset, u64 size, u64 length of the
/// id, id (clang's ClangOffloadBundler documentation, "Bundled Binary File Layout").
class Table {
 public:
  Table(Bytes bytes, const std::string& origin) : bytes_(bytes), origin_(origin) {
    at_ = bundle_magic.size();
    std::uint64_t count = number();
    for (std::uint64_t i = 0; i < count; ++i) {
      Entry entry;
      entry.at = at_;
      entry.offset = number();
      entry.size = number();
      std::uint64_t length = number();
      if (length > bytes_.size() - at_) cut();
      entry.id = view(text_of(bytes_.subspan(at_, length)));
      at_ += length;
      if (entry.offset > bytes_.size() || entry.size > bytes_.size() - entry.offset)
        fail(
            "{}: bundle entry {} at offset {:#x}: {:#x} bytes at {:#x} are outside its {:#x} bytes",
            origin_, entry.id, entry.at, entry.size, entry.offset, bytes_.size());
      size_ = std::max(size_, entry.offset + entry.size);
      entries_.push_back(entry);
    }
    size_ = std::max(size_, at_);
  }

  const std::vector<Entry>& entries() const { return entries_; }
  std::uint64_t size() const { return size_; }  ///< of the bundle, to its last byte

 private:
  [[noreturn]] void cut() const {
    fail("{}: the bundle's table is cut short at offset {:#x}", origin_, at_);
  }
  std::uint64_t number() {
    if (bytes_.size() - at_ < 8) cut();
    at_ += 8;
    return llvm::support::endian::read64le(bytes_.data() + at_ - 8);
  }

  Bytes bytes_;
  const std::string& origin_;
  std::uint64_t at_ = 0, size_ = 0;
  std::vector<Entry> entries_;
};

/// The target in an entry's id, such as "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-"; nothing when it
/// is no AMD GPU machine code, or for a target that is unknown here.
std::optional<Target> target_of(std::string_view id) {
  constexpr std::string_view triple = "amdgcn-amd-amdhsa-";
  std::string_view rest = id.substr(std::min(id.find('-'), id.size() - 1) + 1);
  if (!id.starts_with("hip") || !rest.starts_with(triple)) return {};
  // After the triple come its environment, mostly empty, and a dash, which old compilers left out.
  auto begin = rest.find("gfx", triple.size());
  if (begin == std::string_view::npos) return {};
  try {
    return Target::parse(rest.substr(begin));
  } catch (const Exception&) {
    return {};
  }
}

void read_bundle(FatBinary& fat, Bytes bytes) {
  Table table(bytes, fat.origin);
  for (const Entry& entry : table.entries()) {
    auto target = entry.size > 0 ? target_of(entry.id) : std::nullopt;
    if (target)
      fat.images.push_back({*target, bytes.subspan(entry.offset, entry.size)});
    else
      fat.others.emplace_back(entry.id);
  }
}

[[noreturn]] void unknown(const std::string& origin) {
  fail("{}: neither an ELF file nor an offload bundle (__CLANG_OFFLOAD_BUNDLE__ or CCOB)", origin);
}

/// The end of what an ELF file's headers name.
std::uint64_t elf_size(const Elf& elf) {
  const Elf::Header& header = elf.header();
  std::uint64_t size = sizeof(header);
  auto reach = [&](std::uint64_t offset, std::uint64_t length) {
    if (offset > elf.bytes().size() || length > elf.bytes().size() - offset)
      elf.bad("cut short: {:#x} bytes at offset {:#x} are beyond its {:#x} bytes", length, offset,
              elf.bytes().size());
    size = std::max(size, offset + length);
  };
  reach(header.e_phoff, elf.segments().size_bytes());
  reach(header.e_shoff, elf.sections().size_bytes());
  for (const Elf::Segment& segment : elf.segments()) reach(segment.p_offset, segment.p_filesz);
  for (const Elf::Section& section : elf.sections())
    if (section.sh_type != llvm::ELF::SHT_NOBITS) reach(section.sh_offset, section.sh_size);
  return size;
}

std::size_t size_at_front(Bytes bytes, const std::string& origin) {
  if (is_bundle(bytes)) return Table(bytes, origin).size();
  if (CompressedBundle::has_magic(bytes)) return CompressedBundle::read(bytes, origin).size;
  if (Elf::has_magic(bytes)) return elf_size(Elf(bytes, origin));
  unknown(origin);
}

/// Bundles that stand one after another, with zero bytes between them (alignment).
std::vector<Bytes> split(Bytes bytes, const std::string& origin) {
  std::vector<Bytes> bundles;
  for (std::size_t at = 0;;) {
    auto begin = std::find_if(bytes.begin() + at, bytes.end(),
                              [](std::byte byte) { return byte != std::byte{0}; });
    if (begin == bytes.end()) return bundles;
    at = begin - bytes.begin();
    std::string place = at == 0 ? origin : fmt::format("{} at offset {:#x}", origin, at);
    std::size_t size = size_at_front(bytes.subspan(at), place);
    bundles.push_back(bytes.subspan(at, size));
    at += size;
  }
}

}  // namespace

FatBinary FatBinary::open(std::span<const std::byte> bytes, const std::string& origin) {
  FatBinary fat;
  fat.origin = origin;
  if (is_bundle(bytes)) {
    read_bundle(fat, bytes);
  } else if (CompressedBundle::has_magic(bytes)) {
    auto packed = CompressedBundle::read(bytes, origin);
    fat.storage = packed.unpack(origin);
    Bytes bundle(fat.storage.get(), packed.unpacked_size);
    if (!is_bundle(bundle)) fail("{}: the compressed bundle holds no bundle", origin);
    read_bundle(fat, bundle);
  } else if (Elf::has_magic(bytes)) {
    fat.images.push_back({identify(Elf(bytes, origin)).target, bytes});
  } else {
    unknown(origin);
  }
  return fat;
}

const Image& FatBinary::select(const Target& device) const {
  auto stated = [](Feature feature) { return feature != Feature::Any; };
  auto rank = [&](const Image& image) {
    return (image.target.generic() ? 0 : 4) + stated(image.target.xnack) +
           stated(image.target.sramecc);
  };
  const Image* best = nullptr;
  for (const Image& image : images)
    if (image.target.runs_on(device) && (!best || rank(image) > rank(*best))) best = &image;
  if (best) return *best;

  std::vector<std::string> there;
  for (const Image& image : images) there.push_back(image.target.text());
  for (const std::string& id : others)
    if (!id.starts_with("host")) there.push_back(id);
  if (there.empty()) there.emplace_back("no code for a GPU");
  fail("{}: no code for {}; there is {}", origin, device.text(), fmt::join(there, ", "));
}

std::size_t fat_binary_size(const void* data, std::size_t limit, const std::string& origin) {
  return size_at_front({static_cast<const std::byte*>(data), limit}, origin);
}

std::vector<std::span<const std::byte>> find_fat_binaries(std::span<const std::byte> file,
                                                          const std::string& origin) {
  if (!Elf::has_magic(file)) {
    if (is_bundle(file) || CompressedBundle::has_magic(file)) return split(file, origin);
    unknown(origin);
  }
  Elf elf(file, origin);
  if (elf.header().e_machine == llvm::ELF::EM_AMDGPU) return {file};
  std::vector<Bytes> bundles;
  for (const Elf::Section& section : elf.sections()) {
    if (elf.name(section) != ".hip_fatbin") continue;
    auto found = split(elf.contents(section), fmt::format("{} section .hip_fatbin", origin));
    bundles.insert(bundles.end(), found.begin(), found.end());
  }
  return bundles;
}

}  // namespace hipsight::code
