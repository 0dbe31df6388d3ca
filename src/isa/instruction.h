#pragma once

#include <array>
#include <cassert>
#include <cstdint>
#include <string_view>

#include "isa/row.h"

namespace hipsight::isa {

/// The instruction sets, named by processor. Ordered: later ones of a family extend earlier ones.
enum class Gfx : std::uint8_t { Gfx90a, Gfx942, Gfx950, Gfx11, Gfx12 };

constexpr bool is_rdna(Gfx gfx) {
  return gfx >= Gfx::Gfx11;
}

/// Encodings (the manuals' microcode formats). Dpp and SDWA are forms of VOP1, VOP2, VOPC and VOP3.
enum class Format : std::uint8_t {
  Sop1,
  Sop2,
  Sopc,
  Sopk,
  Sopp,
  Smem,
  Vop1,
  Vop2,
  Vopc,
  Vop3,
  Vop3p,
  Mai,
  Vopd,
  Ds,
  Flat,
  Global,
  Scratch,
  Mubuf,
  Mtbuf,
  Other,  ///< decodes, but no encoding that hipsight executes (images, exports, interpolation)
};

/// How lanes of a vector source are permuted or parts of it selected, beside the plain form.
enum class Variant : std::uint8_t { Plain, Sdwa, Dpp16, Dpp8 };

/// Where an operand is.
enum class Where : std::uint8_t {
  None,
  Vgpr,
  Agpr,
  Sgpr,      ///< the scalar file by encoding: 106 VCC, 124/125 M0 and NULL, 126 EXEC
  Constant,  ///< inline constant or literal, in `value`
  Special,   ///< src_vccz, src_execz, src_scc, apertures, lds_direct: the code in `index`
};

struct Operand {
  Where where = Where::None;
  std::uint16_t index = 0;  ///< register number
  std::uint32_t value = 0;  ///< bits of a literal; of an inline constant: the code's integer value
  bool inline_float = false;  ///< `value` is the f32 pattern of an inline float: widen or narrow it
  bool literal = false;
  bool negate = false, absolute = false;  ///< source modifiers
  bool sign_extend = false;               ///< SDWA
  std::uint8_t select = 6;                ///< SDWA: 0-3 byte, 4-5 word, 6 all
  bool high = false;  ///< 16-bit operand in the register's high half (op_sel, true16)
};

/// S_GETREG and S_SETREG: bits of a hardware register.
struct HardwareRegister {
  unsigned id, first, width;
};

/// The constant field of SOPK and SOPP, and the format of MTBUF. What it is differs by opcode: each
/// reader says what it takes it for, which is to be what the row says.
class Immediate {
 public:
  constexpr Immediate() = default;
  constexpr Immediate(Field field, std::int32_t bits) : bits_(bits), field_(field) {}

  constexpr std::int32_t number() const { return taken_as(Field::Number); }
  /// Bytes that a branch goes, from behind its first word on.
  constexpr std::int64_t distance() const { return std::int64_t{taken_as(Field::Target)} * 4; }
  constexpr HardwareRegister hardware_register() const {
    const auto field = static_cast<unsigned>(taken_as(Field::HardwareRegister));
    return {field & 63, field >> 6 & 31, (field >> 11 & 31) + 1};
  }
  constexpr std::uint32_t counters() const {
    return static_cast<std::uint32_t>(taken_as(Field::Counters));
  }
  constexpr std::uint32_t format() const {
    return static_cast<std::uint32_t>(taken_as(Field::Format));
  }

  constexpr std::int32_t bits() const { return bits_; }  ///< as encoded

 private:
  constexpr std::int32_t taken_as([[maybe_unused]] Field field) const {
    assert(field == field_);
    return bits_;
  }

  std::int32_t bits_ = 0;
  [[maybe_unused]] Field field_ = Field::None;  ///< for the assertion
};

/// One decoded instruction. Its row says what it does, by LLVM's name without suffixes of encoding
/// and generation, so DS_READ_B128 is gfx11's ds_load_b128 too.
struct Instruction {
  const Row* row = &row_of(Opcode::NONE);
  const Row* row_y = nullptr;  ///< VOPD: of the second instruction; `row` etc. are of the first
  std::string_view name() const { return row->name; }
  bool is(Opcode opcode) const { return row->opcode == opcode; }

