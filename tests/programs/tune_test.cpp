// `hipsight tune`: programs in many configurations.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "run.h"

namespace programs {
namespace {

using Json = nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

Outcome tune(const Words& words) {
  Words all{HIPSIGHT_COMMAND, "tune"};
  all.insert(all.end(), words.begin(), words.end());
  return run(all);
}

const std::string tiled = folder() / "two_ways_tiled";

const std::string hipcc = std::filesystem::path(HIPSIGHT_COMMAND).parent_path() / "hipcc";

std::size_t lines(const std::string& text) {
  return std::size_t(std::ranges::count(text, '\n'));
}

TEST(Tune, ranks_arguments_by_predicted_time) {
  const Scratch scratch;
  const Outcome outcome =
      tune({"--set", "ROWS=1,4,8,99", "--json", scratch / "t.json", "--csv", scratch / "t.csv",
            "--svg", scratch / "t.svg", "--against", "waves_per_simd", "--", tiled, "{ROWS}"});
  EXPECT_EQ(outcome.status, 0) << describe(outcome);
  EXPECT_THAT(outcome.out, HasSubstr("hipsight tune: 4 configurations on AMD Instinct MI300X"));
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("\n  1"), HasSubstr("\n  3"), HasSubstr("1.00")));
  EXPECT_THAT(outcome.out, HasSubstr("\nROWS=99: exit code 3\n"));
  EXPECT_THAT(outcome.out, HasSubstr("no block of 99 rows"));

  const Json json = Json::parse(read_file(scratch / "t.json"));
  const Json& all = json["configurations"];
  ASSERT_EQ(all.size(), 4u);
  EXPECT_LE(all[0]["seconds"], all[1]["seconds"]);
  EXPECT_LE(all[1]["seconds"], all[2]["seconds"]);
  EXPECT_EQ(all[3]["point"]["ROWS"], "99");
  // What a run of it says itself.
  const Outcome alone = run({HIPSIGHT_COMMAND, "run", "--json", scratch / "r.json", "--", tiled,
                             all[0]["point"]["ROWS"].get<std::string>()});
  double seconds = 0;
  const Json report = Json::parse(read_file(scratch / "r.json"));
  for (const Json& kernel : report["kernels"])
    seconds += kernel["verdict"]["seconds"].get<double>();
  EXPECT_NEAR(all[0]["seconds"].get<double>(), seconds, 1e-9 * seconds);

  EXPECT_THAT(read_file(scratch / "t.csv"), StartsWith("ROWS,seconds,bound,instructions,"));
  EXPECT_EQ(lines(read_file(scratch / "t.csv")), 5u);
  EXPECT_THAT(read_file(scratch / "t.svg"), AllOf(StartsWith("<svg "), HasSubstr("<circle ")));
}

TEST(Tune, is_the_same_in_any_number_of_jobs_and_parts_and_goes_on_where_it_was) {
  const Scratch scratch;
  const std::string log = scratch / "log";
  const Words program{"--", tiled, "{ROWS}"};
  const auto with = [&](Words options) {
    options.insert(options.begin(), {"--set", "ROWS=2,4,8,16"});
    options.insert(options.end(), program.begin(), program.end());
    return tune(options);
  };
  const Outcome alone = with({});
  ASSERT_EQ(alone.status, 0) << describe(alone);
  EXPECT_EQ(with({"-j", "3"}).out, alone.out);

  EXPECT_THAT(with({"--part", "2/2", "--log", log}).out, HasSubstr("2 configurations"));
  EXPECT_EQ(lines(read_file(log)), 2u);
  EXPECT_EQ(with({"--log", log}).out, alone.out);
  EXPECT_EQ(lines(read_file(log)), 4u);
  const std::string before = read_file(log);
  EXPECT_EQ(with({"--log", log}).out, alone.out);
  EXPECT_EQ(read_file(log), before) << "all was known";
  // One that was interrupted has half a line at its end.
  write_file(log, before.substr(0, before.size() - 9));
  EXPECT_EQ(with({"--log", log}).out, alone.out);
  write_file(log, "something else\nand more\n");
  EXPECT_THAT(with({"--log", log}).err, HasSubstr(":1: no result of `hipsight tune`"));
}

TEST(Tune, shares_the_work_of_ranks) {
  const Scratch scratch;
  const Words words{HIPSIGHT_COMMAND, "tune",          "--set", "ROWS=2,4,8,16,32",
                    "--log",          scratch / "log", "--",    tiled,
                    "{ROWS}"};
  const auto rank = [&](const char* number) {
    return run(words, {{"OMPI_COMM_WORLD_RANK", number},
                       {"OMPI_COMM_WORLD_SIZE", "2"},
                       {"PMIX_NAMESPACE", "prterun@1"}});
  };
  const Outcome first = rank("0"), second = rank("1");
  EXPECT_EQ(first.status, 0) << describe(first);
  EXPECT_EQ(second.status, 0) << describe(second);
  EXPECT_EQ(second.out, "");
  // They run one after the other here: the first one has done it all.
  EXPECT_THAT(first.out, HasSubstr("5 configurations"));
  EXPECT_EQ(lines(read_file(scratch / "log")), 5u);
  EXPECT_EQ(run(words).out, first.out);

  // One that was lost had an item: the others do all else, and nobody prints a table without it.
  std::filesystem::create_directory(scratch / "log.jobprterun-2");
  write_file(scratch / "log.jobprterun-2/3", "");
  std::filesystem::remove(scratch / "log");
  const Outcome other = run(words, {{"OMPI_COMM_WORLD_RANK", "0"},
                                    {"OMPI_COMM_WORLD_SIZE", "2"},
                                    {"PMIX_NAMESPACE", "prterun@2"}});
  EXPECT_EQ(other.status, 0) << describe(other);
  EXPECT_EQ(other.out, "");
  EXPECT_EQ(lines(read_file(scratch / "log")), 4u);
  EXPECT_EQ(run(words).out, first.out);
  EXPECT_EQ(lines(read_file(scratch / "log")), 5u);

  const Outcome lost = run({HIPSIGHT_COMMAND, "tune", "--set", "ROWS=2", "--", tiled, "{ROWS}"},
                           {{"SLURM_PROCID", "1"}, {"SLURM_NTASKS", "2"}});
  EXPECT_EQ(lost.status, 125);
  EXPECT_THAT(lost.err, HasSubstr("--log must name a file that all of them see"));
  const Outcome odd = run(words, {{"PMI_RANK", "2"}, {"PMI_SIZE", "2"}});
  EXPECT_THAT(odd.err, HasSubstr("PMI_RANK is '2' and PMI_SIZE is '2'"));
}

