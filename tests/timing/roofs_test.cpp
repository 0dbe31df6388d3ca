#include "timing/roofs.h"

#include <gtest/gtest.h>

namespace hipsight::timing {
namespace {

using isa::Number;
using isa::Pipe;

Launches launches(const profile::Summary& summary, std::uint32_t resident = 8,
                  std::uint32_t simds = 4, std::uint32_t wavefront = 64) {
  Launches result;
  result.summary = &summary;
  result.occupancy.workgroups = resident;
  result.occupancy.simds = simds;
  result.wavefront_size = wavefront;
  return result;
}

profile::Summary one_launch(std::uint64_t workgroups, std::uint64_t waves) {
  profile::Summary sum;
  sum.launches = 1;
  sum.workgroups = workgroups;
  sum.waves = waves;
  return sum;
}

// A matrix product of 4096 x 4096 x 4096 in f16: 137.4 GFLOP at AMD's 1307.4 TFLOPS are 105 us.
TEST(Roofs, a_full_gpu_reaches_its_published_matrix_peak) {
  profile::Summary sum = one_launch(3040, 3040 * 4);
  sum.matrix_operations[std::size_t(Number::F16)] = 2.0 * 4096 * 4096 * 4096;
  const Roofs result = roofs(gpus::find("mi300x"), launches(sum));
  const Roof* matrix = result.find(Roof::Kind::Matrix);
  ASSERT_TRUE(matrix);
  EXPECT_NEAR(matrix->seconds, 137.44e9 / 1307.4e12, 1e-7);
  EXPECT_EQ(matrix->evidence, "137 GFLOP at 1.31 PFLOP/s");
  EXPECT_EQ(result.busy_compute_units, 304);
}

TEST(Roofs, idle_compute_units_do_no_arithmetic) {
  profile::Summary sum = one_launch(38, 38);
  sum.vector_operations[std::size_t(Number::F64)] = 81.7e9;  // 1 ms of the whole GPU
  sum.lds.read = 128 * 2.1e6;                                // 1 ms of one compute unit
  const Roofs result = roofs(gpus::find("mi300x"), launches(sum));
  EXPECT_EQ(result.busy_compute_units, 38);
  EXPECT_NEAR(result.find(Roof::Kind::Vector)->seconds, 8e-3, 1e-5);
  EXPECT_NEAR(result.find(Roof::Kind::Lds)->seconds, 1e-3 / 38, 1e-9);
}

// In WGP mode a workgroup has two compute units.
TEST(Roofs, a_workgroup_fills_a_workgroup_processor) {
  const profile::Summary sum = one_launch(10, 40);
  EXPECT_EQ(roofs(gpus::find("rx7900xtx"), launches(sum, 8, 4, 32)).busy_compute_units, 20);
  EXPECT_EQ(roofs(gpus::find("rx7900xtx"), launches(sum, 8, 2, 32)).busy_compute_units, 10);
}

TEST(Roofs, memory_counts_every_request_and_prefers_measured_bandwidth) {
  profile::Summary sum = one_launch(3040, 3040);
  sum.global.read = 4.849e9;
  sum.scalar.read = 1e12;  // not DRAM's
  Launches all = launches(sum);
  all.compulsory_bytes = 4.849e8;
  const Roofs result = roofs(gpus::find("mi300x"), all);
  EXPECT_NEAR(result.find(Roof::Kind::Dram)->seconds, 1e-3, 1e-9);
  EXPECT_NEAR(result.find(Roof::Kind::DramCompulsory)->seconds, 1e-4, 1e-9);
  EXPECT_NEAR(result.find(Roof::Kind::L2)->seconds, 4.849e9 / 34.406e12, 1e-9);
  EXPECT_EQ(result.roofs.front().kind, Roof::Kind::Dram);  // longest first
  EXPECT_FALSE(roofs(gpus::find("mi300x"), launches(sum)).find(Roof::Kind::DramCompulsory));
}

// 1216 SIMDs at 2.1 GHz, four cycles for an instruction, sixteen for a transcendental one.
TEST(Roofs, vector_instructions_keep_their_simd) {
  profile::Summary sum = one_launch(3040, 1216 * 8);
  sum.instructions[std::size_t(Pipe::Vector)] = 1216 * 1000;
  sum.instructions[std::size_t(Pipe::Transcendental)] = 1216 * 100;
  const Roof issue = *roofs(gpus::find("mi300x"), launches(sum)).find(Roof::Kind::Issue);
  EXPECT_NEAR(issue.seconds, 5600 / 2.1e9, 1e-12);
  EXPECT_EQ(issue.name, "issue of vector instructions");
}

// RX 7900 XTX: 192 SIMDs of 32 lanes at 2.5 GHz: a wave64 takes two cycles.
TEST(Roofs, wave64_takes_twice_as_long_on_simds_of_32_lanes) {
  profile::Summary sum = one_launch(9600, 192 * 8);
  sum.instructions[std::size_t(Pipe::Vector)] = 192 * 1000;
  const gpus::Gpu gpu = gpus::find("rx7900xtx");
  EXPECT_NEAR(roofs(gpu, launches(sum, 8, 4, 32)).find(Roof::Kind::Issue)->seconds, 1000 / 2.5e9,
              1e-12);
  EXPECT_NEAR(roofs(gpu, launches(sum, 8, 4, 64)).find(Roof::Kind::Issue)->seconds, 2000 / 2.5e9,
              1e-12);
}

// One workgroup of one wave, 1000 instructions: four cycles each, whatever else is idle. Three
// rounds of workgroups take three times that.
TEST(Roofs, a_wave_issues_its_own_instructions_one_after_another) {
  const gpus::Gpu gpu = gpus::find("mi300x");
  profile::Summary one = one_launch(1, 1);
  one.instructions[std::size_t(Pipe::Scalar)] = 1000;
  one.instructions[std::size_t(Pipe::Wait)] = 500;  // may cost nothing
  EXPECT_NEAR(roofs(gpu, launches(one)).find(Roof::Kind::WaveIssue)->seconds, 4000 / 2.1e9, 1e-12);
  profile::Summary many = one_launch(304 * 8 * 3, 304 * 8 * 3);
  many.instructions[std::size_t(Pipe::Scalar)] = 1000 * many.waves;
  EXPECT_NEAR(roofs(gpu, launches(many)).find(Roof::Kind::WaveIssue)->seconds, 12000 / 2.1e9,
              1e-12);
}

TEST(Roofs, says_which_rates_are_unknown) {
  profile::Summary sum = one_launch(304, 304);
  sum.matrix_operations[std::size_t(Number::F4)] = 1e9;
  sum.vector_operations[std::size_t(Number::BF16)] = 1e9;
  const Roofs result = roofs(gpus::find("mi325x"), launches(sum));
  EXPECT_EQ(result.unknown.size(), 3u);  // and the launch
  EXPECT_FALSE(result.find(Roof::Kind::Matrix));
  EXPECT_FALSE(result.find(Roof::Kind::Launch));
}

TEST(Roofs, launches_add_up) {
  profile::Summary sum = one_launch(304, 304);
  sum.launches = 10;
  EXPECT_NEAR(roofs(gpus::find("mi300x"), launches(sum)).find(Roof::Kind::Launch)->seconds,
              10 * 2.8e-6, 1e-12);
  EXPECT_TRUE(roofs(gpus::find("mi300x"), launches(profile::Summary{})).roofs.empty());
}

}  // namespace
}  // namespace hipsight::timing
