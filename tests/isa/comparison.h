#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "assembly_text.h"
#include "isa/instruction.h"
#include "isa/types.h"

namespace hipsight::test {

/// Compares one instruction's operands, in the order of its text, and its modifiers; what of the
/// text nobody asked for is a difference too.
class Comparison {
 public:
  /// `short_form`: bit 7 of a 16-bit operand's register number is its half.
  Comparison(const InstructionText& text, bool short_form);

  /// The next operand of the text; `count` is its registers, 0 if we cannot tell. Where a text
  /// names halves of registers, it must do so for the operands of 16-bit types.
  void operand(const isa::Operand& ours, unsigned count, isa::Type type = isa::Type::None);
  /// The next operand is an integer of so many bits.
  void integer(std::int64_t ours, unsigned bits = 64);
  /// The next operand is not compared.
  void skip_operand() { ++at_; }
  void skip_rest();
  std::size_t operands_left() const { return text_.operands.size() - at_; }
  const OperandText* next() const { return operands_left() ? &text_.operands[at_] : nullptr; }

  /// Whether operands say .l or .h, and nothing says op_sel.
  bool only_halves() const;

  void flag(const std::string& name, bool ours);
  /// `fallback` is what the absence of a modifier means.
  void number(const std::string& name, std::int64_t ours, std::int64_t fallback = 0);
  void word(const std::string& name, const std::string& ours, const std::string& fallback = "");
  /// How many bits a modifier has that is written as [0,1,...]; 0 when it is not there.
  unsigned length(const std::string& name) const;
  /// `count` such bits.
  void bits(const std::string& name, unsigned ours, unsigned count, unsigned fallback = 0);
  /// The text of a modifier that is compared elsewhere; "" when it is not there.
  std::string modifier(const std::string& name);

  void problem(const std::string& what);
  /// All that was different.
  std::string finish();

 private:
  const InstructionText& text_;
  const bool short_form_;
  const bool has_halves_;
  std::size_t at_ = 0;
  std::set<std::string> compared_;
  std::string problems_;
};

}  // namespace hipsight::test
