// docs/getting-started.md, followed to the letter: what it says comes out, does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "page.h"
#include "run.h"

namespace programs {
namespace {

using testing::HasSubstr;

/// The page: the program, the lines that change it, and commands with their output.
struct Page {
  std::string program, change;
  std::vector<Shown> shown;

  explicit Page(const std::string& text) : shown(shown_in(text)) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      const bool is_code = line.starts_with("    ");
      const std::string code = is_code ? line.substr(4) : "";
      if (code.starts_with("#include <hip/hip_runtime.h>")) {
        program = code + "\n";
        while (std::getline(lines, line) && (line.empty() || line.starts_with("    ")))
          program += (line.empty() ? "" : line.substr(4)) + "\n";
      } else if (code.starts_with("  __shared__")) {
        change = code + "\n";
        while (std::getline(lines, line) && !line.empty()) change += line.substr(4) + "\n";
      }
    }
  }
};

TEST(GettingStarted, is_true) {
  const Page page(read_file(GETTING_STARTED));
  ASSERT_THAT(page.program, HasSubstr("int main"));
  ASSERT_GE(page.shown.size(), 4u);
  const std::string old =
      "  for (int i = 0; i < 32; i += 8) out[x * n + y + i] = in[(y + i) * n + x];\n";
  const std::string turn = "  x = blockIdx.y";
  ASSERT_THAT(page.program, HasSubstr(old));
  ASSERT_THAT(page.change, HasSubstr(turn));
  std::string racy = page.program, tiled;
  racy.replace(racy.find(old), old.size(), page.change);
  tiled = racy;
  tiled.insert(tiled.find(turn), "  __syncthreads();\n");

  const Scratch scratch;
  const std::filesystem::path build = std::filesystem::path(HIPSIGHT_COMMAND).parent_path();
  const auto compile = [&](const std::string& name, const std::string& source) {
    write_file(scratch / (name + ".hip"), source);
    return run({build / "hipcc", "--offload-arch=gfx942", "-O3", "-gline-tables-only",
                scratch / (name + ".hip"), "-o", scratch / name})
        .status;
  };
  ASSERT_EQ(compile("transpose", page.program), 0);
  ASSERT_EQ(compile("racy", racy), 0);
  ASSERT_EQ(compile("tiled", tiled), 0);
  for (const Shown& one : page.shown) {
    const Outcome outcome = run({"/bin/sh", "-c",
                                 "cd " + (scratch / "").string() + " && PATH=" + build.string() +
                                     ":$PATH && " + one.command});
    const std::string all = squeezed(outcome.out + outcome.err);
    for (const std::string& line : one.lines) {
      std::string expected = squeezed(line);
      // The page names files as one who stands beside them.
      for (const char* file : {"racy.hip:", "transpose.hip:"})
        if (const std::size_t at = expected.find(std::string(" ") + file); at != expected.npos)
          expected = expected.substr(at + 1);
      EXPECT_THAT(all, HasSubstr(expected)) << one.command;
    }
  }
  const Outcome right =
      run({"/bin/sh", "-c", HIPSIGHT_COMMAND " check -- " + (scratch / "tiled").string()});
  EXPECT_EQ(right.out, "right\n");
  EXPECT_EQ(right.status, 0) << describe(right);
}

}  // namespace
}  // namespace programs
