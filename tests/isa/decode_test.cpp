// Instructions' fields, which we read from the encoding, against LLVM's text of them: over every
// opcode with operands by chance, over the corpus of assembly, and over whole code objects.
#include "isa/decode.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <thread>

#include "assemble.h"
#include "engine/program/program.h"
#include "field_check.h"
#include "isa/crash_guard.h"
#include "isa/opcodes.h"
#include "support/error.h"

namespace hipsight::test {
namespace {

/// LLVM marks what it decodes though no GPU has it.
bool is_legal(std::string_view text) {
  return isa::takes_its_operands(text) && text.find("Invalid") == std::string_view::npos;
}

/// Whether a text says all of an instruction: LLVM ignores bits that an opcode does not use, and
/// rounds register numbers down to legal ones.
bool assembles_to(const char* processor, const std::string& text, std::span<const std::byte> code) {
  try {
    const auto assembled = assemble(processor, text);
    return assembled.size() == code.size() &&
           std::memcmp(assembled.data(), code.data(), code.size()) == 0;
  } catch (const Exception&) {
    return false;
  }
}

class Decode : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Processors, Decode, testing::ValuesIn(isa::instruction_sets),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(Decode, ReadsTheFieldsOfEveryInstruction) {
  isa::Decoder decoder(GetParam());
  const isa::CrashGuard guard;
  std::set<std::string_view> met, agreed;
  int differences = 0;
  std::mt19937 random(2);
  constexpr unsigned tries = 96;
  isa::for_every_opcode(decoder, tries, random, [&](const isa::Words& words) {
    const auto instruction = decoder.decode(isa::bytes_of(words), 0);
    if (!instruction || !engine::host_table().find(instruction->name())) return true;
    const std::string text = decoder.text(*instruction);
    if (!is_legal(text)) return true;
    met.insert(instruction->name());
    const std::string difference = test::difference(*instruction, text);
    if (difference.empty()) {
      agreed.insert(instruction->name());
    } else if (assembles_to(GetParam(), text, isa::bytes_of(words).first(instruction->size)) &&
               ++differences <= 20) {
      ADD_FAILURE() << text << ": " << difference;
    }
    return true;
  });
  EXPECT_EQ(differences, 0);
  for (const std::string_view name : met) EXPECT_TRUE(agreed.contains(name)) << name;
  EXPECT_GT(met.size(), 900u);
}

// --- text that we wrote -------------------------------------------------------------------------

/// The lines of a corpus file for a processor. "#only gfx942 gfx950" begins lines for those alone,
/// "#all" ends them.
std::vector<std::string> corpus(const std::string& file, std::string_view processor) {
  std::ifstream in(std::string(CORPUS) + "/" + file);
  std::vector<std::string> lines;
  bool wanted = true;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("#only")) wanted = line.find(processor) != std::string::npos;
    if (line.starts_with("#all")) wanted = true;
    if (wanted && !line.empty() && line[0] != '#') lines.push_back(line);
  }
  return lines;
}

TEST_P(Decode, ReadsTheFieldsOfTheCorpus) {
  const std::string_view processor = GetParam();
  const std::string file = processor == "gfx1100"   ? "gfx11.s"
                           : processor == "gfx1201" ? "gfx12.s"
                                                    : "gfx9.s";
  const std::vector<std::string> lines = corpus(file, processor);
  EXPECT_GT(lines.size(), 100u);
  isa::Decoder decoder(processor);
  for (const std::string& line : lines) {
    std::vector<std::byte> code;
    ASSERT_NO_THROW(code = assemble(processor, line)) << line;
    const auto instruction = decoder.decode(code, 0);
    ASSERT_TRUE(instruction) << line;
    EXPECT_EQ(instruction->size, code.size()) << line;
    EXPECT_EQ(difference(*instruction, decoder.text(*instruction)), "") << line;
  }
}

// --- malformed words ----------------------------------------------------------------------------

struct Crash {
  std::string processor, expected;
  std::vector<std::byte> bytes;
};
std::vector<Crash> crashes() {
  std::ifstream in(std::string(CORPUS) + "/crashes.txt");
  std::vector<Crash> all;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    Crash crash;
    words >> crash.processor >> crash.expected;
    for (unsigned byte; words >> std::hex >> byte;)
      crash.bytes.push_back(static_cast<std::byte>(byte));
    all.push_back(crash);
  }
  return all;
}

void decode_crashes() {
  for (const Crash& crash : crashes()) {
    isa::Decoder decoder(crash.processor);
    const auto instruction = decoder.decode(crash.bytes, 0);
    EXPECT_EQ(instruction ? std::string(instruction->name()) : "nothing", crash.expected);
    if (instruction) EXPECT_NE(decoder.text(*instruction), "");
  }
}

TEST(Decoder, SurvivesWhatCrashesLlvm) {
  ASSERT_FALSE(crashes().empty());
  decode_crashes();
}

TEST(Decoder, SurvivesWhatCrashesLlvmOnSeveralThreads) {
  std::vector<std::jthread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([] {
      for (int n = 0; n < 50; ++n) decode_crashes();
    });
}

TEST(Decoder, TakesCodeThatEndsInTheMiddle) {
  const auto code = assemble("gfx942", "v_fma_f32 v0, v1, v2, v3");
  isa::Decoder decoder("gfx942");
  for (std::size_t size = 0; size < code.size(); ++size)
    EXPECT_FALSE(decoder.decode(std::span(code).first(size), 0)) << size;
}

}  // namespace
}  // namespace hipsight::test
