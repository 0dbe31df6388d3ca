#include "code/metadata.h"

#include <llvm/BinaryFormat/MsgPackReader.h>

#include <limits>
#include <unordered_set>

namespace hipsight::code {
namespace {

using llvm::msgpack::Object;
using llvm::msgpack::Type;

/// Walks MessagePack from front to back: a large code object has megabytes of it, most of which
/// nobody asks for, so no document is built.
class Walker {
 public:
  Walker(const Elf& elf, std::span<const std::byte> note)
      : elf_(elf), offset_(note.data() - elf.bytes().data()), reader_(text_of(note)) {}

  template <class... Args>
  [[noreturn]] void bad(fmt::format_string<Args...> format, Args&&... args) const {
    elf_.bad("metadata note at offset {:#x}: {}", offset_,
             fmt::format(format, std::forward<Args>(args)...));
  }

  Object next() {
    Object object;
    llvm::Expected<bool> more = reader_.read(object);
    if (!more) bad("malformed MessagePack: {}", llvm::toString(more.takeError()));
    if (!*more) bad("the MessagePack ends too early");
    return object;
  }

  /// Passes over what belongs to `object`, which was just read.
  void skip(const Object& object) {
    for (std::uint64_t left = children(object); left > 0; --left) left += children(next());
  }

  /// Calls visit(key) for each key of the map that comes next; visit reads the value.
  template <class Visit>
  void map(std::string_view what, Visit visit) {
    Object map = next();
    if (map.Kind != Type::Map) bad("{} is not a map", what);
    for (std::size_t i = 0; i < map.Length; ++i) {
      Object key = next();
      if (key.Kind != Type::String) bad("a key of {} is not a string", what);
      visit(view(key.Raw));
    }
  }

  /// Calls visit(i) for each element of the array that comes next; visit reads the element.
  template <class Visit>
  void array(std::string_view what, Visit visit) {
    Object array = next();
    if (array.Kind != Type::Array) bad("{} is not an array", what);
    for (std::size_t i = 0; i < array.Length; ++i) visit(i);
  }

  std::string string(std::string_view key) {
    Object object = next();
    if (object.Kind != Type::String) bad("{} is not a string", key);
    return object.Raw.str();
  }

  std::uint32_t number(std::string_view key) {
    Object object = next();
    bool negative = object.Kind == Type::Int && object.Int < 0;
    if ((object.Kind != Type::UInt && object.Kind != Type::Int) || negative ||
        object.UInt > std::numeric_limits<std::uint32_t>::max())
      bad("{} is not a number of 32 bits", key);
    return static_cast<std::uint32_t>(object.UInt);
  }

  /// A truth value; some are written as 0 and 1.
  bool flag(std::string_view key) {
    Object object = next();
    if (object.Kind == Type::Boolean) return object.Bool;
    if (object.Kind != Type::UInt && object.Kind != Type::Int) bad("{} is not a flag", key);
    return object.UInt != 0;
  }

 private:
  static std::uint64_t children(const Object& object) {
    if (object.Kind == Type::Array) return object.Length;
    if (object.Kind == Type::Map) return 2 * std::uint64_t{object.Length};
    return 0;
  }

