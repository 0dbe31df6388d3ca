#pragma once

#include <array>
#include <cstdint>

#include "isa/instruction.h"

namespace hipsight::isa {

/// Registers that an operand of an instruction names, from its first one on.
struct OperandUse {
  Operand operand;
  std::uint8_t registers = 0;
  bool reads = false, writes = false;

  /// Whether both have a register in common.
  bool overlaps(const OperandUse& other) const {
    return operand.where == other.operand.where &&
           operand.index < other.operand.index + other.registers &&
           other.operand.index < operand.index + registers;
  }
};

/// All of an instruction's. Registers that no operand names: Row::reads and Row::writes.
class OperandUses {
 public:
  void add(const Operand& operand, unsigned registers, bool reads, bool writes) {
    const bool is_register = operand.where == Where::Vgpr || operand.where == Where::Agpr ||
                             operand.where == Where::Sgpr;
    if (is_register && registers)
      all_[count_++] = {operand, static_cast<std::uint8_t>(registers), reads, writes};
  }
  const OperandUse* begin() const { return all_.data(); }
  const OperandUse* end() const { return all_.data() + count_; }

 private:
  std::array<OperandUse, 12> all_{};
  std::size_t count_ = 0;
};

/// `lanes` of a wave: 32 or 64. What a write leaves of its register (a half, lanes that are off) is
/// not counted as read (RegisterUses). Registers that M0 says are those that are named.
OperandUses operand_uses(const Instruction& instruction, unsigned lanes);

/// Registers of a matrix instruction's A (0), B (1), and C and result (2).
unsigned matrix_registers(const Instruction& instruction, unsigned operand, unsigned lanes);

}  // namespace hipsight::isa
