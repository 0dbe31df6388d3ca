// The registers that instructions name, read and written, against LLVM's descriptions.
#include "isa/operand_use.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <charconv>
#include <random>
#include <set>
#include <string>

#include "assemble.h"
#include "isa/crash_guard.h"
#include "isa/decode.h"
#include "isa/llvm_target.h"
#include "isa/opcodes.h"

namespace hipsight::test {
namespace {

/// Names as LLVM has them, without halves: "VGPR3", "AGPR3", "SGPR3".
using Names = std::set<std::string>;

std::string text(const Names& names) {
  std::string out;
  for (const std::string& name : names) out += " " + name;
  return out;
}

void add(Names& names, const llvm::MCRegisterInfo& registers, llvm::MCRegister id) {
  if (!id.isValid()) return;
  for (const auto unit : registers.regunits(id))
    for (llvm::MCRegUnitRootIterator root(unit, &registers); root.isValid(); ++root) {
      const std::string_view name = registers.getName(*root);
      if (name.starts_with("VGPR") || name.starts_with("AGPR") ||
          (name.starts_with("SGPR") && !name.starts_with("SGPR_NULL")))
        names.emplace(name.substr(0, name.find('_')));
    }
}

void add(Names& names, const isa::OperandUse& use) {
  const char* file = use.operand.where == isa::Where::Vgpr   ? "VGPR"
                     : use.operand.where == isa::Where::Agpr ? "AGPR"
                                                             : "SGPR";
  for (unsigned i = 0; i < use.registers; ++i)
    names.insert(fmt::format("{}{}", file, use.operand.index + i));
}

/// Scalar registers with other names, and pairs that begin with an odd one, which LLVM reads as if
/// they began before it.
bool is_compared(const isa::OperandUses& uses) {
  constexpr unsigned first_with_a_name = 102;
  for (const isa::OperandUse& use : uses) {
    const unsigned together = use.registers > 2 ? 4 : use.registers;
    if (use.operand.where == isa::Where::Sgpr &&
        (use.operand.index + use.registers > first_with_a_name || use.operand.index % together))
      return false;
  }
  return true;
}

/// What is not as LLVM has it.
bool differs(const isa::Instruction& in) {
  // LLVM has what M0 adds an index to as a source, and the masks of subvector loops as none.
  if (in.row->kind == isa::Kind::Relative || in.row->control == isa::Control::Halves) return true;
  // Returned is the old value alone, but LLVM has the field, with the comparand behind the data.
  const bool one_field = in.format == isa::Format::Mubuf || in.format == isa::Format::Smem;
  if (in.row->memory.operands == 2 && one_field && in.returns) return true;
  // Always an accumulator, whatever else the field would say.
  return in.is(isa::Opcode::V_ACCVGPR_READ_B32);
}

class OperandUse : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Processors, OperandUse, testing::ValuesIn(isa::instruction_sets),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(OperandUse, IsWhatLlvmSays) {
  isa::Decoder decoder(GetParam());
  const isa::LlvmTarget target(GetParam(), decoder.gfx());
  const isa::CrashGuard guard;
  std::mt19937 random(7);
  std::set<std::pair<unsigned, std::string>> wrong;
  isa::for_every_opcode(decoder, 60, random, [&](const isa::Words& words) {
    const auto in = decoder.decode(isa::bytes_of(words), 0);
    llvm::MCInst inst;
    std::uint64_t size = 0;
    if (!in || in->row->kind == isa::Kind::Graphics) return true;
    if (!isa::takes_its_operands(decoder.text(*in))) return true;
    if (!target.decode(isa::bytes_of(words), 0, inst, size)) return true;
    const llvm::MCInstrDesc& description = target.instructions->get(inst.getOpcode());
    Names their_reads, their_writes, reads, writes;
    for (unsigned i = 0;
         i < std::min<unsigned>(inst.getNumOperands(), description.getNumOperands()); ++i) {
      if (!inst.getOperand(i).isReg()) continue;
      const bool tied = description.getOperandConstraint(i, llvm::MCOI::TIED_TO) >= 0;
      if (i < description.getNumDefs())
        add(their_writes, *target.registers, inst.getOperand(i).getReg());
      else if (!tied)
        add(their_reads, *target.registers, inst.getOperand(i).getReg());
    }
    // Some forms of matrix instructions are those of waves of 64 alone.
    const llvm::StringRef form = target.instructions->getName(inst.getOpcode());
    const bool of_32 = isa::is_rdna(decoder.gfx()) && !form.contains("_w64");
    const isa::OperandUses uses = isa::operand_uses(*in, of_32 ? 32 : 64);
    if (!is_compared(uses) || differs(*in)) return true;
    for (const isa::OperandUse& use : uses) {
      if (use.reads) add(reads, use);
      if (use.writes) add(writes, use);
    }
    // LLVM ties results to what they keep, or add to.
    for (Names* names : {&reads, &their_reads})
      std::erase_if(*names, [&](const std::string& name) { return writes.contains(name); });
    const std::string key(in->name());
    if (text(reads) != text(their_reads) || text(writes) != text(their_writes))
      if (wrong.insert({0, key}).second)
        ADD_FAILURE() << decoder.text(*in) << " (" << key << ")\n  reads" << text(reads)
                      << "\n  LLVM " << text(their_reads) << "\n  writes" << text(writes)
                      << "\n  LLVM  " << text(their_writes);
    return true;
  });
}

TEST(OperandUse, OfAMatrixInstructionHasItsScales) {
  const isa::CrashGuard guard;
  const auto in = isa::Decoder("gfx950").decode(
      assemble("gfx950",
               "v_mfma_scale_f32_16x16x128_f8f6f4 v[0:3], v[4:11], v[12:19], v[0:3], v20, v21"),
      0);
  Names reads;
  for (const isa::OperandUse& use : isa::operand_uses(*in, 64))
    if (use.reads) add(reads, use);
  EXPECT_TRUE(reads.contains("VGPR20") && reads.contains("VGPR21")) << text(reads);
}

}  // namespace
}  // namespace hipsight::test
