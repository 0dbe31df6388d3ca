// What is told of timelines, checked by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "timeline/record.h"

namespace hipsight::timeline {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;
using Kind = TimelineOperation::Kind;

Done done(Kind kind, const char* what, double begin, double end, std::uint32_t stream = 0,
          int device = 0) {
  return {.kind = kind,
          .what = what,
          .device = device,
          .stream = stream,
          .submitted = begin,
          .span = {begin, end},
          .range = "",
          .filled = 1};
}
auto loss(const char* id, double seconds) {
  return testing::AllOf(Field(&TimelineLoss::id, id),
                        Field(&TimelineLoss::seconds, testing::DoubleNear(seconds, 1e-9)));
}

TEST(Timeline, nothing_of_nothing) {
  const Timeline none = timeline_of({}, {});
  EXPECT_EQ(none.seconds, 0);
  EXPECT_THAT(none.losses, IsEmpty());
}

TEST(Timeline, kernels_side_by_side_count_once) {
  const Timeline t =
      timeline_of({done(Kind::Kernel, "a", 0, 4), done(Kind::Kernel, "b", 1, 6, 1)}, {});
  EXPECT_EQ(t.seconds, 6);
  EXPECT_EQ(t.kernel_seconds, 6);
  EXPECT_THAT(t.shares,
              ElementsAre(Field(&TimelineShare::what, "b"), Field(&TimelineShare::what, "a")));
  EXPECT_THAT(t.losses, IsEmpty());
}

TEST(Timeline, copies_beside_kernels_cost_nothing) {
  const std::vector<Done> work{done(Kind::Copy, "copy", 0, 4), done(Kind::Kernel, "a", 2, 10, 1),
                               done(Kind::Copy, "copy", 5, 8)};
  const Timeline t = timeline_of(work, {});
  EXPECT_EQ(t.kernel_seconds, 8);
  EXPECT_EQ(t.copy_seconds, 2);
  EXPECT_THAT(t.losses, ElementsAre(loss("exposed-copies", 2)));
  EXPECT_EQ(t.shares.at(1).times, 2u);
}

TEST(Timeline, communication_is_exposed_where_nothing_is_computed) {
  const auto reduces = "void hipsight::rccl::reduce_kernel<float>(int)";
  const std::vector<Done> work{
      done(Kind::Kernel, "gemm", 0, 4), done(Kind::Kernel, reduces, 2, 7, 1),
      done(Kind::Kernel, "gemm", 6, 10), done(Kind::Kernel, "ncclDevKernel_Generic", 0, 10, 0, 1)};
  const Timeline t = timeline_of(work, {});
  EXPECT_THAT(t.losses, ElementsAre(loss("exposed-communication", 2 + 10)));
}

TEST(Timeline, gaps_are_the_hosts_wait_or_its_launches) {
  // Until 4 the host waits for the first kernel; the third one comes too late without a wait.
  const std::vector<Done> work{done(Kind::Kernel, "a", 0, 4), done(Kind::Kernel, "a", 7, 8),
                               done(Kind::Kernel, "a", 10, 11)};
  const Timeline t = timeline_of(work, {{1, 4}});
  EXPECT_EQ(t.idle_seconds, 5);
  EXPECT_THAT(t.losses, ElementsAre(loss("host-waits", 3), loss("launch-gaps", 2)));
}

TEST(Timeline, gpus_have_gaps_of_their_own) {
  const Timeline t =
      timeline_of({done(Kind::Kernel, "a", 0, 10), done(Kind::Kernel, "a", 0, 1, 0, 1),
                   done(Kind::Kernel, "a", 9, 10, 0, 1)},
                  {});
  EXPECT_EQ(t.kernel_seconds, 12);
  EXPECT_THAT(t.losses, ElementsAre(loss("launch-gaps", 8)));
}

TEST(Timeline, kernels_that_leave_compute_units_idle_could_run_side_by_side) {
  std::vector<Done> work{done(Kind::Kernel, "small", 0, 8), done(Kind::Kernel, "small", 8, 10),
                         done(Kind::Kernel, "beside", 2, 4, 1), done(Kind::Kernel, "full", 10, 20)};
  for (Done& one : work) one.filled = one.what == "full" ? 1 : 0.25;
  // Until 2 and from 4 on one kernel runs, on a quarter of the GPU.
  EXPECT_THAT(timeline_of(work, {}).losses, ElementsAre(loss("few-workgroups", 0.75 * 8)));
  // Nothing could run beside the only kernel.
  work.resize(1);
  EXPECT_THAT(timeline_of(work, {}).losses, IsEmpty());
}

TEST(Timeline, the_order_of_threads_makes_no_difference) {
  std::vector<Done> work{done(Kind::Kernel, "a", 0, 4), done(Kind::Copy, "c", 0, 4, 1),
                         done(Kind::Event, "event", 4, 4), done(Kind::Kernel, "b", 4, 5, 2)};
  const Timeline t = timeline_of(work, {{2, 4}, {0, 1}});
  std::ranges::reverse(work);
  const Timeline other = timeline_of(work, {{0, 1}, {2, 4}});
  for (std::size_t i = 0; i < work.size(); ++i)
    EXPECT_EQ(t.operations[i].what, other.operations[i].what);
  EXPECT_EQ(t.waits[0].begin, 0);
}

}  // namespace
}  // namespace hipsight::timeline
