#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace hipsight::isa {

struct Shape;

/// The opcodes that hipsight knows, by the names that it gives them (isa/decode.h): rows/ has a row
/// for each.
enum class Opcode : std::uint16_t {
#define ROW(NAME, ...) NAME,
#include "isa/rows/all.def"
#undef ROW
};

/// What sort of instruction it is: whose code runs it, and what the rest of its row says.
enum class Kind : std::uint8_t {
  None,         ///< no instruction: words that are none, and marks of the engine
  Entry,        ///< computes what its entry says (isa/entry.h)
  Control,      ///< goes elsewhere, waits, or is a hint
  Hardware,     ///< reads or sets the wave's or the hardware's state: MODE, clocks, messages
  ExecMask,     ///< S_*_SAVEEXEC, S_*_WREXEC: EXEC and a register, by Row::logic
  Memory,       ///< Row::memory
  Cache,        ///< writes back, invalidates or fills caches
  Semaphore,    ///< GWS
  LaneAccess,   ///< a lane of a vector register from or to a scalar one
  Permute,      ///< words go from lane to lane, as a register says, by way of LDS's crossbar
  PermuteRows,  ///< within rows of lanes, as scalars or a register say
  Swap,         ///< exchanges registers, or rows of them
  Relative,     ///< registers that M0 says
  Convert,      ///< conversions of 32 values
  Matrix,
  Sad,       ///< V_MQSAD_U32_U8
  Graphics,  ///< no part of compute: not executed
};

/// The unit that executes an instruction; timing gives it cycles per GPU.
enum class Pipe : std::uint8_t {
  Scalar,
  ScalarMemory,
  Vector,
  Transcendental,
  Matrix,
  Lds,
  Global,
  Scratch,
  Flat,
  Branch,
  Wait,
};
std::string_view text(Pipe pipe);

enum class Number : std::uint8_t { None, F64, F32, F16, BF16, F8, F6, F4, I32, I16, I8, I4, XF32 };
std::string_view text(Number number);

/// Where control goes, and what a wave waits for.
enum class Control : std::uint8_t {
  None,
  Branch,         ///< where Row::condition holds
  Halves,         ///< S_SUBVECTOR_LOOP_*: changes EXEC, and may branch
  Fork,           ///< lanes go two ways in turn
  Join,           ///< back to lanes that wait
  Jump,           ///< to an address in a register
  Call,           ///< and back to where the result says
  Return,         ///< from a trap handler
  SkipVectors,    ///< S_SETVSKIP: what follows means something else
  Trap,           ///< to the trap handler
  End,            ///< of the wave
  Barrier,        ///< the workgroup's: signals, and waits for the others
  BarrierSignal,  ///< one of GFX12's barriers, as the others are
  BarrierWait,
  BarrierOther,  ///< joins, leaves, asks
  Wait,          ///< for counters, or a while
  Hint,          ///< nothing that programs see
  OtherWaves,    ///< the engine's: waits for the workgroup's others
};

enum class Condition : std::uint8_t {
  Always,
  Scc0,
  Scc1,
  VccZero,
  VccNotZero,
  ExecZero,
  ExecNotZero,
  Debugger,  ///< never here
};

/// What the constant field of SOPK, SOPP and MTBUF is (Immediate).
enum class Field : std::uint8_t { None, Number, Target, HardwareRegister, Counters, Format };

/// Registers that an instruction uses and names by no operand.
struct Implied {
  bool scc = false, vcc = false, exec = false, m0 = false;
  bool operator==(const Implied&) const = default;
};

/// Logic on masks of lanes.
enum class Logic : std::uint8_t {
  None,
  Move,
  Not,
  And,
  Or,
  Xor,
  Nand,
  Nor,
  Xnor,
  AndNot1,  ///< the second operand, without the first (S_ANDN1: ~S0 & EXEC)
  AndNot2,  ///< the first, without the second
  OrNot1,
  OrNot2,
  Select,
};

/// An access to memory.
struct MemoryAccess {
  enum class Space : std::uint8_t { None, Scalar, Lds, Global, Scratch, Flat };
  enum class Does : std::uint8_t { Nothing, Load, Store, Atomic };
  /// How data lies in registers.
  enum class Layout : std::uint8_t {
    Plain,         ///< as it lies in memory, a part of a dword extended to one
    Low,           ///< 16 bits in a register's low half; the other half keeps (D16)
    High,          ///< in its high half
    Formatted,     ///< components of a buffer's format, a register each
    FormattedLow,  ///< and half a register each
    FormattedHigh,
    Block,       ///< so many registers as M0 has bits
    Transposed,  ///< lanes exchange rows of a tile
    ToLds,       ///< from memory to LDS, past the registers
    FromLds,
  };
  enum class Address : std::uint8_t {
    Register,    ///< a lane's register, or a scalar base, or both
    Descriptor,  ///< a buffer's
    Lane,        ///< a scalar base, and four times the lane's number
    Wave,        ///< M0
  };
  Space space = Space::None;
  Does does = Does::Nothing;
  Layout layout = Layout::Plain;
  std::uint8_t bytes = 0;     ///< of each access of a lane; of the wave, where scalar
  std::uint8_t accesses = 1;  ///< two: DS_READ2
  std::uint8_t apart = 0;     ///< of two, what offsets count: so many times an access's bytes
  std::uint8_t operands = 1;  ///< of an atomic: two with a comparand or a mask
  Address address = Address::Register;
  bool returns = false;  ///< an atomic of LDS; of others Instruction::returns

