#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "code/code_object.h"

namespace hipsight::launcher {

enum class Type : std::uint8_t { F64, F32, F16, BF16, I64, I32, I16, I8, U64, U32, U16, U8 };

/// What a launch passes for one argument of a kernel.
struct Value {
  enum class Kind : std::uint8_t {
    Bytes,   ///< by value; eight of them may be a pointer
    Zeros,   ///< the address of a buffer that holds zeros
    Filled,  ///< of one that `fill` fills
    File,    ///< of one that holds a file
    Same,    ///< the address that an earlier argument passes
  } kind = Kind::Bytes;
  std::vector<std::byte> bytes;
  std::uint64_t size = 0;  ///< of the buffer, bytes
  Type type = Type::F32;   ///< of what fills it
  std::string file;
  std::size_t same = 0;  ///< from 0

  bool is_address() const { return kind != Kind::Bytes; }
};

/// Reads what stands behind --arg:
///   TYPE:NUMBER        by value; TYPE is f64, f32, f16, bf16, i64, i32, i16, i8, u64, u32, u16, u8
///   bytes:HEX          by value, as many bytes
///   null               a null pointer
///   buffer:SIZE        a buffer of zeros; SIZE in bytes, or with k, M or G (2^10, 2^20, 2^30)
///   buffer:SIZE:TYPE   one that `fill` fills
///   buffer:@FILE       one with what the file holds
///   same:N             the buffer of argument N, from 1
/// @throws Exception that names the text.
Value parse(std::string_view text);

/// Fills memory with numbers of a type: floating-point ones are drawn uniformly from [-1, 1), the
/// same ones in each run; whole ones count 0, 1, 2, ... as far as the type goes.
/// `begin`: bytes of the buffer before this memory, whole elements.
void fill(std::span<std::byte> memory, Type type, std::uint64_t begin, std::uint64_t seed);

/// Those of the kernel's arguments that a launch passes: the compiler's own are left out.
std::vector<code::Argument> explicit_arguments(const code::Kernel& kernel);

/// @throws Exception that lists what the kernel takes when the values are not that.
void check(const code::Kernel& kernel, std::span<const Value> values);

/// The kernel of this name (mangled, or as the source has it), or the only one whose demangled name
/// has a match of the regular expression in it. @throws Exception that lists what there is.
const code::Kernel& choose(const code::CodeObject& code, const std::string& regex);

}  // namespace hipsight::launcher
