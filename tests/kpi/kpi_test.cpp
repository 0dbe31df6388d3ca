// Suites, recorded figures, and what is worse than them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "kpi/figures.h"
#include "kpi/suite.h"
#include "support/error.h"

namespace hipsight::kpi {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::Pair;
using testing::UnorderedElementsAre;

std::string write(const std::string& text) {
  const std::string file = testing::TempDir() + "suite.toml";
  std::ofstream(file) << text;
  return file;
}
std::string error_of(const std::string& text) {
  try {
    Suite::read(write(text));
    return {};
  } catch (const Exception& error) {
    return error.what();
  }
}

constexpr const char* good = R"(
[[case]]
name = "a"
program = ["./a", "1"]
gpus = ["mi300x", "rx7900xtx"]
kernel = "gemm"
must = "spills == 0"
may_worsen = { vgprs = 0.1, seconds_per_launch = 0 }
)";

TEST(Suite, says_what_is_measured) {
  const Suite suite = Suite::read(write(good));
  ASSERT_EQ(suite.cases.size(), 1u);
  const Case& one = suite.cases[0];
  EXPECT_THAT(one.program, ElementsAre("./a", "1"));
  EXPECT_THAT(one.gpus, ElementsAre("mi300x", "rx7900xtx"));
  EXPECT_THAT(one.may_worsen,
              UnorderedElementsAre(Pair("vgprs", 0.1), Pair("seconds_per_launch", 0),
                                   Pair("spills", 0), Pair("scratch_bytes", 0)));
  EXPECT_EQ(suite.recorded(), testing::TempDir() + "suite.json");
}