  bool loads() const { return does == Does::Load || does == Does::Atomic; }
  bool stores() const { return does == Does::Store || does == Does::Atomic; }
  bool atomic() const { return does == Does::Atomic; }
  bool high() const { return layout == Layout::High; }
  bool in_lds() const { return space == Space::Lds; }
  unsigned all_bytes() const { return unsigned{bytes} * accesses; }
  unsigned dwords() const { return (bytes + 3u) / 4; }         ///< registers of one access
  unsigned all_dwords() const { return dwords() * accesses; }  ///< of all
  /// Bytes that one of the offsets of two counts.
  unsigned offset_unit() const { return unsigned{apart} * bytes; }
  bool formatted() const { return layout >= Layout::Formatted && layout <= Layout::FormattedHigh; }
  bool with_lds() const { return layout == Layout::ToLds || layout == Layout::FromLds; }
  /// Of 16-bit values, into halves of registers.
  bool halves() const {
    return layout == Layout::Low || layout == Layout::High || layout == Layout::FormattedLow ||
           layout == Layout::FormattedHigh;
  }
};

/// Matrix instructions: M x N x K, and how many of them at once.
struct Tile {
  unsigned m = 0, n = 0, k = 0, blocks = 0;
};

/// Registers of operands that an entry or an access does not tell.
struct Registers {
  std::uint8_t result = 0;
  std::array<std::uint8_t, 3> source{};
  bool keeps = false;      ///< what is not written of the result stays as it was
  bool is_source = false;  ///< the result's field names what is read
  bool swaps = false;      ///< source 0 is written, too
};

/// What is known of an opcode before its operands are.
struct Row {
  std::string_view name;
  Opcode opcode{};
  Kind kind = Kind::None;
  Pipe pipe = Pipe::Vector;
  Control control = Control::None;
  Condition condition = Condition::Always;
  Field field = Field::None;
  Logic logic = Logic::None;
  std::uint8_t width = 0;  ///< bits of Row::logic's operands
  Implied reads, writes;
  MemoryAccess memory;
  Registers registers;

  Number number = Number::None;    ///< of the arithmetic
  Number result = Number::None;    ///< matrix instructions: of C and the result
  double operations_per_lane = 0;  ///< floating operations of an active lane; an FMA is two
  double operations_per_wave = 0;  ///< of a scalar instruction, and of a matrix instruction's tile
  Tile tile;

  // What lowering asks for.
  bool saves_exec = false;       ///< S_*_SAVEEXEC: the result is EXEC as it was
  bool small_floats = false;     ///< FP8 or BF8, whose formats differ by GPU
  bool mixed = false;            ///< V_*_MIX: sources are f32 or f16 each
  std::uint8_t products = 0;     ///< of a dot product; of two, each generation rounds its own way
  bool clears_half = false;      ///< a 16-bit result that clears the other half, on GFX9
  bool adds_floats = false;      ///< atomics
  bool sparse = false;           ///< matrix instructions: half of A's elements along k are there
  bool sums_exactly = false;     ///< has a meaning with the hardware's sums (docs/matrix.md)
  bool formats_vary = false;     ///< CBSZ and BLGP name the formats
  bool with_scales = false;      ///< begins with V_MFMA_LD_SCALE_B32
  const Shape* shape = nullptr;  ///< of its entry

  constexpr bool is_instruction() const {
    return opcode != Opcode::NONE && opcode != Opcode::END_OF_FUNCTION &&
           opcode != Opcode::WAIT_FOR_WAVES;
  }
  /// Branches, to where Instruction::imm says.
  constexpr bool has_target() const { return field == Field::Target && control != Control::Call; }
  constexpr bool is_barrier() const {
    return control >= Control::Barrier && control <= Control::BarrierOther;
  }
  constexpr bool branches_on_scc() const {
    return control == Control::Branch &&
           (condition == Condition::Scc0 || condition == Condition::Scc1);
  }
  /// Whether what comes behind it is reached from it.
  constexpr bool ends_path() const {
    return (control == Control::Branch && condition == Condition::Always) ||
           control == Control::Jump || control == Control::Return || control == Control::End;
  }
};

const Row& row_of(Opcode opcode);
/// By name. Where that is none of ours: a row of Opcode::OTHER, with that name.
const Row& row_of(std::string_view name);
std::span<const Row> rows();

}  // namespace hipsight::isa
