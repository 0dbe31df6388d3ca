#include "code/code_object.h"

#include <llvm/Support/AMDHSAKernelDescriptor.h>
#include <llvm/Support/BLAKE3.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <set>
#include <unordered_map>

#include "code/elf.h"
#include "code/identity.h"
#include "code/lines.h"
#include "code/metadata.h"
#include "code/readable_name.h"
#include "code/relocate.h"

namespace hipsight::code {
namespace {

using namespace llvm::ELF;

/// Functions and variables that have a place in the image.
std::vector<Symbol> read_symbols(const Elf& elf) {
  // .symtab has all that .dynsym has, and local functions too, unless it was stripped.
  const Elf::Section* table = nullptr;
  for (const Elf::Section& section : elf.sections())
    if (section.sh_type == SHT_SYMTAB || (section.sh_type == SHT_DYNSYM && !table))
      table = &section;
  std::vector<Symbol> symbols;
  if (!table) return symbols;
  for (const Elf::Symbol& symbol : elf.symbols(*table)) {
    bool function = symbol.getType() == STT_FUNC;
    if (!function && symbol.getType() != STT_OBJECT) continue;
    std::uint32_t section = symbol.st_shndx;
    if (section == SHN_UNDEF || (section >= SHN_LORESERVE && section != SHN_XINDEX)) continue;
    symbols.push_back({std::string(elf.name(symbol, *table)), symbol.st_value, symbol.st_size,
                       function, symbol.getBinding() != STB_LOCAL});
  }
  return symbols;
}

Descriptor read_descriptor(std::span<const std::byte> bytes) {
  llvm::amdhsa::kernel_descriptor_t raw;
  std::memcpy(&raw, bytes.data(), sizeof(raw));
  Descriptor descriptor;
  descriptor.group_segment_fixed_size = raw.group_segment_fixed_size;
  descriptor.private_segment_fixed_size = raw.private_segment_fixed_size;
  descriptor.kernarg_size = raw.kernarg_size;
  descriptor.entry_offset = raw.kernel_code_entry_byte_offset;
  descriptor.rsrc1 = raw.compute_pgm_rsrc1;
  descriptor.rsrc2 = raw.compute_pgm_rsrc2;
  descriptor.rsrc3 = raw.compute_pgm_rsrc3;
  descriptor.properties = raw.kernel_code_properties;
  descriptor.kernarg_preload = raw.kernarg_preload;
  return descriptor;
}

std::uint64_t read_image_size(const Elf& elf) {
  // No GPU has as much: a larger address is a broken file.
  constexpr std::uint64_t limit = std::uint64_t{1} << 40;
  std::uint64_t size = 0;
  for (const Elf::Segment& segment : elf.segments()) {
    if (segment.p_type != PT_LOAD) continue;
    if (segment.p_vaddr < size)
      elf.bad("segment at address {:#x} overlaps the one before it",
              std::uint64_t{segment.p_vaddr});
    if (segment.p_vaddr > limit || segment.p_memsz > limit)
      elf.bad("segment at address {:#x} of {:#x} bytes is too large",
              std::uint64_t{segment.p_vaddr}, std::uint64_t{segment.p_memsz});
    if (segment.p_filesz > segment.p_memsz)
      elf.bad("segment at address {:#x}: {:#x} bytes in the file are more than {:#x} in memory",
              std::uint64_t{segment.p_vaddr}, std::uint64_t{segment.p_filesz},
              std::uint64_t{segment.p_memsz});
    elf.contents(segment);  // checks that the file holds it
    size = segment.p_vaddr + segment.p_memsz;
  }
  return size;
}

}  // namespace

struct CodeObject::Impl {
  std::vector<std::byte> bytes;
  Elf elf;
  Identity identity;
  std::uint64_t image_size;
  std::vector<Symbol> symbols;
  std::vector<const Symbol*> functions;  ///< by address
  std::unordered_map<std::string_view, const Symbol*> symbol_by_name;
  Metadata metadata;
  std::unordered_map<std::string_view, const Kernel*> kernel_by_name;

  mutable std::once_flag lines_once, digest_once;
  mutable std::unique_ptr<Lines> lines;
  mutable std::string digest;

  Impl(std::span<const std::byte> image, std::string origin)
      : bytes(image.begin(), image.end()),
        elf(bytes, std::move(origin)),
        identity(identify(elf)),
        image_size(read_image_size(elf)),
        symbols(read_symbols(elf)),
        metadata(read_metadata(elf)) {
    find_sizes();
    std::vector<Kernel>& kernels = metadata.kernels;
    for (const Symbol& symbol : symbols) {
      if (symbol.function) functions.push_back(&symbol);
      auto [at, added] = symbol_by_name.try_emplace(symbol.name, &symbol);
      if (!added && !at->second->global) at->second = &symbol;
    }
    // Of functions at one address (aliases) the longest comes last, and is found.
    std::ranges::sort(functions, {},
                      [](const Symbol* f) { return std::pair(f->address, f->size); });
    for (Kernel& kernel : kernels) {
      complete(kernel);
      kernel_by_name.try_emplace(kernel.name, &kernel);
    }
  }

  /// Assembly may leave out a function's size: it goes up to the next one, or to the code's end.
  void find_sizes() {
    std::set<std::uint64_t> begins;
    for (const Symbol& symbol : symbols)
      if (symbol.function) begins.insert(symbol.address);
    for (Symbol& symbol : symbols) {
      if (!symbol.function || symbol.size) continue;
      symbol.size = elf.code_left(symbol.address);
      const auto next = begins.upper_bound(symbol.address);
      if (next != begins.end()) symbol.size = std::min(symbol.size, *next - symbol.address);
    }
  }

