#include <algorithm>
#include <charconv>
#include <optional>

#include "isa/buffer_format.h"
#include "isa/entry.h"
#include "isa/instruction.h"

namespace hipsight::isa {
namespace {

/// Bytes of a formatted access of a lane. The format of a buffer is not known before it runs: as if
/// each component were a dword.
std::uint32_t formatted_bytes(const Instruction& in) {
  if (in.format == Format::Mtbuf)
    if (const auto format = buffer_format(in.gfx, static_cast<std::uint32_t>(in.imm)))
      return format->bytes();
  const std::string_view components = in.name.substr(in.name.rfind('_') + 1);
  return static_cast<std::uint32_t>(components.size() * (has(in.name, "D16") ? 2 : 4));
}

/// Bytes that a memory instruction moves per lane (per wave for scalar loads), from its name.
std::uint32_t bytes_of(std::string_view name) {
  const bool pair = has(name, "READ2") || has(name, "WRITE2") || has(name, "XCHG2");
  if (has(name, "_BLOCK")) return 128;
  if (has(name, "X16")) return 64;
  if (has(name, "X8")) return 32;
  if (has(name, "X4") || has(name, "_B128")) return 16;
  if (has(name, "X3") || has(name, "_B96")) return 12;
  // Not READ2ST64_B32: its 64 is the stride.
  if (has(name, "X2") || has(name, "_B64") || name.ends_with("64")) return pair ? 16 : 8;
  if (has(name, "BYTE") || has(name, "_U8") || has(name, "_I8") || has(name, "_B8")) return 1;
  if (has(name, "SHORT") || has(name, "_U16") || has(name, "_I16") || has(name, "_B16")) return 2;
  return pair ? 8 : 4;
}

bool is_wait(std::string_view name) {
  return has(name, "WAIT") || has(name, "BARRIER") || name == "S_NOP" || name == "S_SLEEP" ||
         name == "S_DELAY_ALU" || name == "S_CLAUSE" || name == "S_SETPRIO" ||
         has(name, "PREFETCH") || name == "S_CODE_END" || name == "V_NOP";
}
bool is_branch(std::string_view name) {
  return name == "S_BRANCH" || name.starts_with("S_CBRANCH") || name == "S_SETPC_B64" ||
         name == "S_SWAPPC_B64" || name == "S_CALL_B64" || name.starts_with("S_ENDPGM");
}
bool is_cache_control(std::string_view name) {
  return name.starts_with("BUFFER_INV") || name.starts_with("BUFFER_WB") ||
         name.starts_with("BUFFER_GL") || name.starts_with("GLOBAL_INV") ||
         name.starts_with("GLOBAL_WB");
}
bool is_transcendental(std::string_view name) {
  for (const char* prefix : {"V_EXP_", "V_LOG_", "V_RCP_", "V_RSQ_", "V_SQRT_", "V_SIN_", "V_COS_",
                             "V_S_EXP", "V_S_LOG", "V_S_RCP", "V_S_RSQ", "V_S_SQRT"})
    if (name.starts_with(prefix)) return true;
  return false;
}

Number number_of(Type type) {
  switch (type) {
    case Type::F64:
      return Number::F64;
    case Type::F32:
      return Number::F32;
    case Type::F16:
      return Number::F16;
    case Type::BF16:
      return Number::BF16;
    default:
      return Number::None;
  }
}

/// Floating-point operations of a lane, as AMD's counters SQ_INSTS_VALU_{ADD,MUL,FMA,TRANS} count
/// them: an FMA is two.
double operations_of(std::string_view name) {
  std::string_view base = name.substr(name.find('_') + 1);
  double halves = 1;
  if (base.starts_with("PK_")) base = base.substr(3), halves = 2;
  for (const char* one : {"ADD_F", "SUB_F", "SUBREV_F", "MUL_F", "MUL_LEGACY", "ADD_BF", "MUL_BF"})
    if (base.starts_with(one)) return halves;
  for (const char* two :
       {"FMA", "MAC_F", "MAD_F", "MADMK", "MADAK", "MAC_LEGACY", "MAD_LEGACY", "MAD_MIX"})
    if (base.starts_with(two)) return 2 * halves;
  if (base.starts_with("DOT2")) return 4;
  if (is_transcendental(name)) return 1;
  return 0;
}

/// M, N and K of a matrix instruction: the first "AxBxC" in its name.
using Tile = Work::Tile;
std::optional<Tile> tile_of(std::string_view name) {
  for (std::size_t at = name.find('_'); at != std::string_view::npos; at = name.find('_', at + 1)) {
    const char *p = name.data() + at + 1, *end = name.data() + name.size();
    Tile tile;
    const auto number = [&](unsigned& value) {
      const auto [next, error] = std::from_chars(p, end, value);
      if (error != std::errc{}) return false;
      p = next;
      return true;
    };
    if (number(tile.m) && p < end && *p++ == 'X' && number(tile.n) && p < end && *p++ == 'X' &&
        number(tile.k))
      return tile;
  }
  return std::nullopt;
}

/// Blocks that a matrix instruction computes at once: the forms with the smallest k of their type.
unsigned blocks_of(std::string_view name, const Tile& tile) {
  if (!name.starts_with("V_MFMA")) return 1;
  if (tile.m == 4) return has(name, "F64") ? 4 : 16;
  const bool f32 = name.ends_with("F32") && !name.ends_with("XF32");
  const bool bf16 = name.ends_with("BF16") && !has(name, "_BF16");
  const unsigned smallest = f32 ? 1 : bf16 ? 2 : 4;
  if (has(name, "F64") || has(name, "XF32") || tile.k != smallest) return 1;
  return tile.m == 16 ? 4 : 2;
}

Number matrix_number(const Instruction& in) {
  const std::string_view name = in.name;
  if (has(name, "F64")) return Number::F64;
  if (has(name, "XF32")) return Number::XF32;
  if (has(name, "F8F6F4")) {
    // The wider of the two formats (CBSZ and BLGP: FP8, BF8, FP6, BF6, FP4) sets the pace.
    const unsigned format = std::min(in.cbsz, in.blgp);
    return format < 2 ? Number::F8 : format < 4 ? Number::F6 : Number::F4;
  }
  if (has(name, "FP8") || has(name, "BF8")) return Number::F8;
  if (has(name, "BF16")) return Number::BF16;
  const std::string_view inputs = name.substr(name.rfind('X'));
  if (has(inputs, "F16")) return Number::F16;
  if (has(inputs, "F32")) return Number::F32;
  if (has(inputs, "4") && has(inputs, "I") && has(inputs, "U4")) return Number::I4;
  return Number::I8;
}

}  // namespace

std::string_view text(Pipe pipe) {
  constexpr std::string_view names[]{"scalar", "scalar memory", "vector", "transcendental",
                                     "matrix", "LDS",           "global", "scratch",
                                     "flat",   "branch",        "wait"};
  return names[static_cast<unsigned>(pipe)];
}

std::string_view text(Number number) {
  constexpr std::string_view names[]{"",   "f64", "f32", "f16", "bf16", "f8",  "f6",
                                     "f4", "i32", "i16", "i8",  "i4",   "xf32"};
  return names[static_cast<unsigned>(number)];
}

Work work_of(const Instruction& in) {
  const std::string_view name = in.name;
  Work work;
  const auto moves = [&](Pipe pipe, std::uint32_t bytes) {
    work.pipe = pipe;
    const bool atomic = has(name, "ATOMIC") ||
                        (in.format == Format::Ds && !has(name, "READ") && !has(name, "WRITE"));
    const bool store = has(name, "STORE") || has(name, "WRITE");
    if (atomic || !store) work.bytes_read = bytes;
    if (atomic || store) work.bytes_written = bytes;
  };
  switch (in.format) {
    case Format::Sop1:
    case Format::Sop2:
    case Format::Sopc:
    case Format::Sopk:
    case Format::Sopp:
      work.pipe = is_branch(name) ? Pipe::Branch : is_wait(name) ? Pipe::Wait : Pipe::Scalar;
      return work;
    case Format::Smem:
      if (has(name, "_LOAD_") || has(name, "_STORE_") || has(name, "_ATOMIC_"))
        moves(Pipe::ScalarMemory, bytes_of(name));
      else
        work.pipe = Pipe::ScalarMemory;
      return work;
    case Format::Ds:
      work.pipe = Pipe::Lds;
      if (has(name, "PERMUTE") || has(name, "SWIZZLE") || name == "DS_NOP") return work;
      moves(Pipe::Lds, bytes_of(name));
      return work;
    case Format::Flat:
      moves(Pipe::Flat, bytes_of(name));
      return work;
    case Format::Scratch:
      moves(Pipe::Scratch, bytes_of(name));
      return work;
    case Format::Global:
    case Format::Mubuf:
    case Format::Mtbuf:
      if (is_cache_control(name))
        work.pipe = Pipe::Wait;
      else if (has(name, "FORMAT"))
        moves(Pipe::Global, formatted_bytes(in));
      else
        moves(Pipe::Global, bytes_of(name));
      return work;
    default:
      break;
  }
  if (name.starts_with("V_MFMA") || name.starts_with("V_SMFMAC") || name.starts_with("V_WMMA") ||
      name.starts_with("V_SWMMAC")) {
    work.pipe = Pipe::Matrix;
    if (const auto tile = tile_of(name)) {
      work.number = matrix_number(in);
      work.tile = *tile;
      work.tile.blocks = blocks_of(name, *tile);
      work.operations_per_wave = 2.0 * tile->m * tile->n * tile->k * work.tile.blocks;
    }
    return work;
  }
  if (name == "V_NOP") {
    work.pipe = Pipe::Wait;
    return work;
  }
  work.pipe = is_transcendental(name) ? Pipe::Transcendental : Pipe::Vector;
  const auto count = [&](std::string_view which) {
    const double operations = operations_of(which);
    if (operations == 0) return;
    const Shape* shape = find_shape(which);
    work.operations_per_lane += operations;
    if (shape) work.number = number_of(shape->result);
  };
  count(name);
  if (!in.name_y.empty()) count(in.name_y);
  return work;
}

namespace {
bool is_buffer(const Instruction& in) {
  return in.format == Format::Mubuf || in.format == Format::Mtbuf;
}
}  // namespace

bool is_streaming(const Instruction& in) {
  if (in.gfx == Gfx::Gfx12) return (in.cache >> 2 & 7) == 1;
  if (in.gfx != Gfx::Gfx11) return in.cache & 2;
  return in.cache & (is_buffer(in) ? 1 : 4);
}

bool is_coherent(const Instruction& in) {
  if (in.gfx == Gfx::Gfx12) return (in.cache & 3) >= 2;
  if (in.gfx == Gfx::Gfx11) return in.cache & (is_buffer(in) ? 4 : 2);
  return in.cache & (in.gfx == Gfx::Gfx90a ? 1 : 4);
}

bool is_synchronising(const Instruction& in) {
  const bool vector = in.format >= Format::Flat && in.format <= Format::Mtbuf;
  // "Nontemporal" loads of gfx90a have the bit, too.
  return vector && has(in.name, "_LOAD_") && is_coherent(in) && !is_streaming(in);
}

}  // namespace hipsight::isa
