#include "explain/verdict.h"

#include <gtest/gtest.h>

#include "support/quantity.h"

namespace hipsight::explain {
namespace {

using isa::Number;

Verdict judge(const profile::Summary& sum, const char* name = "mi300x") {
  const gpus::Gpu gpu = gpus::find(name);
  timing::Launches launches;
  launches.summary = &sum;
  launches.occupancy.workgroups = 8;
  return verdict(gpu, launches, timing::roofs(gpu, launches));
}

profile::Summary one_launch(std::uint64_t workgroups) {
  profile::Summary sum;
  sum.launches = 1;
  sum.workgroups = workgroups;
  sum.waves = workgroups * 4;
  return sum;
}

TEST(Verdict, a_large_copy_is_bound_by_dram) {
  profile::Summary sum = one_launch(1 << 20);
  sum.global.read = sum.global.written = 1 << 30;
  sum.instructions[std::size_t(isa::Pipe::Global)] = 2 << 22;
  const Verdict result = judge(sum);
  EXPECT_EQ(result.bound, "DRAM, all requests");
  EXPECT_EQ(result.arithmetic_intensity, 0);
  EXPECT_EQ(result.sentence,
            "Memory-bound unless caches help: DRAM needs 443 us for all bytes requested; if "
            "caches caught all, issue of memory instructions would bind, at 13.1 us.");
}

TEST(Verdict, a_large_matrix_product_is_bound_by_the_matrix_pipe) {
  profile::Summary sum = one_launch(3040);
  sum.matrix_operations[std::size_t(Number::F16)] = 1.3074e12;
  sum.vector_operations[std::size_t(Number::F32)] = 1.634e10;
  sum.global.read = 4.849e8;
  const Verdict result = judge(sum);
  EXPECT_EQ(result.bound, "matrix f16");
  EXPECT_NEAR(result.seconds, 1e-3, 1e-6);
  EXPECT_NEAR(*result.arithmetic_intensity, (1.3074e12 + 1.634e10) / 4.849e8, 1e-6);
  EXPECT_EQ(result.sentence,
            "Bound by matrix f16: 1.00 ms; next is DRAM, all requests with 100 us (10 % of it).");
}

TEST(Verdict, a_small_kernel_is_bound_by_its_launch_and_its_grid) {
  profile::Summary sum = one_launch(12);
  sum.vector_operations[std::size_t(Number::F32)] = 1000;
  const Verdict result = judge(sum);
  EXPECT_EQ(result.bound, "launch");
  const std::string takes =
      "Launch-bound: 1 launch takes " + duration(*gpus::find("mi300x").launch_us * 1e-6);
  EXPECT_EQ(result.sentence.substr(0, takes.size()), takes);
  EXPECT_NE(result.sentence.find("The grid is too small: 12 of 304 compute units have a workgroup"),
            std::string::npos)
      << result.sentence;
}

TEST(Verdict, without_work_there_is_nothing_to_bound) {
  EXPECT_EQ(judge(one_launch(0), "mi325x").sentence, "Nothing to bound: no instruction ran.");
}

TEST(Quantity, has_three_digits_and_a_prefix) {
  EXPECT_EQ(quantity(0, "B"), "0 B");
  EXPECT_EQ(quantity(999, "B"), "999 B");
  EXPECT_EQ(quantity(1000, "B"), "1.00 kB");
  EXPECT_EQ(quantity(999999, "B"), "1.00 MB");
  EXPECT_EQ(quantity(12345678, ""), "12.3 M");
  EXPECT_EQ(quantity(137.4e9, "FLOP"), "137 GFLOP");
  EXPECT_EQ(duration(1.234e-6), "1.23 us");
  EXPECT_EQ(duration(0.0999996), "100 ms");
  EXPECT_EQ(duration(75), "75.0 s");
}

}  // namespace
}  // namespace hipsight::explain