TEST(Suite, cases_have_options_and_name_what_is_recorded) {
  const Suite suite = Suite::read(write(std::string(good) + R"(
options = { profile = 4, sampled-only = true, matrix = "fast" }
figures = ["vgprs"]
)"));
  EXPECT_THAT(suite.cases[0].options,
              UnorderedElementsAre(Pair("profile", "4"), Pair("sampled-only", "1"),
                                   Pair("matrix", "fast")));
  RunReport run;
  KernelReport& kernel = run.kernels.emplace_back();
  kernel.kernel.vgprs = 40;
  kernel.verdict.bound = "memory";
  const auto all = measure(suite.cases[0], "mi300x", run);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_THAT(all[0].figures, ElementsAre(Pair("vgprs", 40)));
  EXPECT_EQ(all[0].bound, "memory");
}

TEST(Suite, errors_name_the_line) {
  const std::string text = good;
  EXPECT_THAT(error_of("[[case]]\nname ="), HasSubstr("suite.toml:2: "));
  EXPECT_THAT(error_of("x = 1"), HasSubstr("suite.toml:1: expected [[case]] only"));
  EXPECT_THAT(error_of(""), HasSubstr("no [[case]] in it"));
  EXPECT_THAT(error_of(text + "x = 1"), HasSubstr("suite.toml:9: unknown key 'x'"));
  EXPECT_THAT(error_of(text + text), HasSubstr("there are two cases 'a'"));
  EXPECT_THAT(error_of("[[case]]\nname = 'a'"), HasSubstr("a case needs name, program and gpus"));
  EXPECT_THAT(error_of("[[case]]\ngpus = ['mi1']"), HasSubstr("suite.toml:2: "));
  EXPECT_THAT(error_of("[[case]]\nmust = 'spils > 0'"), HasSubstr("suite.toml:2: "));
  EXPECT_THAT(error_of("[[case]]\nmay_worsen = { launches = 0 }"),
              HasSubstr("launches is neither better nor worse"));
  EXPECT_THAT(error_of("[[case]]\nfigures = ['vgpr']"),
              HasSubstr("suite.toml:2: figures: 'vgpr' is no figure"));
  EXPECT_THAT(error_of("[[case]]\noptions = { matrix = 'slow' }"), HasSubstr("suite.toml:2: "));
  EXPECT_THAT(error_of("[[case]]\noptions = { gpu = 'mi300x' }"),
              HasSubstr("'gpu' is not a case's to set"));
  EXPECT_THAT(error_of("[[case]]\noptions = { speed = 1 }"), HasSubstr("'speed' is no option"));
  EXPECT_THAT(error_of("[[case]]\nmay_worsen = { vgprs = -1 }"), HasSubstr("a share from 0 to 10"));
}

Measured measured(std::map<std::string, double> figures, const std::string& kernel = "gemm [1]") {
  return {.in = "a",
          .gpu = "mi300x",
          .kernel = kernel,
          .figures = std::move(figures),
          .bound = {},
          .broken = {}};
}

TEST(Figures, are_read_as_they_were_written) {
  const std::vector<Measured> all{measured({{"vgprs", 72}, {"seconds", 3.8125e-5}}),
                                  measured({{"l2_hits", 1.0 / 3}}, "odd \"name\"\n\xff")};
  const std::string text = to_json(all);
  const std::vector<Measured> again = from_json(text, "file");
  EXPECT_EQ(to_json(again), text);
  EXPECT_TRUE(again[0].same_as(all[0]));
  EXPECT_EQ(again[0].figures.at("seconds"), 3.8125e-5);
  // What is recorded differs in no digit that counts.
  EXPECT_THAT(compare(again, {all[0]}, nullptr), testing::SizeIs(1));  // the odd one is gone
}

TEST(Figures, of_other_files_are_refused) {
  for (const char* text : {"", "{", "{}x", "[1]", "[{\"case\": 1}]", "[{\"case\": \"a\"}]"}) try {
      from_json(text, "the file");
      ADD_FAILURE() << text;
    } catch (const Exception& error) {
      EXPECT_THAT(error.what(), HasSubstr("the file: no figures of `hipsight kpi record`"));
    }
}

TEST(Compare, fails_beyond_what_a_case_allows) {
  const Suite suite = Suite::read(write(good));
  const auto of = [&](double vgprs, double seconds, double occupancy) {
    const auto all = compare(
        {measured({{"vgprs", 100}, {"seconds_per_launch", 1}, {"occupancy", 1}})},
        {measured({{"vgprs", vgprs}, {"seconds_per_launch", seconds}, {"occupancy", occupancy}})},
        &suite);
    return all.empty() ? std::string("same") : all[0].problem;
  };
  EXPECT_EQ(of(100, 1, 1), "same");
  EXPECT_EQ(of(110, 0.5, 1), "");
  EXPECT_EQ(of(100, 1, 0.5), "");  // nobody asked about occupancy
  EXPECT_EQ(of(111, 1, 1), "vgprs: 100 to 111, +11.0 %");
  EXPECT_EQ(of(100, 1.001, 1), "seconds_per_launch: 1.00 s to 1.00 s, +0.1 %");
}

TEST(Compare, exactly_whatever_differs_fails) {
  const auto problems = [](const Measured& before, const Measured& now, bool exact) {
    const auto all = compare({before}, {now}, nullptr, exact);
    return all.empty() ? std::string("same") : all[0].problem;
  };
  const Measured before = measured({{"vgprs", 100}});
  Measured now = before;
  EXPECT_EQ(problems(before, now, true), "same");
  now.figures["vgprs"] = 90;
  EXPECT_EQ(problems(before, now, false), "");
  EXPECT_EQ(problems(before, now, true), "vgprs: 100 to 90, -10.0 %");
  EXPECT_THAT(
      to_text(compare({before}, {now}, nullptr, true), 1),
      AllOf(HasSubstr("BETTER: "),
            HasSubstr("  better: vgprs: 100 to 90, -10.0 %\n1 kernel: 1 differs, 1 fails")));
  now = before;
  now.bound = "memory";
  EXPECT_EQ(problems(before, now, true), "same");  // what bounded it was not recorded
  Measured known = before;
  known.bound = "latency";
  EXPECT_EQ(problems(known, now, false), "");
  EXPECT_EQ(problems(known, now, true), "bound by memory, was by latency");
  EXPECT_THAT(to_text(compare({known}, {now}, nullptr), 1),
              HasSubstr("\n  bound by memory, was by latency\n1 kernel: 1 differs, 0 fail"));
  EXPECT_THAT(compare({}, {now}, nullptr, true)[0].problem, HasSubstr("new: nothing is recorded"));
}

TEST(Compare, kernels_that_are_gone_fail_and_new_ones_do_not) {
  const Suite suite = Suite::read(write(good));
  const auto all = compare({measured({}, "old")}, {measured({}, "new")}, &suite);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_THAT(all[0].problem, HasSubstr("no longer launched"));
  EXPECT_FALSE(all[1].fails());
}

TEST(Compare, a_condition_must_hold) {
  const Suite suite = Suite::read(write(good));
  Measured broken = measured({{"spills", 3}});
  broken.broken = "not spills == 0: spills is 3";
  EXPECT_EQ(compare({measured({{"spills", 3}})}, {broken}, &suite).at(0).problem, broken.broken);
  EXPECT_EQ(compare({}, {broken}, &suite).at(0).problem, broken.broken);
}

TEST(Formats, name_kernel_figure_and_values) {
  const std::vector<Measured> now{measured({{"vgprs", 80}, {"occupancy", 0.5}}, "f<a | b>(\"x\")")};
  const auto all =
      compare({measured({{"vgprs", 64}, {"occupancy", 1}}, "f<a | b>(\"x\")")}, now, nullptr);
  EXPECT_THAT(to_text(all, 1), AllOf(HasSubstr("WORSE: a on mi300x: f<a | b>(\"x\")\n"),
                                     HasSubstr("  worse: vgprs: 64 to 80, +25.0 %\n"),
                                     HasSubstr("1 kernel: 1 differs, 1 fails")));
  EXPECT_THAT(to_markdown(all, 1),
              HasSubstr("f<a \\| b>(\"x\") | `vgprs` | 64 | 80 | **worse** |"));
  EXPECT_THAT(
      to_junit(all, now),
      AllOf(HasSubstr("tests=\"1\" failures=\"1\""),
            HasSubstr("name=\"f&lt;a | b&gt;(&quot;x&quot;)\"><failure"), Not(HasSubstr("f<a"))));
  const auto sarif = nlohmann::json::parse(to_sarif(all, "kpi.toml"));
  EXPECT_EQ(sarif["version"], "2.1.0");
  EXPECT_EQ(sarif["runs"][0]["results"][0]["ruleId"], "occupancy");
  EXPECT_THAT(to_sarif({}, "kpi.toml"), HasSubstr("\"results\": []"));
}

}  // namespace
}  // namespace hipsight::kpi