  std::uint64_t address = 0;  ///< virtual address in the code object
  std::uint8_t size = 0;      ///< bytes, 4 to 20
  Format format = Format::Other;
  Variant variant = Variant::Plain;
  Gfx gfx = Gfx::Gfx90a;
  std::array<std::uint32_t, 5> words{};

  Operand dst;   ///< vector or scalar result
  Operand sdst;  ///< second, scalar result: carry, VOPC mask
  std::array<Operand, 4> src{};

  // Output modifiers.
  bool clamp = false;
  std::uint8_t omod = 0;
  std::uint8_t dst_select = 6, dst_unused = 0;  ///< SDWA

  // Packed maths: which half of each source feeds the low and the high result.
  std::uint8_t op_sel = 0, op_sel_hi = 0, neg_lo = 0, neg_hi = 0;

  // DPP.
  std::uint16_t dpp_ctrl = 0;
  std::uint8_t row_mask = 0xf, bank_mask = 0xf;
  bool bound_ctrl = false, fetch_inactive = false;
  std::uint32_t dpp8 = 0;  ///< eight 3-bit lane selectors

  Immediate imm;
  std::uint8_t cbsz = 0, abid = 0, blgp = 0;

  // Memory: address = src[0] (vector) + saddr/base + offset; data in src[1], src[2] or dst.
  std::int32_t offset = 0;  ///< DS: offset0 | offset1 << 8 for the two-address forms
  Operand base;             ///< SMEM sbase, FLAT saddr, MUBUF srsrc
  Operand soffset;          ///< SMEM and MUBUF scalar offset
  bool offen = false, idxen = false, gds = false;
  std::uint8_t cache = 0;  ///< cache policy bits as encoded (glc/slc/dlc, sc0/sc1/nt, th/scope)
  bool returns = false;    ///< an atomic that returns the old value

  // VOPD: of the second instruction.
  Operand dst_y;
  std::array<Operand, 3> src_y{};
};

/// Where SOPP and SOPK branches go.
constexpr std::uint64_t branch_target(const Instruction& in) {
  return in.address + 4 + static_cast<std::uint64_t>(in.imm.distance());
}

/// Loads of 16-bit values, into one half of a register or by pairs. Where registers are
/// error-corrected (SRAM ECC) they write all of it, and zeros where they have no data: CDNA5 ISA,
/// "D16 loads"; LLVM, GCNSubtarget::d16PreservesUnusedBits; Tensile, HasEccHalf.
inline bool is_d16_load(const Instruction& in) {
  return in.row->memory.does == MemoryAccess::Does::Load && in.row->memory.halves();
}

/// What one execution of an instruction amounts to, for counting.
struct Work {
  Pipe pipe = Pipe::Vector;
  Number number = Number::None;    ///< type of the arithmetic
  double operations_per_lane = 0;  ///< floating or matrix operations of an active lane; an FMA is 2
  double operations_per_wave = 0;  ///< matrix instructions: of the whole wave
  std::uint32_t bytes_read = 0;    ///< of an active lane (ScalarMemory: of the wave)
  std::uint32_t bytes_written = 0;  ///< an atomic reads and writes
  Tile tile;
};
Work work_of(const Instruction& instruction);

/// Whether an access of vector memory asks caches not to keep what it brings ("nontemporal": slc,
/// nt, TH_NT).
bool is_streaming(const Instruction& instruction);
/// Whether a load of vector memory sees what other workgroups wrote, past the caches of its compute
/// unit (glc, sc1, SCOPE_DEV or more): of a scope beyond the workgroup (LLVM, AMDGPUUsage, "Memory
/// Model").
bool is_coherent(const Instruction& instruction);
/// Whether it is a load of an atomic of such a scope, or volatile: it keeps its place among the
/// wave's other accesses.
bool is_synchronising(const Instruction& instruction);

}  // namespace hipsight::isa
