#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "code/target.h"

namespace hipsight::code {

/// One kernel argument, from the metadata's .args.
struct Argument {
  std::string name;
  std::string value_kind;  ///< "by_value", "global_buffer", "hidden_block_count_x", ...
  std::uint32_t offset = 0;
  std::uint32_t size = 0;
  /// Not the program's: filled by whoever launches (AMDGPUUsage, "Kernel Argument Metadata").
  bool is_hidden() const { return value_kind.starts_with("hidden_"); }
};

/// The 64-byte kernel descriptor (LLVM AMDGPUUsage, "Kernel Descriptor"), as it stands in the file.
struct Descriptor {
  std::uint32_t group_segment_fixed_size = 0;
  std::uint32_t private_segment_fixed_size = 0;
  std::uint32_t kernarg_size = 0;
  std::int64_t entry_offset = 0;  ///< from the descriptor's address
  std::uint32_t rsrc1 = 0, rsrc2 = 0, rsrc3 = 0;
  std::uint16_t properties = 0;       ///< kernel code properties: which user SGPRs are set up
  std::uint16_t kernarg_preload = 0;  ///< length in bits 0-6 (dwords), offset in bits 7-15
};

/// A kernel: its descriptor joined with its metadata.
struct Kernel {
  std::string name;                      ///< mangled, as hipModuleGetFunction takes it
  std::string symbol;                    ///< name of the descriptor: "NAME.kd"
  std::uint64_t descriptor_address = 0;  ///< virtual addresses in the code object
  std::uint64_t entry = 0;
  std::uint64_t code_size = 0;  ///< bytes of the function's symbol
  Descriptor descriptor;

  std::vector<Argument> arguments;
  std::uint32_t kernarg_size = 0;
  std::uint32_t kernarg_align = 8;
  std::uint32_t lds_bytes = 0;      ///< fixed LDS of a workgroup
  std::uint32_t scratch_bytes = 0;  ///< fixed scratch of a work-item
  std::uint32_t wavefront_size = 64;
  std::uint32_t sgprs = 0, vgprs = 0, agprs = 0;  ///< vgprs counts AGPRs too on gfx90a and later
  std::uint32_t sgpr_spills = 0, vgpr_spills = 0;
  std::uint32_t max_flat_workgroup_size = 1024;
  std::uint32_t required_workgroup_size[3] = {0, 0, 0};  ///< 0: not required
  bool uses_dynamic_stack = false;
  bool uniform_workgroup_size = false;
};

/// A function or variable in device code.
struct Symbol {
  std::string name;
  std::uint64_t address = 0;  ///< virtual address in the code object
  std::uint64_t size = 0;
  bool function = false;
  bool global = false;  ///< visible outside its file
};

struct SourceLine {
  std::string file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::string function;  ///< demangled; of inlined code the one that it was inlined into
};

/// An AMD GPU code object (ELF, code object v4 to v6). Immutable once read; safe to share between
/// threads. Kernels and symbols are read at once; lines when first asked for.
class CodeObject {
 public:
  /// Reads an ELF image. The bytes are copied. `origin` names the file in errors.
  /// @throws Exception when the file is truncated or malformed, naming what and where.
  static std::shared_ptr<const CodeObject> read(std::span<const std::byte> elf, std::string origin);
  ~CodeObject();

  const std::string& origin() const;
  std::span<const std::byte> elf() const;
  const Target& target() const;
  unsigned version() const;          ///< code object version: 4, 5 or 6
  unsigned generic_version() const;  ///< of a generic processor, from 1; else 0

  const std::vector<Kernel>& kernels() const;
  const Kernel* find_kernel(std::string_view name) const;
  /// Format strings of buffered printf calls, as in the metadata: "0:0:HASH,FORMAT".
  const std::vector<std::string>& printf_formats() const;
  const std::vector<Symbol>& symbols() const;  ///< defined functions and variables
  const Symbol* find_symbol(std::string_view name) const;
  /// The function that holds this virtual address, or null.
  const Symbol* function_at(std::uint64_t address) const;

  /// Size of the loaded image: the virtual addresses 0 .. image_size().
  std::uint64_t image_size() const;
  /// Begin and end of what the code may store to of it, in order of address.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> writable() const;
  /// Copies the segments to `image` (image_size() zeroed bytes), relocated as if the image stood at
  /// address `base`. @throws Exception naming a relocation that is not supported or not defined.
  void load(std::byte* image, std::uint64_t base) const;

  /// Where in the source an instruction comes from (DWARF), if it says: inlined code gives the
  /// line where it was written. Broken DWARF gives none. Safe from several threads.
  std::optional<SourceLine> line(std::uint64_t address) const;
  /// BLAKE3 of the ELF bytes, hexadecimal: names the code in caches.
  const std::string& digest() const;

 private:
  CodeObject();
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hipsight::code
