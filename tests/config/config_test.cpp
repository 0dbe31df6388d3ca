// One table of options: what the environment and the command line give, and what docs say of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>

#include "config/environment.h"
#include "support/error.h"
#include "support/files.h"
#include "support/pattern.h"

namespace hipsight::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Nothing of ours in the environment but this, for a while.
class Environment {
 public:
  explicit Environment(const std::map<std::string, std::string>& variables) {
    for (const Row& row : rows()) clear(row.variable());
    for (const Other& other : others()) clear(std::string(other.variable));
    for (const auto& [name, value] : variables) {
      clear(name);
      setenv(name.c_str(), value.c_str(), 1);
    }
  }
  ~Environment() {
    for (const auto& [name, value] : before_)
      value ? setenv(name.c_str(), value->c_str(), 1) : unsetenv(name.c_str());
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  void clear(const std::string& name) {
    const char* value = std::getenv(name.c_str());
    before_.try_emplace(name, value ? std::optional<std::string>(value) : std::nullopt);
    unsetenv(name.c_str());
  }
  std::map<std::string, std::optional<std::string>> before_;
};

/// A value that is not the default.
std::string other_value(const Row& row) {
  if (row.is_flag()) return "1";
  if (row.is_choice()) return std::string(row.takes.substr(row.takes.rfind('|') + 1));
  if (row.name == "trace") return "3,1:2";
  if (row.name == "details") return "roofs,counts";
  if (row.name == "check") return "memcheck";
  if (row.name == "what-if") return "clock=1.5,2+occupancy l2=8M";
  if (row.name == "fail-if") return "spills > 0";
  if (row.most != 0) return "7";
  return "some/words";
}

std::string error_of(const std::string& variable, const std::string& value) {
  const Environment environment({{variable, value}});
  try {
    read();
    return {};
  } catch (const Exception& error) {
    return error.what();
  }
}

TEST(Options, HaveNamesOfTheirOwn) {
  std::set<std::string> variables, options;
  for (const Row& row : rows()) {
    EXPECT_TRUE(variables.insert(row.variable()).second) << row.name;
    EXPECT_TRUE(options.insert(row.command_line()).second) << row.name;
    EXPECT_FALSE(row.words.empty()) << row.name;
  }
  EXPECT_EQ(row("exit-wait").variable(), "HIPSIGHT_EXIT_WAIT");
  EXPECT_EQ(row("exit-wait").command_line(), "--exit-wait");
  EXPECT_EQ(row("exit-wait").keyword(), "exit_wait");
  EXPECT_EQ(row("xnack").variable(), "HSA_XNACK");
}

TEST(Options, AreAllDocumented) {
  const std::string docs = read_file(std::filesystem::path(HIPSIGHT_DOCS) / "configuration.md");
  EXPECT_THAT(docs, HasSubstr(markdown())) << "docs/configuration.md should have:\n" << markdown();
  for (const Other& other : others()) EXPECT_THAT(docs, HasSubstr(other.variable));
}

TEST(Options, EachTakesItsVariable) {
  for (const Row& row : rows()) {
    const std::string value = other_value(row);
    const Environment environment({{row.variable(), value}});
    const Loaded loaded = read();
    EXPECT_EQ(text_of(loaded.config, row), value) << row.name;
    EXPECT_NE(text_of(Config(), row), value) << row.name;
    for (std::size_t i = 0; i < rows().size(); ++i)
      EXPECT_EQ(loaded.origins[i], &rows()[i] == &row ? Origin::Environment : Origin::Default)
          << row.name << " and " << rows()[i].name;
  }
}

TEST(Options, TheCommandLineComesBeforeTheEnvironment) {
  const Environment environment({{"HIPSIGHT_GPUS", "3"}});
  Loaded loaded = read();
  EXPECT_EQ(loaded.config.gpus, 3u);
  loaded.from_command_line(row("gpus"), "5");
  EXPECT_EQ(loaded.config.gpus, 5u);
  EXPECT_EQ(loaded.origins[2], Origin::CommandLine);
}

TEST(Options, AreWhatTheyWereWithoutAValue) {
  const Environment environment({{"HIPSIGHT_GPU", ""}, {"HIPSIGHT_THREADS", ""}});
  EXPECT_EQ(read().config.gpu, "mi300x");
  EXPECT_EQ(read().config.threads, 0u);
  EXPECT_EQ(describe(Config(), row("threads")), "one per core");
}

TEST(Options, SayWhatTheyTakeOfABadValue) {
  EXPECT_EQ(error_of("HIPSIGHT_GPUS", "many"),
            "HIPSIGHT_GPUS=many: it takes a whole number from 1 to 64");
  EXPECT_EQ(error_of("HIPSIGHT_GPUS", "2 "),
            "HIPSIGHT_GPUS=2 : it takes a whole number from 1 to 64");
  EXPECT_EQ(error_of("HIPSIGHT_GPUS", "65"),
            "HIPSIGHT_GPUS=65: it takes a whole number from 1 to 64");
  EXPECT_EQ(error_of("HIPSIGHT_LAUNCH", "-1"),
            "HIPSIGHT_LAUNCH=-1: it takes a whole number from 1");
  EXPECT_EQ(error_of("HIPSIGHT_LAUNCH", "0"), "HIPSIGHT_LAUNCH=0: it takes a whole number from 1");
  EXPECT_EQ(error_of("HIPSIGHT_TIMEOUT", "nan"),
            "HIPSIGHT_TIMEOUT=nan: it takes a number from 0 to 1000000000");
  EXPECT_EQ(error_of("HIPSIGHT_STRICT", "yes"), "HIPSIGHT_STRICT=yes: it takes 0 or 1");
  EXPECT_EQ(error_of("HIPSIGHT_MATRIX", "exac"),
            "HIPSIGHT_MATRIX=exac: it takes fast, exact or skip");
  EXPECT_THAT(error_of("HIPSIGHT_KERNEL", "("), HasSubstr("HIPSIGHT_KERNEL=(: '(' is no regular"));
  EXPECT_THAT(error_of("HIPSIGHT_TRACE", "1:x"), HasSubstr("expected WORKGROUP[:WAVE]"));
  for (const Row& row : rows())
    if (row.most != 0 || row.is_flag()) {
      const std::string said = error_of(row.variable(), "x");
      if (!row.foreign.empty())
        EXPECT_EQ(said, "");  // HIP's own: what is no number is off
      else
        EXPECT_THAT(said, HasSubstr(row.variable() + "=x: it takes "));
    }
}

TEST(Options, VariablesThatNothingReadsAreNamedWithTheNearest) {
  const Environment environment({{"HIPSIGHT_THREAD", "2"},
                                 {"HIPSIGHT_RUN", "1:2"},
                                 {"HIPSIGHT_JSON", "f"},
                                 {"HIPSIGHTED", "1"}});
  EXPECT_THAT(strangers(), ElementsAre("nothing reads HIPSIGHT_THREAD; the nearest that there is: "
                                       "HIPSIGHT_THREADS ('hipsight config' lists all)"));
  const Environment none({{"HIPSIGHT_THREAD", ""}});
  unsetenv("HIPSIGHT_THREAD");
  EXPECT_THAT(strangers(), IsEmpty());
}

// What below the clients reads the environment would not be told by who calls it as a library.
TEST(Options, NothingElseReadsTheEnvironment) {
  const Pattern reads("getenv|\\benviron\\b|config::(environment|read)\\(|config/environment.h");
  const std::set<std::string> may{
      "cli",  // a client, which also makes the program's environment
      "config",
      "launcher/launcher.cpp",  // a client
      "leave/leave.cpp",        // in every process of a run, before all else
      "rccl/network.cpp",       // a client: what mpirun says
      "rocm/emulated.h",        // a client
      "runtime/rtc/clang.cpp",  // hands the environment to the compiler
      "runtime/state.cpp",      // the runtime's entry
  };
  std::set<std::string> seen;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(HIPSIGHT_SOURCES)) {
    const std::string extension = entry.path().extension();
    if (extension != ".cpp" && extension != ".h") continue;
    if (!reads.is_in(read_file(entry.path()))) continue;
    const auto file = std::filesystem::relative(entry.path(), HIPSIGHT_SOURCES);
    const std::string place = file.string(), folder = *file.begin();
    EXPECT_TRUE(may.contains(place) || may.contains(folder)) << "src/" << place;
    seen.insert(may.contains(place) ? place : folder);
  }
  EXPECT_EQ(seen, may);
}

TEST(Options, CachesLieInTheUsersFolder) {
  const auto folder = [](const std::map<std::string, std::string>& variables) {
    const Environment environment(variables);
    return read().config.usual_cache;
  };
  EXPECT_EQ(folder({{"XDG_CACHE_HOME", "/x"}, {"HOME", "/h"}}), "/x/hipsight");
  EXPECT_EQ(folder({{"XDG_CACHE_HOME", "x"}, {"HOME", "/h"}}), "/h/.cache/hipsight");
  EXPECT_EQ(folder({{"XDG_CACHE_HOME", ""}, {"HOME", "h"}}), "");
}

}  // namespace
}  // namespace hipsight::config
