// What-ifs about the GPU are what the model says where the GPU's file has those numbers; what-ifs
// about the kernel, what it says of a kernel that is written so.
#include "explain/what_if.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel.h"
#include "support/error.h"
#include "support/files.h"

namespace hipsight::explain {
namespace {

using testing::HasSubstr;

ThenTaken ask(const Observed& observed, const std::string& word) {
  const std::vector<WhatIf> all = parse_what_ifs(word);
  EXPECT_EQ(all.size(), 1u) << word;
  return predict(observed.launch, all.front());
}

/// mi300x with other numbers: what a user writes in a file.
gpus::Gpu changed_gpu(const std::vector<std::pair<std::string, double>>& numbers,
                      const std::string& more = "") {
  std::string text = "name = \"other\"\nbase = \"mi300x\"\n";
  for (const auto& [key, value] : numbers)
    text += fmt::format("{} = {{ value = {}, source = \"this test\" }}\n", key, value);
  return gpus::parse(text + more, "other.toml");
}

/// `word` gives what a launch takes that ran on `gpu`, and that is another time than now.
void expect_as_on(const gpus::Gpu& gpu, const Kernel& kernel, const std::string& word,
                  double off = 1e-9) {
  const Observed here(kernel), there(kernel, gpu);
  const double now = here.launch.predict().seconds;
  const timing::Prediction then = there.launch.predict();
  const ThenTaken told = ask(here, word);
  EXPECT_EQ(told.why_none, "") << word;
  EXPECT_NEAR(told.seconds, then.seconds, off * then.seconds) << word << ", now " << now;
  EXPECT_EQ(timing::text(told.bound), timing::text(then.bound)) << word;
  EXPECT_GT(std::fabs(then.seconds / now - 1), 0.05) << word << " makes no difference";
}

/// Waits for lines of memory.
Kernel streams() {
  return {.workgroups = 304 * 32, .turns = 64};
}
/// Goes round in so many bytes a workgroup, twice.
Kernel goes_round(std::uint64_t bytes, std::uint64_t workgroups) {
  Kernel kernel{.workgroups = workgroups, .turns = static_cast<unsigned>(2 * bytes / 256)};
  kernel.at = [bytes](std::uint64_t wave, unsigned turn, unsigned lane) {
    return wave * bytes + turn * 256 % bytes + lane * 4;
  };
  return kernel;
}
Kernel multiplies() {
  return {.instruction = "V_MFMA_F32_32X32X8F16", .space = {}, .turns = 400, .waves = 4};
}
Kernel collides_in_lds() {
  Kernel kernel{.instruction = "DS_READ_B32", .space = Space::Lds, .turns = 400, .waves = 4};
  kernel.at = [](auto, unsigned, unsigned lane) { return lane * 32 * 4; };
  return kernel;
}
Kernel loads_from_lds() {
  Kernel kernel{.instruction = "DS_READ_B32", .space = Space::Lds, .turns = 400, .waves = 4};
  kernel.at = [](auto, unsigned, unsigned lane) { return lane * 4; };
  return kernel;
}

TEST(WhatIf, the_clock_is_another_one) {
  // Of what waits for memory, of what computes: nanoseconds beyond the L2 stay.
  const gpus::Gpu slow = changed_gpu({{"clock_ghz", 1.05},
                                      {"l2_gb_per_s", 17203},
                                      {"mall_latency", 237.5},
                                      {"dram_latency", 440}});
  expect_as_on(slow, loads_from_lds(), "clock=1.05");
  expect_as_on(changed_gpu({{"clock_ghz", 0.5},
                            {"l2_gb_per_s", 34406 / 4.2},
                            {"mall_latency", 475 / 4.2},
                            {"dram_latency", 880 / 4.2}}),
               multiplies(), "clock=0.5");
  // Twice the clock does not bring memory nearer.
  const Observed waits({.workgroups = 304, .turns = 64});
  const double now = waits.launch.predict().seconds;
  EXPECT_GT(ask(waits, "clock=4.2").seconds, 0.65 * now);
}

TEST(WhatIf, there_are_fewer_compute_units) {
  expect_as_on(changed_gpu({{"compute_units", 152}}), loads_from_lds(), "compute-units=152");
  expect_as_on(changed_gpu({{"compute_units", 152}}), multiplies(), "compute-units=152");
}

TEST(WhatIf, memory_is_slower) {
  expect_as_on(changed_gpu({{"dram_gb_per_s", 1000}, {"dram_gb_per_s_measured", 4849.0 / 5.325}}),
               streams(), "memory-bandwidth=1000");
}

TEST(WhatIf, caches_are_smaller) {
  // What goes round fits the L1, or does not.
  expect_as_on(changed_gpu({{"l1_bytes_per_cu", 4096}}), goes_round(8192, 304), "l1=4K");
  // The XCD's L2 of 4 MiB holds what its 8 observed workgroups go round in, or does not.
  expect_as_on(changed_gpu({{"l2_bytes", 1 << 20}}), goes_round(1 << 18, 304), "l2=1M");
  expect_as_on(changed_gpu({{"l2_bytes", 1 << 20}, {"mall_bytes", 0}}), goes_round(1 << 18, 304),
               "l2=1M+mall=0");
  expect_as_on(changed_gpu({{"l2_bytes", 1 << 20}, {"mall_bytes", 0}}), goes_round(1 << 18, 304),
               "mall=0+l2=1048576");
}

TEST(WhatIf, lds_has_more_room) {
  Kernel kernel = streams();
  kernel.lds = 32768;
  kernel.workgroups = 304 * 64;
  expect_as_on(changed_gpu({{"lds_bytes_per_cu", 262144}, {"max_lds_per_workgroup", 262144}}),
               kernel, "lds=256K");
  EXPECT_THAT(ask(Observed(kernel), "lds=16K").why_none, HasSubstr("not one workgroup fits"));
}

TEST(WhatIf, lds_is_faster) {
  // All lanes at once in place of half of them.
  expect_as_on(changed_gpu({},
                           "[lds_phases]\nread_b32 = { lanes = \"0-63\", banks = 64, "
                           "source = \"this test\" }\n"),
               collides_in_lds(), "lds-rate=2");
}

TEST(WhatIf, matrix_units_are_faster) {
  expect_as_on(changed_gpu({}, "[rates.f16]\nmatrix = { value = 4096, source = \"this test\" }\n"),
               multiplies(), "matrix-rate=2");
}

/// Against a kernel that is written so: what is within a percent there is so here.
void expect_as_of(const Kernel& twin, const Kernel& kernel, const std::string& word,
                  double off = 0.01) {
  const double then = Observed(twin).launch.predict().seconds;
  const Observed here(kernel);
  EXPECT_NEAR(ask(here, word).seconds, then, off * then)
      << word << ", now " << here.launch.predict().seconds;
}

TEST(WhatIf, kernels_are_written_in_another_way) {
  expect_as_of(loads_from_lds(), collides_in_lds(), "lds-bank-conflicts");

  Kernel by_column = streams(), by_row = streams();
  by_column.at = [](std::uint64_t wave, unsigned turn, unsigned lane) {
    return wave * 64 * 256 + lane * 256 + turn * 4;
  };
  by_row.at = [](std::uint64_t wave, unsigned turn, unsigned lane) {
    return wave * 64 * 256 + turn * 256 + lane * 4;
  };
  expect_as_of(by_row, by_column, "uncoalesced-access", 0.1);

  Kernel large = streams(), small = streams();
  large.vgprs = 256;
  small.vgprs = 128;
  expect_as_of(small, large, "occupancy=4");
  expect_as_of({.workgroups = 152, .turns = 400}, {.workgroups = 38, .turns = 1600}, "small-grid=4",
               0.1);
  // Both at once.
  large.workgroups = 19;
  small.workgroups = 38;
  large.turns = 800, small.turns = 400;
  expect_as_of(small, large, "occupancy=4+small-grid=2", 0.1);
}

TEST(WhatIf, launches_take_no_time_of_their_own) {
  const Observed here({.workgroups = 304, .turns = 1});
  const timing::Prediction now = here.launch.predict();
  EXPECT_NEAR(ask(here, "launch-overhead").seconds, now.seconds - now.launch_seconds, 1e-12);
}

TEST(WhatIf, says_what_cannot_be) {
  Kernel kernel = streams();
  EXPECT_THAT(ask(Observed(kernel), "occupancy=8").why_none, HasSubstr("it has 8 waves a SIMD"));
  EXPECT_THAT(ask(Observed(kernel), "occupancy=9").why_none, HasSubstr("8 waves at most"));
  EXPECT_THAT(ask(Observed(kernel), "occupancy").why_none, HasSubstr("do not help"));
  EXPECT_THAT(ask(Observed(kernel), "compute-units=4").why_none, HasSubstr("xcds is more than"));
  EXPECT_THAT(ask(Observed(kernel), "clock=1e6").why_none, HasSubstr("out of range"));
  kernel.turns = 1;
  EXPECT_THAT(ask(Observed(kernel), "small-grid").why_none, HasSubstr("do too little"));
}

/// Two changes of one launch that leave out instructions: both are left out.
TEST(WhatIf, instructions_are_left_out_together) {
  const Observed here(loads_from_lds());
  const isa::Instruction one, other;
  Changed then(here.launch);
  then.leave_out({&one});
  then.leave_out({&other});
  EXPECT_EQ(*then.rewrite().without, (timing::Rewrite::Instructions{&one, &other}));
  EXPECT_FALSE(here.launch.assumptions.rewrite.without);
}

TEST(WhatIf, changes_nothing_of_the_launch) {
  const Observed here(loads_from_lds());
  const double now = here.launch.predict().seconds;
  for (const Transform& one : transforms())
    ask(here, one.usual ? std::string(one.id) : fmt::format("{}={}", one.id, 8192));
  EXPECT_EQ(here.launch.predict().seconds, now);
}

TEST(WhatIf, each_change_is_in_the_docs) {
  const std::string docs = read_text(HIPSIGHT_DOCS "/what-if.md");
  for (const Transform& one : transforms())
    EXPECT_THAT(docs, HasSubstr(fmt::format("\n| `{}` |", one.id)));
}

TEST(WhatIf, words_are_values_and_combinations_of_them) {
  const auto texts = [](const std::string& words) {
    std::vector<std::string> all;
    for (const WhatIf& one : parse_all_what_ifs(words)) all.push_back(one.text);
    return all;
  };
  EXPECT_THAT(texts("clock=1,1.5 occupancy"),
              testing::ElementsAre("clock=1", "clock=1.5", "occupancy"));
  EXPECT_THAT(texts("clock=1,2+l2=1M,2M"), testing::ElementsAre("clock=1+l2=1M", "clock=1+l2=2M",
                                                                "clock=2+l2=1M", "clock=2+l2=2M"));
  EXPECT_TRUE(texts("").empty());
  EXPECT_EQ(parse_what_ifs("l2=8M")[0].changes[0].second, 8 << 20);

  const auto wrong = [](const std::string& word) -> std::string {
    try {
      parse_what_ifs(word);
    } catch (const Exception& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(wrong("clocks=1"), HasSubstr("what if 'clocks'? There are: clock, compute-units"));
  EXPECT_THAT(wrong("clock"), HasSubstr("clock=GHZ"));
  EXPECT_THAT(wrong("clock=fast"), HasSubstr("'fast' is no number above 0"));
  EXPECT_THAT(wrong("clock=nan"), HasSubstr("no number"));
  EXPECT_THAT(wrong("clock=-1"), HasSubstr("no number"));
  EXPECT_THAT(wrong("clock=1K"), HasSubstr("no number"));
  EXPECT_THAT(wrong("compute-units=1.5"), HasSubstr("no whole number"));
  EXPECT_THAT(wrong("lds-bank-conflicts=1"), HasSubstr("takes no value"));
  EXPECT_THAT(wrong("clock=1+clock=2"), HasSubstr("twice"));
  EXPECT_THAT(wrong("small-grid=1e9"), HasSubstr("4096 at most"));
  EXPECT_THAT(wrong("short-loop=0.5"), HasSubstr("'0.5' is no whole number above 0"));
  EXPECT_THAT(wrong("short-loop=1e9"), HasSubstr("4096 at most"));
}

}  // namespace
}  // namespace hipsight::explain
