// The instructions that stock programs use most have code in the engine.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <fstream>
#include <map>
#include <vector>

#include "assembly_text.h"
#include "engine/program.h"
#include "isa/crash_guard.h"
#include "isa/decode.h"
#include "machine_words.h"

namespace hipsight::test {
namespace {

/// Whether an instruction becomes code that is not an error.
bool is_executable(const isa::Instruction& instruction, bool rdna) {
  const engine::Table& table = engine::host_table();
  const engine::LoweringContext context{
      table, instruction.gfx, {.lanes = rdna ? 32u : 64u, .vgprs = 256, .agprs = 256}};
  isa::Instruction copy = instruction;
  engine::ConstantPool constants(context.file.lanes);
  std::deque<isa::Instruction> extra;
  std::vector<engine::Op> ops;
  engine::lower(copy, context, constants, extra, ops);
  const engine::Code* unknown = table.find("unknown");
  return std::ranges::none_of(
      ops, [&](const engine::Op& op) { return op.run == unknown->run(context.file.lanes, false); });
}

/// By mnemonic without suffixes of encoding: the names of what it may be, and whether any sample
/// of that is executable.
using Coverage = std::map<std::string, std::map<std::string_view, bool>>;

std::string without_encoding(std::string mnemonic) {
  for (const std::string_view suffix : {"_e64_dpp", "_e32", "_e64", "_dpp", "_sdwa"})
    if (mnemonic.ends_with(suffix)) return mnemonic.substr(0, mnemonic.size() - suffix.size());
  return mnemonic;
}

Coverage coverage(const char* processor) {
  isa::Decoder decoder(processor);
  const isa::CrashGuard guard;
  const bool rdna = isa::is_rdna(decoder.gfx());
  Coverage result;
  std::mt19937 random(3);
  constexpr unsigned tries = 60;
  for_every_opcode(processor, tries, random, [&](const Words& words) {
    const auto instruction = decoder.decode(bytes_of(words), 0);
    if (!instruction) return;
    const std::string text = decoder.text(*instruction);
    if (text.find("/*") != std::string::npos) return;
    const bool executable = is_executable(*instruction, rdna);
    const auto halves = read_text(text, decoder.gfx());
    result[without_encoding(halves[0].mnemonic)][instruction->name] |= executable;
    if (halves.size() > 1) result[halves[1].mnemonic][instruction->name_y] |= executable;
  });
  return result;
}

struct List {
  const char *processor, *file;
};
class InstructionCoverage : public testing::TestWithParam<List> {};
INSTANTIATE_TEST_SUITE_P(Processors, InstructionCoverage,
                         testing::Values(List{"gfx90a", "gfx90a"}, List{"gfx942", "gfx942"},
                                         List{"gfx950", "gfx942"}, List{"gfx1100", "gfx1100"},
                                         List{"gfx1201", "gfx1201"}),
                         [](const auto& info) { return std::string(info.param.processor); });

TEST_P(InstructionCoverage, OfTheMostFrequentInstructions) {
  const Coverage all = coverage(GetParam().processor);
  std::ifstream in(std::string(DATA) + "/common_instructions_" + GetParam().file + ".txt");
  std::size_t count = 0;
  for (std::string mnemonic; std::getline(in, mnemonic);) {
    if (mnemonic.empty() || mnemonic[0] == '#') continue;
    ++count;
    const auto names = all.find(mnemonic);
    if (names == all.end()) {
      ADD_FAILURE() << mnemonic << " is no instruction";
      continue;
    }
    for (const auto& [name, executable] : names->second)
      EXPECT_TRUE(executable) << mnemonic << " (" << name << ")";
  }
  EXPECT_EQ(count, 150u);
}

}  // namespace
}  // namespace hipsight::test
