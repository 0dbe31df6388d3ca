// `hipsight compare`: two programs, two launches, several GPUs, saved reports; and what it refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "run.h"

namespace programs {
namespace {

using Json = nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

Outcome compare(const Words& words) {
  Words all{HIPSIGHT_COMMAND, "compare"};
  all.insert(all.end(), words.begin(), words.end());
  return run(all);
}

const std::string plain = folder() / "two_ways", tiled = folder() / "two_ways_tiled";

TEST(Compare, says_which_of_two_programs_is_quicker_and_why) {
  const Scratch scratch;
  const Outcome outcome =
      compare({"--launch", "1", "--json", scratch / "c.json", "--", plain, "8", "--", tiled, "8"});
  EXPECT_EQ(outcome.status, 0) << describe(outcome);
  EXPECT_THAT(outcome.out, HasSubstr("  a: " + plain + " 8, launch 1\n  b: " + tiled));
  EXPECT_THAT(outcome.out, MatchesRegex("(.|\n)*\n  b is [1-9.]+ times as fast: a is bound by "
                                        "(.|\n)*"));
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("\n  units work for"), HasSubstr("\n  time by line"),
                                 HasSubstr("\n    sector_use"), HasSubstr("\n    lds_bytes")));
  // The far stores are where the time is, and were lost.
  const std::filesystem::path far = source_of("two_ways", "// far apart");
  EXPECT_THAT(outcome.out, HasSubstr("\n    " + far.filename().string() + " "));

  const Json json = Json::parse(read_file(scratch / "c.json"));
  ASSERT_EQ(json["kernels"].size(), 1u);
  const Json& kernel = json["kernels"][0];
  const double a = kernel["seconds"][0], b = kernel["seconds"][1];
  EXPECT_GT(a, 1.1 * b);
  EXPECT_EQ(kernel["figures"]["lds_bytes"], Json({0.0, 4224.0}));
}

TEST(Compare, calls_a_program_as_quick_as_itself) {
  const Outcome outcome = compare({"--launch", "1", "--", plain, "--", plain});
  EXPECT_EQ(outcome.status, 0) << describe(outcome);
  EXPECT_THAT(outcome.out, HasSubstr("\n  b is the same\n"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("figures that differ")));
}

TEST(Compare, tells_two_launches_apart) {
  const Outcome outcome = compare({"--launch", "1", "--with-launch", "2", "--", plain});
  EXPECT_EQ(outcome.status, 0) << describe(outcome);
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("32x32x1 workgroups"), HasSubstr("32x16x1 workgroups"),
                                 HasSubstr("b is ")));
}

TEST(Compare, says_what_holds_on_several_gpus) {
  const Outcome outcome =
      compare({"--gpu", "mi300x", "--also", "rx7900xtx", "--launch", "1", "--", plain});
  EXPECT_EQ(outcome.status, 0) << describe(outcome);
  EXPECT_THAT(outcome.out, MatchesRegex("(.|\n)*\n +mi300x +rx7900xtx\n(.|\n)*"));
  EXPECT_THAT(outcome.out, HasSubstr(" helps all of them, by "));
}

TEST(Compare, reads_reports_that_are_saved) {
  const Scratch scratch;
  const std::string a = scratch / "a", b = scratch / "b", c = scratch / "c";
  hipsight_run({"--values", a}, {"two_ways"});
  hipsight_run({"--values", b}, {"two_ways_tiled"});
  hipsight_run({"--values", c, "--gpu", "rx7900xtx"}, {"two_ways_tiled"});
  const Outcome outcome = compare({a, b});
  EXPECT_EQ(outcome.status, 0) << describe(outcome);
  EXPECT_THAT(outcome.out, HasSubstr("b is "));
  EXPECT_THAT(compare({b, c}).out, HasSubstr("rx7900xtx"));
  write_file(c, "none");
  EXPECT_THAT(compare({a, c}).err, HasSubstr("is no whole file of --values"));
}

TEST(Compare, refuses_what_has_no_answer) {
  const auto refused = [](const Words& words, const std::string& why) {
    const Outcome outcome = compare(words);
    EXPECT_EQ(outcome.status, 125) << describe(outcome);
    EXPECT_THAT(outcome.err, HasSubstr(why));
    EXPECT_EQ(outcome.out, "");
  };
  refused({"--", plain}, "compare: with what? Another program after --");
  refused({"--", plain, "--"}, "compare: with which program? None comes after --");
  refused({"--also", "rx7900xtx", "--", plain, "--", tiled}, "compare: with what?");
  refused({"--with-launch", "2", "--", plain}, "--with-launch needs --launch");
  refused({"--", plain, "--", plain, "99"}, "no block of 99 rows");
  refused({"--", plain, "--", "/bin/true"}, "no process of the program used HIP");
  refused({}, "compare: ");
}

}  // namespace
}  // namespace programs
