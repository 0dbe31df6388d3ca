// Device code that cannot run: for another GPU, cut short, damaged, or with words that hipsight
// does not know.
#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "run.h"

namespace programs {
namespace {

namespace fs = std::filesystem;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::StartsWith;

// --- words in the code

struct Word {
  std::string name, marker, what;
};

std::ostream& operator<<(std::ostream& out, const Word& word) {
  return out << word.name;
}

class Words : public testing::TestWithParam<std::tuple<std::string, Word>> {};

TEST_P(Words, ThatAreJumpedOverDoNoHarm) {
  const auto& [gpu, word] = GetParam();
  const Outcome outcome =
      hipsight_run({"--gpu", gpu, "--no-report"}, {"odd_words", word.name, "skipped"});
  EXPECT_EQ(outcome.out, "wait: hipSuccess\nafter it: hipSuccess\nout: 42\n") << describe(outcome);
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(outcome.status, 0);
}

TEST_P(Words, ThatAreReachedAreReported) {
  const auto& [gpu, word] = GetParam();
  const Outcome outcome = hipsight_run({"--gpu", gpu}, {"odd_words", word.name, "reached"});
  const std::string all = describe(outcome);
  EXPECT_EQ(outcome.out, "wait: hipErrorLaunchFailure\nafter it: hipErrorLaunchFailure\nout: 0\n");
  EXPECT_EQ(outcome.status, 86) << all;
  EXPECT_THAT(outcome.err, MatchesRegex(word.what + "(.|\n)*")) << all;
  EXPECT_THAT(outcome.err, HasSubstr("\n  kernel      " + word.name + "(int*, int)\n")) << all;
  EXPECT_THAT(outcome.err, MatchesRegex("(.|\n)*\n  address     0x[0-9a-f]+ in .*/odd_words\n"
                                        "(.|\n)*"));
  EXPECT_THAT(outcome.err,
              HasSubstr("\n  source      " + source_of("odd_words", "// " + word.marker) + "\n"))
      << all;
  EXPECT_THAT(outcome.err, HasSubstr("\n1 launch failed:\n  " + word.name +
                                     "(int*, int): unknown instruction\n"));
}

std::vector<std::tuple<std::string, Word>> words() {
  const std::string nonsense = "hipsight: no instruction of ";
  const std::string foreign = "hipsight: hipsight does not implement this instruction of ";
  return {
      {"mi210", {"nonsense", "nonsense word", nonsense + "gfx90a: ffffffff\n"}},
      {"mi300x", {"nonsense", "nonsense word", nonsense + "gfx942: ffffffff\n"}},
      {"rx7900xtx", {"nonsense", "nonsense word", nonsense + "gfx1100: ffffffff\n"}},
      {"mi210", {"crashing", "crash", nonsense + "gfx90a: d038a28c\n"}},
      {"mi300x",
       {"foreign", "return from exception",
        foreign + "gfx942\n(.|\n)*\n  instruction s_rfe_b64 s\\[0:1\\]\n"
                  "(.|\n)*\n  words       be801f00\n"}},
      {"rx7900xtx",
       {"foreign", "image", foreign + "gfx1100\n(.|\n)*\n  instruction image_load v0, .*\n"}},
  };
}

INSTANTIATE_TEST_SUITE_P(Gpu, Words, testing::ValuesIn(words()), [](const auto& info) {
  return std::get<0>(info.param) + ("_" + std::get<1>(info.param).name);
});

// --- no fitting code

// A program that does not look at errors; no code at all is no success.
TEST(OtherTarget, IsNamedBesideTheOneThatWasWanted) {
  const Outcome outcome = hipsight_run({}, {"endless_gfx1030", "flag"});
  EXPECT_THAT(outcome.out, StartsWith("before\n"));
  EXPECT_THAT(outcome.out, testing::EndsWith("\nafter\n"));
  EXPECT_THAT(outcome.err, MatchesRegex("hipsight: .*/endless_gfx1030: no code for "
                                        "gfx942:sramecc\\+:xnack-; there is gfx1030\n(.|\n)*"));
  EXPECT_EQ(outcome.status, 86) << describe(outcome);
}

TEST(OtherTarget, XnackIsTurnedOnByItsVariable) {
  const auto run_with = [](const Environment& environment) {
    return hipsight_run({"--gpu", "mi210", "--no-report"}, {"greeting_xnack"}, environment);
  };
  EXPECT_THAT(run_with({}).err,
              testing::HasSubstr("no code for gfx90a:sramecc+:xnack-; there is gfx90a:xnack+"));
  const Outcome on = run_with({{"HSA_XNACK", "1"}});
  EXPECT_EQ(on.status, 0) << describe(on);
}

TEST(OtherTarget, IsNamedWhenAModuleIsLoaded) {
  const Outcome outcome =
      hipsight_run({"--gpu", "rx9070xt", "--no-report"}, {"load_module", folder() / "module.ccob"});
  EXPECT_EQ(outcome.out, "load: hipErrorNoBinaryForGpu\n");
  EXPECT_EQ(outcome.err, "hipsight: " + (folder() / "module.ccob").string() +
                             ": no code for gfx1201; there is gfx1100, gfx942\n");
  EXPECT_EQ(outcome.status, 0);
}

// --- modules cut short

class Module : public testing::TestWithParam<std::string> {
 protected:
  fs::path file() const { return folder() / GetParam(); }
};

TEST_P(Module, Runs) {
  const Outcome outcome = hipsight_run({"--no-report"}, {"load_module", file()});
  EXPECT_EQ(outcome.out,
            "load: hipSuccess\nfunction: hipSuccess\nlaunch: hipSuccess\n"
            "wait: hipSuccess\nout: 42\n")
      << describe(outcome);
  EXPECT_EQ(outcome.status, 0);
}

TEST_P(Module, CutShortIsRefused) {
  const Scratch scratch;
  const std::string whole = read_file(file());
  for (const std::size_t size : {std::size_t{0}, std::size_t{3}, std::size_t{20}, std::size_t{63},
                                 std::size_t{64}, std::size_t{200}, whole.size() / 4,
                                 whole.size() / 2, whole.size() * 3 / 4, whole.size() - 1}) {
    const fs::path cut = scratch / "cut";
    write_file(cut, whole.substr(0, size));
    const Outcome outcome = hipsight_run({"--no-report"}, {"load_module", cut});
    EXPECT_EQ(outcome.out, "load: hipErrorInvalidImage\n") << size << describe(outcome);
    EXPECT_THAT(outcome.err, StartsWith("hipsight: " + cut.string() + ": ")) << size;
    EXPECT_EQ(outcome.status, 0) << size;
  }
}

INSTANTIATE_TEST_SUITE_P(Kind, Module, testing::Values("module.co", "module.hipfb", "module.ccob"),
                         [](const auto& info) { return info.param.substr(7); });

TEST(NoModule, IsRefused) {
  const std::string missing = folder() / "missing.co";
  Outcome outcome = hipsight_run({"--no-report"}, {"load_module", missing});
  EXPECT_EQ(outcome.out, "load: hipErrorFileNotFound\n");
  EXPECT_EQ(outcome.err, "hipsight: cannot read '" + missing + "': No such file or directory\n");
  outcome = hipsight_run({"--no-report"}, {"load_module", folder()});
  EXPECT_EQ(outcome.out, "load: hipErrorFileNotFound\n") << describe(outcome);
  outcome = hipsight_run({"--no-report"}, {"load_module", HIPSIGHT_COMMAND});
  EXPECT_EQ(outcome.out, "load: hipErrorInvalidImage\n");
  EXPECT_THAT(outcome.err, HasSubstr("ELF machine 62 is not AMDGPU"));
}

// --- a program's fat binary, damaged

/// Where the program's .hip_fatbin is.
std::pair<std::size_t, std::size_t> fat_binary(const std::string& program) {
  Elf64_Ehdr header;
  std::memcpy(&header, program.data(), sizeof header);
  const auto section = [&](std::size_t index) {
    Elf64_Shdr result;
    std::memcpy(&result, program.data() + header.e_shoff + index * sizeof result, sizeof result);
    return result;
  };
  const std::size_t names = section(header.e_shstrndx).sh_offset;
  for (std::size_t i = 0; i < header.e_shnum; ++i)
    if (const auto s = section(i); std::strcmp(&program[names + s.sh_name], ".hip_fatbin") == 0)
      return {s.sh_offset, s.sh_size};
  throw std::runtime_error("no .hip_fatbin");
}

/// Runs a copy of a program whose fat binary `damage` has changed.
template <class Damage>
Outcome run_damaged(const std::string& name, Damage damage) {
  const Scratch scratch;
  std::string program = read_file(folder() / name);
  const auto [begin, size] = fat_binary(program);
  std::string bytes = program.substr(begin, size);
  damage(bytes);
  program.replace(begin, size, bytes.substr(0, size));
  write_file(scratch / name, program);
  fs::permissions(scratch / name, fs::perms::owner_all);
  return hipsight_run({"--no-report"}, {scratch / name});
}

void expect_refusal(const Outcome& outcome, const std::string& error) {
  EXPECT_THAT(outcome.out, MatchesRegex(".*hipGetLastError\\(\\): hipErrorInvalidImage\n"))
      << describe(outcome);
  EXPECT_THAT(outcome.err, MatchesRegex("hipsight: .*/greeting[a-z_]*: .*" + error + ".*\n"));
  EXPECT_EQ(outcome.status, 70);
}

TEST(FatBinary, WithoutItsMagicIsRefused) {
  expect_refusal(run_damaged("greeting", [](std::string& bytes) { bytes.replace(0, 8, 8, 'x'); }),
                 "neither an ELF file nor an offload bundle");
}

TEST(FatBinary, WithTooManyEntriesIsRefused) {
  // The number of entries is the 64-bit word behind the magic.
  expect_refusal(
      run_damaged("greeting", [](std::string& bytes) { bytes.replace(24, 8, 8, '\x7f'); }),
      "bundle");
}

TEST(FatBinary, WithoutItsSecondHalfIsRefused) {
  expect_refusal(run_damaged("greeting",
                             [](std::string& bytes) {
                               bytes.replace(bytes.size() / 2, bytes.npos, bytes.size(), '\0');
                             }),
                 "");
}

TEST(FatBinary, CompressedAndCutShortIsRefused) {
  expect_refusal(run_damaged("greeting_packed",
                             [](std::string& bytes) {
                               bytes.replace(bytes.size() / 2, bytes.npos, bytes.size(), '\0');
                             }),
                 "compressed bundle");
}

TEST(FatBinary, CompressedRuns) {
  EXPECT_EQ(hipsight_run({"--no-report"}, {"greeting_packed"}).status, 0);
}

// --- lone code objects

std::vector<std::string> lone(const std::string& gpu, std::vector<std::string> more = {}) {
  std::vector<std::string> words{"--gpu", gpu, "--grid", "1,2", "--block", "64,2"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST(LoneCode, IsLaunchedWithWhatIsGiven) {
  const Scratch scratch;
  write_file(scratch / "file", "ab");
  for (const char* gpu : {"mi300x", "rx7900xtx"}) {
    const Outcome outcome = hipsight_run(
        lone(gpu, {"--kernel", "show", "--lds", "1024", "--arg", "buffer:1M:f32", "--arg",
                   "f64:2.5", "--arg", "bytes:0100feff", "--arg", "buffer:4000:i32", "--arg",
                   "same:1", "--arg", "buffer:@" + (scratch / "file").string()}),
        {"lone.co"});
    const std::string line =
        "grid 1 2 1, block 64 2, x in range 1, 2.5, 1 -2, 999, same 1, ab, 5\n";
    EXPECT_EQ(outcome.out, line + line) << describe(outcome);
    EXPECT_EQ(outcome.status, 0);
    EXPECT_THAT(outcome.err,
                ContainsRegex("\nshow\\(float const\\*, double, Pair, int const\\*, float "
                              "const\\*, unsigned char\\*\\): [^\n]*, 1 launch, "));
  }
}

TEST(LoneCode, OfOneKernelNeedsNoName) {
  const Outcome outcome = hipsight_run(
      {"--gpu", "mi300x", "--grid", "1", "--block", "64", "--arg", "buffer:256"}, {"module.co"});
  EXPECT_EQ(outcome.status, 0) << describe(outcome);
}

TEST(LoneCode, IsFoundInProgramsToo) {
  const Outcome outcome =  // no "--" between the last argument and the file
      run({HIPSIGHT_COMMAND, "run", "--gpu", "rx7900xtx", "--grid", "1", "--block", "64",
           "--kernel", "add", "--arg", "buffer:256:i32", "--arg", "buffer:256:i32", "--arg",
           "buffer:256", "--arg", "i32:64", folder() / "greeting"});
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(
      outcome.err,
      ContainsRegex("\nadd\\(int const\\*, int const\\*, int\\*, int\\): [^\n]*, 1 launch, "));
  EXPECT_EQ(outcome.status, 0) << describe(outcome);
}

TEST(LoneCode, WithAWrongArgumentIsRefused) {
  const Outcome outcome =
      hipsight_run(lone("mi300x", {"--kernel", "shown_not", "--arg", "f32:1"}), {"lone.co"});
  EXPECT_EQ(outcome.err,
            "hipsight: argument 1 is given with 4 bytes; shown_not(int*) takes:\n"
            "  argument 1: a buffer\n");
  EXPECT_EQ(outcome.status, 125);
}

TEST(LoneCode, WithoutAKernelOfThatNameSaysWhatThereIs) {
  const Outcome outcome = hipsight_run(lone("mi300x", {"--kernel", "nothing"}), {"lone.co"});
  EXPECT_THAT(outcome.err, HasSubstr("no kernel is called 'nothing' (--kernel REGEX):"));
  EXPECT_THAT(outcome.err, HasSubstr("\n  shown_not(int*)"));
  EXPECT_EQ(outcome.status, 125);
}

TEST(LoneCode, WithSeveralKernelsAsksForOne) {
  const Outcome outcome = hipsight_run(lone("mi300x", {"--kernel", "sh.w"}), {"lone.co"});
  EXPECT_THAT(outcome.err, HasSubstr("which kernel? (--kernel REGEX):\n  show(float const*, "));
  EXPECT_EQ(outcome.status, 125);
}

TEST(LoneCode, ForAnotherGpuSaysSo) {
  const Outcome outcome = hipsight_run(lone("mi355x", {"--kernel", "show"}), {"lone.co"});
  EXPECT_THAT(outcome.err, HasSubstr("gfx950"));
  EXPECT_EQ(outcome.status, 125);
}

TEST(LoneCode, ThatFailsIsReported) {
  const Outcome outcome =
      hipsight_run(lone("mi300x", {"--kernel", "shown_not", "--arg", "null"}), {"lone.co"});
  EXPECT_THAT(outcome.err, HasSubstr("lone.hip"));
  EXPECT_EQ(outcome.status, 86) << describe(outcome);
}

}  // namespace
}  // namespace programs
