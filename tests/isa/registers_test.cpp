// The vector registers that instructions use, from LLVM's descriptions, against the text that
// LLVM's printer writes: every register there is read or written, and no other.
#include "isa/registers.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <optional>
#include <random>

#include "assemble.h"
#include "assembly_text.h"
#include "isa/crash_guard.h"
#include "isa/decode.h"
#include "isa/opcodes.h"
#include "support/error.h"

namespace hipsight::test {
namespace {

using isa::VectorRegisters;
using File = VectorRegisters::File;

std::string names(const std::vector<bool>& registers) {
  std::string out;
  for (std::size_t i = 0; i < registers.size(); ++i)
    if (registers[i])
      out += fmt::format(" {}{}", i < VectorRegisters::per_file ? 'v' : 'a',
                         i % VectorRegisters::per_file);
  return out;
}

/// None where LLVM prints registers that no wave has.
std::optional<std::vector<bool>> named(const std::vector<InstructionText>& texts) {
  std::vector<bool> registers(2 * std::size_t{VectorRegisters::per_file});
  for (const InstructionText& text : texts)
    for (const OperandText& operand : text.operands) {
      if (operand.kind != 'v' && operand.kind != 'a') continue;
      if (operand.index + operand.count > VectorRegisters::per_file) return std::nullopt;
      for (unsigned i = 0; i < std::max(operand.count, 1u); ++i)
        registers.at((operand.kind == 'a' ? VectorRegisters::per_file : 0) + operand.index + i) =
            true;
    }
  return registers;
}

std::vector<bool> used(const isa::RegisterUse& use) {
  std::vector<bool> registers;
  for (const File file : {File::Vgpr, File::Agpr})
    for (unsigned i = 0; i < VectorRegisters::per_file; ++i)
      registers.push_back(use.reads.has(file, i) || use.may_write.has(file, i));
  return registers;
}

class Registers : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Processors, Registers, testing::ValuesIn(isa::instruction_sets),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(Registers, AreThoseOfTheText) {
  isa::Decoder decoder(GetParam());
  const isa::RegisterUses uses(GetParam());
  const isa::CrashGuard guard;
  std::mt19937 random(3);
  std::size_t compared = 0;
  int differences = 0;
  isa::for_every_opcode(decoder, 8, random, [&](const isa::Words& words) {
    const auto in = decoder.decode(isa::bytes_of(words), 0);
    // Registers by index are any from the named one on.
    if (!in || has(in->name(), "REL")) return true;
    const std::string text = decoder.text(*in);
    for (const char* part : {"/*", "Invalid", "malformed"})
      if (has(text, part)) return true;
    std::vector<InstructionText> texts;
    try {
      texts = read_text(text, decoder.gfx());
    } catch (const Exception&) {
      return true;
    }
    const auto registers = named(texts);
    if (!registers) return true;
    const std::string expected = names(*registers), found = names(used(uses.of(*in)));
    ++compared;
    if (expected != found && ++differences <= 20)
      ADD_FAILURE() << text << ": uses" << found << ", names" << expected;
    return true;
  });
  EXPECT_EQ(differences, 0);
  EXPECT_GT(compared, 5000u);
}

/// Of an instruction that names v1 and v2: which halves of v1 it reads and writes.
std::string halves_of_v1(const isa::RegisterUses& uses, const char* text) {
  const isa::CrashGuard guard;
  const auto in = isa::Decoder("gfx942").decode(assemble("gfx942", text), 0);
  const isa::RegisterUse use = uses.of(*in);
  std::string out;
  for (const auto& [set, what] : {std::pair(&use.reads, "reads"), {&use.writes, "writes"}})
    for (const auto half : {VectorRegisters::Half::Low, VectorRegisters::Half::High})
      if (set->has(VectorRegisters::place(File::Vgpr, 1, half)))
        out += fmt::format(" {} {}", what, half == VectorRegisters::Half::Low ? "low" : "high");
  return out;
}

TEST(RegistersWithEcc, AreWrittenWholeBy16BitLoads) {
  const isa::RegisterUses with("gfx942", true), without("gfx942", false);
  for (const char* low : {"global_load_short_d16 v1, v2, s[0:1]", "ds_read_u16_d16 v1, v2",
                          "buffer_load_ubyte_d16 v1, v2, s[0:3], 0 offen"}) {
    EXPECT_EQ(halves_of_v1(with, low), " writes low writes high") << low;
    EXPECT_EQ(halves_of_v1(without, low), " writes low") << low;
  }
  for (const char* high : {"flat_load_sbyte_d16_hi v1, v[2:3]", "ds_read_u8_d16_hi v1, v2",
                           "scratch_load_short_d16_hi v1, v2, off"}) {
    EXPECT_EQ(halves_of_v1(with, high), " writes low writes high") << high;
    EXPECT_EQ(halves_of_v1(without, high), " writes high") << high;
  }
  EXPECT_EQ(halves_of_v1(with, "global_store_short_d16_hi v2, v1, s[0:1]"),
            " reads low reads high");
}

}  // namespace
}  // namespace hipsight::test
