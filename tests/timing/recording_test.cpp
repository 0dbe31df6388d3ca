// A recording predicts what the launch itself does, and damage to it is told.
#include "timing/recording.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "profile/simulate.h"
#include "support/error.h"
#include "support/zstd.h"

namespace hipsight::timing {
namespace {

class RecordingTest : public testing::Test {
 protected:
  RecordingTest() : trace(gpu, 8, 1) {
    const auto add = [&](const char* name, isa::Format format) -> isa::Instruction& {
      isa::Instruction& in = code.emplace_back();
      in.row = &isa::row_of(name);
      in.format = format;
      in.gfx = isa::Gfx::Gfx942;
      in.address = code.size() * 4;
      in.size = 4;
      return in;
    };
    code.reserve(8);
    add("GLOBAL_LOAD_DWORD", isa::Format::Global).dst = {.where = isa::Where::Vgpr, .index = 7};
    add("S_WAITCNT", isa::Format::Sopp).imm = {isa::Field::Counters, 0x0f70};
    add("V_ADD_F32", isa::Format::Vop2);
    add("V_NOP", isa::Format::Vop1);  // is not run
    add("DS_READ_B32", isa::Format::Ds);
    result.regions = {{&code[3], 1}, {&code[0], 3}, {&code[4], 1}};
    for (const isa::Instruction& in : code) result.counts.push_back({&in, 100, 6400});
    result.workgroups = 8;
    auto* group = trace.begins(0);
    std::array<std::uint64_t, 64> at{};
    for (unsigned wave = 0; wave < 2; ++wave) {
      for (unsigned turn = 0; turn < 50; ++turn) {
        group->enters(wave, 1, ~0ull);
        for (unsigned lane = 0; lane < 64; ++lane) at[lane] = 4096 * (turn % 20) + lane * 4;
        group->accesses(wave, code[0], {engine::Access::Space::Global, 4, 64, ~0ull, at.data()});
      }
      group->enters(wave, 2, ~0ull);
      group->accesses(wave, code[4], {engine::Access::Space::Lds, 4, 64, ~0ull, at.data()});
    }
    profile::simulate(gpu, trace);
    trace.sharing[&code[0]] = {.l2 = 0.25, .arriving = 0.5, .mall = 0.125};
    file = std::filesystem::temp_directory_path() /
           ("hipsight.recording_test." + std::to_string(getpid()));
    write(file, gpu, trace, result, occupancy, 64);
    std::ifstream in(file, std::ios::binary);
    std::ostringstream all;
    all << in.rdbuf();
    bytes = all.str();
  }
  ~RecordingTest() override { std::filesystem::remove(file); }

  const gpus::Gpu gpu = gpus::find("mi300x");
  std::vector<isa::Instruction> code;
  profile::LaunchTrace trace;
  engine::Result result;
  Occupancy occupancy{.waves_per_workgroup = 2, .workgroups = 3};
  std::string file, bytes;
};

TEST_F(RecordingTest, PredictsTheSame) {
  const auto recording = read(bytes);
  EXPECT_EQ(recording->gpu.name, "mi300x");
  EXPECT_EQ(recording->result.workgroups, 8u);
  for (const Caches caches : {Caches::Cold, Caches::InMall, Caches::Warm}) {
    const Prediction a = predict(gpu, trace, result, occupancy, 64, {.caches = caches});
    const Prediction b = recording->predict({.caches = caches});
    EXPECT_EQ(a.family, b.family);
    EXPECT_GT(a.cycles, 1000);
    EXPECT_EQ(a.cycles, b.cycles);
    EXPECT_EQ(a.seconds, b.seconds);
    EXPECT_EQ(text(a.bound), text(b.bound));
  }
  EXPECT_LT(recording->predict({.caches = Caches::InMall}).cycles, recording->predict().cycles);
}

/// Causal attention's do the more the later they begin.
TEST_F(RecordingTest, KeepsAnAverageWorkgroup) {
  profile::LaunchTrace uneven(gpu, 3, 3);
  for (const unsigned workgroup : {0, 1, 2}) {
    auto* group = uneven.begins(workgroup);
    for (unsigned turn = 0; turn < 10 + 30 * workgroup; ++turn) group->enters(0, 1, ~0ull);
  }
  profile::simulate(gpu, uneven);
  result.workgroups = 3;
  result.counts = {{&code[0], 10 * 3 + 40 * 3 + 70 * 3, 0}};
  write(file, gpu, uneven, result, occupancy, 64);
  std::ostringstream all;
  all << std::ifstream(file, std::ios::binary).rdbuf();
  EXPECT_EQ(read(all.str())->trace.neighbours().front().waves.front().path.size(), 40u);
}

TEST_F(RecordingTest, TellsDamage) {
  EXPECT_THROW(read(""), Exception);
  EXPECT_THROW(read("something else"), Exception);
  const std::string text = decompress(bytes);
  for (const std::string& whole : {bytes, text}) {
    for (std::size_t length = 0; length < whole.size(); ++length)
      EXPECT_THROW(read(std::string_view(whole).substr(0, length)), Exception) << length;
    // Whatever stands in a byte, reading ends well.
    for (std::size_t at = 0; at < whole.size(); ++at)
      for (const char value : {'\0', '-', '9', '\xff'}) {
        std::string damaged = whole;
        damaged[at] = value;
        try {
          read(damaged);
        } catch (const Exception&) {
        }
      }
  }
  EXPECT_THROW(read(std::string(1 << 20, '[')), Exception);
}

TEST_F(RecordingTest, TellsWhatCannotBeWritten) {
  EXPECT_THROW(write("/nowhere/recording", gpu, trace, result, occupancy, 64), Exception);
  const profile::LaunchTrace empty(gpu, 0, 0);
  EXPECT_THROW(write(file, gpu, empty, result, occupancy, 64), Exception);
}

}  // namespace
}  // namespace hipsight::timing
