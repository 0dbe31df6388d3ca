#include "profile/summary.h"

#include <gtest/gtest.h>

namespace hipsight::profile {
namespace {

using isa::Number;
using isa::Pipe;

isa::Work work(Pipe pipe, Number number, double per_lane, double per_wave, unsigned read,
               unsigned written) {
  return {pipe, number, per_lane, per_wave, read, written, {}};
}

// y = a x + y over 1000 elements in waves of 64: 15 full waves and one of 40 lanes.
TEST(Summary, counts_a_saxpy_as_one_does_by_hand) {
  Summary sum;
  sum.add(work(Pipe::ScalarMemory, Number::None, 0, 0, 8, 0), 16, 16 * 64);
  sum.add(work(Pipe::Global, Number::None, 0, 0, 4, 0), 16, 1000);
  sum.add(work(Pipe::Global, Number::None, 0, 0, 4, 0), 16, 1000);
  sum.add(work(Pipe::Vector, Number::F32, 2, 0, 0, 0), 16, 1000);
  sum.add(work(Pipe::Global, Number::None, 0, 0, 0, 4), 16, 1000);
  sum.add(work(Pipe::Wait, Number::None, 0, 0, 0, 0), 16, 1024);

  EXPECT_EQ(sum.all_instructions(), 96u);
  EXPECT_EQ(sum.instructions_of(Pipe::Global), 48u);
  EXPECT_EQ(sum.floating_operations(), 2000);
  EXPECT_EQ(sum.vector_operations[std::size_t(Number::F32)], 2000);
  EXPECT_EQ(sum.global.read, 8000);
  EXPECT_EQ(sum.global.written, 4000);
  EXPECT_EQ(sum.scalar.read, 128);  // of a wave, not of its lanes
  EXPECT_EQ(sum.memory_bytes(), 12000);
  EXPECT_NEAR(sum.active_lanes(64), 1000.0 / 1024, 1e-12);
}

TEST(Summary, matrix_operations_are_of_waves) {
  Summary sum;
  sum.add(work(Pipe::Matrix, Number::F16, 0, 16384, 0, 0), 10, 640);
  sum.add(work(Pipe::Matrix, Number::I8, 0, 32768, 0, 0), 1, 64);
  EXPECT_EQ(sum.matrix_operations[std::size_t(Number::F16)], 163840);
  EXPECT_EQ(sum.matrix_operations[std::size_t(Number::I8)], 32768);
  EXPECT_EQ(sum.floating_operations(), 163840);
  EXPECT_EQ(sum.vector_operations[std::size_t(Number::F16)], 0);
}

TEST(Summary, keeps_address_spaces_apart) {
  Summary sum;
  sum.add(work(Pipe::Lds, Number::None, 0, 0, 16, 0), 2, 128);
  sum.add(work(Pipe::Scratch, Number::None, 0, 0, 0, 4), 1, 64);
  sum.add(work(Pipe::Flat, Number::None, 0, 0, 4, 4), 1, 3);  // an atomic reads and writes
  EXPECT_EQ(sum.lds.read, 2048);
  EXPECT_EQ(sum.scratch.written, 256);
  EXPECT_EQ(sum.flat.total(), 24);
  EXPECT_EQ(sum.global.total(), 0);
  EXPECT_EQ(sum.memory_bytes(), 280);  // LDS is not memory
}

TEST(Summary, sums_launches) {
  Summary sum;
  engine::Result result;
  result.waves = 8;
  result.workgroups = 2;
  result.host_seconds = 0.5;
  sum.add(result);
  sum.add(result);
  EXPECT_EQ(sum.launches, 2u);
  EXPECT_EQ(sum.waves, 16u);
  EXPECT_EQ(sum.workgroups, 4u);
  EXPECT_EQ(sum.host_seconds, 1);
}

}  // namespace
}  // namespace hipsight::profile