  const Symbol* symbol(std::string_view name) const {
    auto at = symbol_by_name.find(name);
    return at == symbol_by_name.end() ? nullptr : at->second;
  }

  /// The last function that begins at or before this address.
  const Symbol* function_before(std::uint64_t address) const {
    auto at = std::ranges::upper_bound(functions, address, {}, &Symbol::address);
    return at == functions.begin() ? nullptr : *std::prev(at);
  }

  /// Joins the metadata's kernel with its descriptor and its code.
  void complete(Kernel& kernel) const {
    const Symbol* descriptor = symbol(kernel.symbol);
    if (!descriptor) elf.bad("kernel {}: symbol {} is not defined", kernel.name, kernel.symbol);
    kernel.descriptor_address = descriptor->address;
    auto raw = elf.at(descriptor->address, sizeof(llvm::amdhsa::kernel_descriptor_t));
    if (raw.empty())
      elf.bad("kernel {}: its descriptor at address {:#x} is outside the file", kernel.name,
              descriptor->address);
    kernel.descriptor = read_descriptor(raw);
    kernel.entry = descriptor->address + static_cast<std::uint64_t>(kernel.descriptor.entry_offset);

    std::uint64_t left = elf.code_left(kernel.entry);
    if (left == 0)
      elf.bad("kernel {}: its entry {:#x} is outside the code", kernel.name, kernel.entry);
    const Symbol* function = function_before(kernel.entry);
    kernel.code_size = function && function->address == kernel.entry ? function->size : 0;
    if (kernel.code_size > left)
      elf.bad("kernel {}: {:#x} bytes of code at {:#x} are outside the code", kernel.name,
              kernel.code_size, kernel.entry);
    if (kernel.code_size == 0) {  // no symbol says: up to the next function
      auto next = std::ranges::upper_bound(functions, kernel.entry, {}, &Symbol::address);
      kernel.code_size =
          next == functions.end() ? left : std::min(left, (*next)->address - kernel.entry);
    }
  }
};

CodeObject::CodeObject() = default;
CodeObject::~CodeObject() = default;

std::shared_ptr<const CodeObject> CodeObject::read(std::span<const std::byte> elf,
                                                   std::string origin) {
  std::shared_ptr<CodeObject> object(new CodeObject);
  object->impl_ = std::make_unique<Impl>(elf, std::move(origin));
  return object;
}

const std::string& CodeObject::origin() const {
  return impl_->elf.origin();
}
const Target& CodeObject::target() const {
  return impl_->identity.target;
}
unsigned CodeObject::version() const {
  return impl_->identity.version;
}
unsigned CodeObject::generic_version() const {
  return impl_->identity.generic_version;
}

const std::vector<Kernel>& CodeObject::kernels() const {
  return impl_->metadata.kernels;
}
const std::vector<std::string>& CodeObject::printf_formats() const {
  return impl_->metadata.printf_formats;
}
const std::vector<Symbol>& CodeObject::symbols() const {
  return impl_->symbols;
}

const Kernel* CodeObject::find_kernel(std::string_view name) const {
  auto at = impl_->kernel_by_name.find(name);
  return at == impl_->kernel_by_name.end() ? nullptr : at->second;
}

const Symbol* CodeObject::find_symbol(std::string_view name) const {
  return impl_->symbol(name);
}

const Symbol* CodeObject::function_at(std::uint64_t address) const {
  const Symbol* function = impl_->function_before(address);
  bool inside =
      function && address - function->address < std::max<std::uint64_t>(function->size, 1);
  return inside ? function : nullptr;
}

std::uint64_t CodeObject::image_size() const {
  return impl_->image_size;
}

std::vector<std::pair<std::uint64_t, std::uint64_t>> CodeObject::writable() const {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> parts;
  for (const Elf::Segment& segment : impl_->elf.segments())
    if (segment.p_type == PT_LOAD && segment.p_flags & PF_W)
      parts.emplace_back(segment.p_vaddr, segment.p_vaddr + segment.p_memsz);
  return parts;
}

void CodeObject::load(std::byte* image, std::uint64_t base) const {
  for (const Elf::Segment& segment : impl_->elf.segments())
    if (segment.p_type == PT_LOAD)
      std::ranges::copy(impl_->elf.contents(segment), image + segment.p_vaddr);
  relocate(impl_->elf, {image, impl_->image_size}, base);
}

std::optional<SourceLine> CodeObject::line(std::uint64_t address) const {
  std::call_once(impl_->lines_once, [&] { impl_->lines = std::make_unique<Lines>(impl_->elf); });
  auto line = impl_->lines->find(address);
  if (const Symbol* function = line ? function_at(address) : nullptr)
    line->function = readable_name(function->name);
  return line;
}

std::span<const std::byte> CodeObject::elf() const {
  return impl_->elf.bytes();
}

const std::string& CodeObject::digest() const {
  std::call_once(impl_->digest_once, [&] {
    auto bytes = impl_->elf.bytes();
    auto hash =
        llvm::BLAKE3::hash<32>({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
    for (std::uint8_t byte : hash) impl_->digest += fmt::format("{:02x}", byte);
  });
  return impl_->digest;
}

}  // namespace hipsight::code
