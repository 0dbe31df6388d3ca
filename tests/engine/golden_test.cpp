// What the translator makes of small kernels, by kinds of host instructions, as files in golden/
// say it: a change in code generation shows in them. For a Haswell, whatever this host is.
//   HIPSIGHT_GOLDEN=renew    writes the files anew (./dev golden)

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <regex>
#include <sstream>

#include "engine/host.h"
#include "kernels.h"

namespace hipsight::engine {
namespace {

namespace fs = std::filesystem;

const std::vector<std::pair<const char*, const char*>>& kinds() {
  // The first pattern that an instruction begins with, in AT&T syntax; what is left is scalar.
  static const std::vector<std::pair<const char*, const char*>> all{
      {"gather", "vp?gather"},
      {"fma", "vfn?m(add|sub)"},
      {"float", "v(add|sub|mul|div|sqrt|min|max|round|rcp|rsqrt|cvt|u?comi)"},
      {"select and compare", "v(p?blend|p?cmp|p?test|p?movmsk|p?and|p?or|p?xor)"},
      {"shuffle",
       "v(p?perm|p?shuf|p?unpck|p?insert|p?extract|p?broadcast|palignr|pack|pmovzx|pmovsx)"},
      {"integer", "vp"},
      {"move", "v(mov|lddqu)"},
      {"vector, other", "v"},
      {"branch", "(j|call|ret)"},
  };
  return all;
}

std::string run(const std::string& command) {
  FILE* pipe = popen(command.c_str(), "r");
  std::string text;
  char buffer[4096];
  while (const std::size_t size = std::fread(buffer, 1, sizeof buffer, pipe))
    text.append(buffer, size);
  EXPECT_EQ(pclose(pipe), 0) << command;
  return text;
}

/// Counts the instructions of functions into kinds.
void count(const std::string& listing, std::map<std::string, unsigned>& counts) {
  static const std::regex line_of_code("^ *[0-9a-f]+:\\s+(\\S+)\\s*(.*)$");
  std::istringstream lines(listing);
  for (std::string line; std::getline(lines, line);) {
    std::smatch parts;
    if (line.ends_with(">:")) ++counts["functions"];
    if (!std::regex_match(line, parts, line_of_code)) continue;
    const std::string name = parts[1], operands = parts[2];
    if (name.starts_with("nop")) continue;  // what aligns loops
    std::string kind = "scalar";
    for (const auto& [candidate, pattern] : kinds())
      if (std::regex_search(name, std::regex(std::string("^") + pattern))) {
        kind = candidate;
        break;
      }
    // Where a vector lies in memory: spilled, or loaded or stored. The last operand is written.
    if (name.starts_with("v") && operands.find('(') != std::string::npos && kind != "gather") {
      const bool stack =
          operands.find("%rsp") != std::string::npos || operands.find("%rbp") != std::string::npos;
      ++counts[std::string(operands.ends_with(")") ? "  stores" : "  loads") +
               (stack ? ", stack" : "")];
      if (kind == "move") kind = "move, memory";
    }
    ++counts[kind];
    ++counts["all"];
  }
}

struct Case {
  const char* kernel;
  Where where;
  const char* target;
};

class GoldenTest : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    folder = fs::temp_directory_path() / ("hipsight-golden-" + std::to_string(getpid()));
    fs::remove_all(folder);
  }
  void TearDown() override { fs::remove_all(folder); }

  /// Has the kernel translated, in a process of its own, which leaves the code in the folder.
  void translate() const {
    const pid_t child = fork();
    if (child == 0) {
      set_host({.isa = "avx2", .cpu = "haswell", .cache = folder});
      bool good = false;
      try {
        Kernels kernels(GetParam().where, {.threads = 1, .tier = Tier::Translate});
        auto* in = kernels.array(4096);
        auto* out = kernels.array(4096);
        for (std::uint32_t i = 0; i < 4096; ++i) in[i] = 0x3f000000 + i * 1021 % 4096;
        // Waves with every lane on, and others. In two workgroups, as the first may be watched, in
        // code of another form.
        for (const std::uint32_t items : {256u, 250u})
          kernels.run(GetParam().kernel, items, {out, in}, 2);
        good = !HasFailure();
      } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
      }
      _exit(good ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_EQ(status, 0);
  }

  std::string counts_of_code() const {
    std::map<std::string, unsigned> counts;
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (entry.path().extension() != ".code") continue;
      // An ELF object, behind the cache's own header.
      std::ifstream in(entry.path(), std::ios::binary);
      const std::string file((std::istreambuf_iterator<char>(in)), {});
      const std::size_t begin = file.find("\177ELF");
      if (begin == std::string::npos) {
        ADD_FAILURE() << entry.path() << " is no object file";
        continue;
      }
      const fs::path object = folder / "object.o";
      std::ofstream(object, std::ios::binary) << file.substr(begin);
      count(run(HIPSIGHT_OBJDUMP " -d --no-show-raw-insn --no-leading-headers " + object.string()),
            counts);
    }
    std::ostringstream text;
    text << "functions " << counts["functions"] << "\ninstructions " << counts["all"] << '\n';
    counts.erase("functions");
    counts.erase("all");
    for (const auto& [kind, number] : counts)
      if (!kind.starts_with("  ")) text << kind << ' ' << number << '\n';
    text << "of vectors in memory\n";
    for (const auto& [kind, number] : counts)
      if (kind.starts_with("  ")) text << kind << ' ' << number << '\n';
    return text.str();
  }

  fs::path folder;
};

TEST_P(GoldenTest, CountsAreThoseOfTheFile) {
  if (!__builtin_cpu_supports("x86-64-v3")) GTEST_SKIP() << "this host cannot translate";
  translate();
  const std::string counts = counts_of_code();
  EXPECT_THAT(counts, testing::Not(testing::HasSubstr("functions 0\n")));
  const fs::path file = fs::path(HIPSIGHT_GOLDEN_FILES) /
                        (std::string(GetParam().kernel) + "." + GetParam().target + ".txt");
  const char* how = std::getenv("HIPSIGHT_GOLDEN");
  if (how && std::string(how) == "renew") {
    std::ofstream(file) << counts;
    return;
  }
  std::ifstream in(file);
  const std::string expected((std::istreambuf_iterator<char>(in)), {});
  EXPECT_EQ(counts, expected) << "if this is meant: ./dev golden";
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const char* kernel : {"stream", "product", "escape", "hash", "halves", "look_up", "count"}) {
    all.push_back({kernel, {"mi300x", HIPSIGHT_GOLDEN_gfx942}, "gfx942"});
    all.push_back({kernel, {"rx7900xtx", HIPSIGHT_GOLDEN_gfx1100}, "gfx1100"});
  }
  return all;
}
INSTANTIATE_TEST_SUITE_P(Kernels, GoldenTest, testing::ValuesIn(cases()), [](const auto& p) {
  return std::string(p.param.kernel) + "_" + p.param.target;
});

}  // namespace
}  // namespace hipsight::engine