  const Elf& elf_;
  std::size_t offset_;
  llvm::msgpack::Reader reader_;
};

Argument read_argument(Walker& in, std::size_t number) {
  Argument argument;
  bool has_offset = false, has_size = false;
  in.map("an argument", [&](std::string_view key) {
    if (key == ".name")
      argument.name = in.string(key);
    else if (key == ".value_kind")
      argument.value_kind = in.string(key);
    else if (key == ".offset")
      argument.offset = in.number(key), has_offset = true;
    else if (key == ".size")
      argument.size = in.number(key), has_size = true;
    else
      in.skip(in.next());
  });
  if (argument.value_kind.empty() || !has_offset || !has_size)
    in.bad("argument {} lacks .value_kind, .offset or .size", number);
  return argument;
}

Kernel read_kernel(Walker& in, std::size_t number) {
  Kernel kernel;
  in.map("a kernel", [&](std::string_view key) {
    if (key == ".name")
      kernel.name = in.string(key);
    else if (key == ".symbol")
      kernel.symbol = in.string(key);
    else if (key == ".args")
      in.array(key, [&](std::size_t i) { kernel.arguments.push_back(read_argument(in, i)); });
    else if (key == ".kernarg_segment_size")
      kernel.kernarg_size = in.number(key);
    else if (key == ".kernarg_segment_align")
      kernel.kernarg_align = in.number(key);
    else if (key == ".group_segment_fixed_size")
      kernel.lds_bytes = in.number(key);
    else if (key == ".private_segment_fixed_size")
      kernel.scratch_bytes = in.number(key);
    else if (key == ".wavefront_size")
      kernel.wavefront_size = in.number(key);
    else if (key == ".sgpr_count")
      kernel.sgprs = in.number(key);
    else if (key == ".vgpr_count")
      kernel.vgprs = in.number(key);
    else if (key == ".agpr_count")
      kernel.agprs = in.number(key);
    else if (key == ".sgpr_spill_count")
      kernel.sgpr_spills = in.number(key);
    else if (key == ".vgpr_spill_count")
      kernel.vgpr_spills = in.number(key);
    else if (key == ".max_flat_workgroup_size")
      kernel.max_flat_workgroup_size = in.number(key);
    else if (key == ".reqd_workgroup_size")
      in.array(key, [&](std::size_t i) {
        if (i > 2) in.bad("{} has more than three numbers", key);
        kernel.required_workgroup_size[i] = in.number(key);
      });
    else if (key == ".uses_dynamic_stack")
      kernel.uses_dynamic_stack = in.flag(key);
    else if (key == ".uniform_work_group_size")
      kernel.uniform_workgroup_size = in.flag(key);
    else
      in.skip(in.next());
  });
  if (kernel.name.empty() || kernel.symbol.empty())
    in.bad("kernel {} lacks .name or .symbol", number);
  if (kernel.wavefront_size != 32 && kernel.wavefront_size != 64)
    in.bad("kernel {}: a wavefront size of {}", kernel.name, kernel.wavefront_size);
  return kernel;
}

/// The contents of all NT_AMDGPU_METADATA notes: a linked code object has one of each object that
/// went in.
std::vector<std::span<const std::byte>> find_notes(const Elf& elf) {
  std::vector<std::span<const std::byte>> found;
  std::size_t bytes = 0;
  for (const Elf::Segment& segment : elf.segments()) {
    if (segment.p_type != llvm::ELF::PT_NOTE) continue;
    // A note: u32 name size, u32 contents size, u32 type, name, contents; both padded to 4 bytes
    // (8 where the segment says so).
    auto notes = elf.contents(segment);
    bytes += notes.size();
    if (bytes > elf.bytes().size()) elf.bad("note segments overlap");
    std::uint64_t align = segment.p_align == 8 ? 8 : 4;
    for (std::uint64_t at = 0; at < notes.size();) {
      std::uint64_t offset = segment.p_offset + at;
      if (notes.size() - at < 12) elf.bad("note at offset {:#x} is cut short", offset);
      auto word = [&](unsigned i) -> std::uint64_t {
        return llvm::support::endian::read32le(notes.data() + at + 4 * i);
      };
      std::uint64_t name_at = at + 12;
      std::uint64_t begin = llvm::alignTo(name_at + word(0), align), end = begin + word(1);
      if (end > notes.size())
        elf.bad("note at offset {:#x} ends outside its segment of {:#x} bytes", offset,
                notes.size());
      auto name = text_of(notes.subspan(name_at, word(0)));
      if (word(2) == llvm::ELF::NT_AMDGPU_METADATA && name == llvm::StringRef("AMDGPU\0", 7))
        found.push_back(notes.subspan(begin, word(1)));
      at = llvm::alignTo(end, align);
    }
  }
  return found;
}

}  // namespace

Metadata read_metadata(const Elf& elf) {
  Metadata metadata;
  std::unordered_set<std::string> names;
  for (const auto note : find_notes(elf)) {
    Walker in(elf, note);
    in.map("the metadata", [&](std::string_view key) {
      if (key == "amdhsa.kernels")
        in.array(key, [&](std::size_t i) {
          Kernel kernel = read_kernel(in, i);
          if (names.insert(kernel.name).second) metadata.kernels.push_back(std::move(kernel));
        });
      else if (key == "amdhsa.printf")
        in.array(key, [&](std::size_t) { metadata.printf_formats.emplace_back(in.string(key)); });
      else
        in.skip(in.next());
    });
  }
  return metadata;
}

}  // namespace hipsight::code