TEST(Tune, builds_what_it_runs) {
  const std::string source = std::filesystem::path(PROGRAM_SOURCES) / "two_ways.hip";
  const Outcome outcome =
      tune({"--set", "FORM=PLAIN,TILED,=", "--build",
            hipcc + " --offload-arch=gfx942 -D{FORM} " + source + " -o {out}", "--", "{out}"});
  EXPECT_EQ(outcome.status, 0) << describe(outcome);
  EXPECT_THAT(outcome.out, HasSubstr("hipsight tune: 3 configurations"));
  EXPECT_LT(outcome.out.find("TILED"), outcome.out.find("PLAIN")) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("\nFORM==: it could not be built: exit code 1\n"));
}

/// docs/kernels/gemm.md: a tiling of one's own for the kernel library's GEMM.
TEST(Tune, tries_tilings_of_the_library) {
  const Scratch scratch;
  const std::string root = ROOT;
  const std::string build = hipcc + " -O3 -std=c++20 --offload-arch=gfx942 -I" + root +
                            "/kernels/include -I" + root +
                            "/examples -DHIPSIGHT_GEMM_TILING=128,{N},64,{WM},64,8,100,100,2 " +
                            root + "/examples/tilings.hip -o {out}";
  const Outcome outcome =
      tune({"--timing-only", "--set", "N=64,128", "--set", "WM=32,48", "--build", build, "--json",
            scratch / "t.json", "--", "{out}", "512", "512", "1024"});
  EXPECT_EQ(outcome.status, 0) << describe(outcome);
  std::map<std::string, double> seconds;
  const Json json = Json::parse(read_file(scratch / "t.json"));
  for (const Json& one : json["configurations"])
    if (one["seconds"].is_number())
      seconds[one["point"]["N"].get<std::string>() + " " + one["point"]["WM"].get<std::string>()] =
          one["seconds"].get<double>();
  // Waves of 48 rows do not fit tiles of 128: told, as what does not compile.
  ASSERT_EQ(seconds.size(), 2u) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("N=64 WM=48: it could not be built: exit code 1\n"));
  EXPECT_THAT(outcome.out, HasSubstr("error: static assertion failed"));
  EXPECT_NE(seconds.at("64 32"), seconds.at("128 32"));
}

TEST(Tune, takes_a_folder_of_code_objects) {
  const Scratch scratch;
  std::filesystem::create_directory(scratch / "codes");
  std::filesystem::copy_file(folder() / "lone.co", scratch / "codes/one.co");
  std::filesystem::copy_file(folder() / "lone.co", scratch / "codes/two.co");
  const Outcome outcome =
      tune({"--set", "CODE=@" + (scratch / "codes").string(), "--kernel", "shown_not", "--grid",
            "64", "--block", "64", "--arg", "buffer:1M", "--", "{CODE}"});
  EXPECT_EQ(outcome.status, 0) << describe(outcome);
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("codes/one.co"), HasSubstr("codes/two.co")));
}

TEST(Tune, says_what_is_wrong_before_anything_runs) {
  const auto refused = [](const Words& words, const std::string& why) {
    const Outcome outcome = tune(words);
    EXPECT_EQ(outcome.status, 125) << describe(outcome);
    EXPECT_THAT(outcome.err, HasSubstr(why));
  };
  refused({"--set", "ROWS", "--", tiled}, "'ROWS' is not NAME=VALUE,...");
  refused({"--set", "ROWS=1", "--set", "ROWS=2", "--", tiled}, "ROWS comes twice");
  refused({"--set", "ROWS=1,1", "--", tiled}, "the value '1' comes twice");
  refused({"--set", "ROWS=1", "--", tiled, "{ROW}"}, "{ROW} is no parameter; there are: ROWS");
  refused({"--set", "ROWS=1", "--", tiled, "{ROWS"}, "a lone '{'");
  refused({"--set", "ROWS=@/nowhere", "--", tiled}, "/nowhere: No such file");
  refused({"--set", "ROWS=1", "--against", "speed", "--", tiled}, "'speed' is no figure");
  refused({"--set", "ROWS=1", "--against", "share", "--", tiled}, "neither better nor worse");
  refused({"--set", "ROWS=1", "--part", "3/2", "--", tiled}, "--part: 3 is more than 2");
  refused({"--set", "ROWS=99", "--", tiled, "{ROWS}"}, "");
}

}  // namespace
}  // namespace programs
