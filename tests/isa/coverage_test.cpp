// The instructions that stock programs use most have code in the engine.
#include "engine/coverage.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>

namespace hipsight::test {
namespace {

/// By mnemonic without suffixes of encoding: the names of what it may be, and whether any form of
/// that is executable.
using Coverage = std::map<std::string, std::map<std::string, bool>>;

std::string without_encoding(std::string mnemonic) {
  for (const std::string_view suffix : {"_e64_dpp", "_e32", "_e64", "_dpp", "_sdwa"})
    if (mnemonic.ends_with(suffix)) return mnemonic.substr(0, mnemonic.size() - suffix.size());
  return mnemonic;
}

Coverage coverage(const char* processor) {
  Coverage result;
  for (const engine::Opcode& opcode : engine::opcodes(processor))
    result[without_encoding(opcode.mnemonic)][opcode.name] |= opcode.implemented;
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

// data/coverage.txt holds what `hipsight isa --coverage` gave: it may rise, and is then to be
// written again, but never fall.
TEST(Coverage, DoesNotDrop) {
  std::ifstream in(std::string(DATA) + "/coverage.txt");
  std::size_t rows = 0;
  std::string processor;
  for (std::ptrdiff_t implemented = 0, total = 0; in >> processor >> implemented >> total; ++rows) {
    const auto opcodes = engine::opcodes(processor);
    EXPECT_EQ(static_cast<std::ptrdiff_t>(opcodes.size()), total) << processor;
    EXPECT_EQ(std::ranges::count_if(opcodes, &engine::Opcode::implemented), implemented)
        << processor;
  }
  EXPECT_EQ(rows, 6u);
}

}  // namespace
}  // namespace hipsight::test
