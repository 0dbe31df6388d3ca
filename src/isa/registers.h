#pragma once

#include <bitset>
#include <cstdint>
#include <memory>
#include <string_view>

#include "isa/instruction.h"

namespace hipsight::isa {

/// A set of VGPRs and AGPRs. It knows their halves, since 16-bit instructions write one and keep
/// the other; whoever counts registers counts those with any half in the set.
class VectorRegisters {
 public:
  static constexpr unsigned per_file = 256;  ///< VGPRs that an instruction can name, and AGPRs
  enum class File : std::uint8_t { Vgpr, Agpr };
  enum class Half : std::uint8_t { Low, High };

  /// The place of a half, from 0: of VGPR 0's low half, its high half, VGPR 1's low half, ...
  static constexpr unsigned place(File file, unsigned index, Half half) {
    return (file == File::Agpr ? 2 * per_file : 0) + 2 * index + (half == Half::High);
  }
  /// One half of each register.
  static const VectorRegisters& all(Half half);

  void add(unsigned place) { halves_.set(place); }
  void add(File file, unsigned index) {
    add(place(file, index, Half::Low)), add(place(file, index, Half::High));
  }
  VectorRegisters& operator|=(const VectorRegisters& other) {
    halves_ |= other.halves_;
    return *this;
  }
  VectorRegisters& operator&=(const VectorRegisters& other) {
    halves_ &= other.halves_;
    return *this;
  }
  VectorRegisters& operator-=(const VectorRegisters& other) {
    halves_ &= ~other.halves_;
    return *this;
  }
  bool operator==(const VectorRegisters&) const = default;

  bool has(unsigned place) const { return halves_[place]; }
  bool has(File file, unsigned index) const {  ///< any half of it
    return has(place(file, index, Half::Low)) || has(place(file, index, Half::High));
  }
  bool empty() const { return halves_.none(); }
  unsigned vgprs() const { return count(File::Vgpr); }
  unsigned agprs() const { return count(File::Agpr); }

 private:
  unsigned count(File file) const;

  std::bitset<4 * std::size_t{per_file}> halves_;
};

/// What an instruction does to vector registers, and to the lanes that those after it run on.
struct RegisterUse {
  /// Registers whose value the result or an effect may depend on: sources, and what a write leaves
  /// of its destination.
  VectorRegisters reads;
  /// What it gives a new value, and does so for certain. A write of some lanes (v_writelane_b32,
  /// DPP with lanes left out) reads the register, too; one that keeps a half writes the other half
  /// alone.
  VectorRegisters writes;
  /// What it may give one, `writes` among it: differs for registers by index.
  VectorRegisters may_write;
  bool writes_exec = false;
  /// Lanes that were on may be off after it, as at the begin of an "if" or an "else".
  bool narrows_exec = false;
};

/// Reads off LLVM's descriptions of instructions which vector registers they use: the operands,
/// which of them are results, which result keeps what was there (tied operands), and registers that
/// the text does not name. What LLVM leaves out comes from the encoding: SDWA and op_sel results
/// that keep a part, d16 loads, DPP. One RegisterUses serves one thread at a time.
class RegisterUses {
 public:
  /// `sram_ecc`: 16-bit loads write the whole register (code::Target::has_sram_ecc).
  explicit RegisterUses(std::string_view processor, bool sram_ecc = false);
  ~RegisterUses();

  /// Of v_movrel: as if the index could be any. Other indexed access (s_set_gpr_idx_on) is what the
  /// instruction says without the index; `indexed` of the result puts that right.
  RegisterUse of(const Instruction& instruction) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
  bool sram_ecc_;
};

/// The use with an index on its sources, its results, or both: any VGPR from the first that is
/// named on may be read or written, and nothing is known to be overwritten.
RegisterUse indexed(RegisterUse use, bool sources, bool results);

}  // namespace hipsight::isa
