// Accesses beyond an allocation or the workgroup's LDS, which a GPU lets pass: told once, and from
// then on about as quick as others.
#include <ctime>

#include "kernels.h"

namespace hipsight::engine {
namespace {

class OverrunsTest : public testing::TestWithParam<Where> {};

double processor_seconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

TEST_P(OverrunsTest, AreToldOnceAndCostLittle) {
  for (const char* name : {"global", "lds", "generic"}) {
    Kernels kernels(GetParam(), {.threads = 1, .tier = Tier::Interpret});
    int told = 0;
    kernels.on_overrun([&](const std::string&) { ++told; });
    std::uint32_t* const in = kernels.array(64);
    std::uint32_t* const out = kernels.array(64);
    const auto seconds = [&](std::uint32_t beyond) {
      in[0] = beyond;
      const double begin = processor_seconds();
      kernels.run(name, 64, {in, out}, 500);
      return processor_seconds() - begin;
    };
    seconds(0);
    const double inside = seconds(0);
    EXPECT_EQ(told, 0) << name;
    const double beyond = seconds(32);
    EXPECT_EQ(told, 1) << name;
    // It was a thousand times as long.
    EXPECT_LT(beyond, 30 * inside + 0.01) << name;
  }
}

/// What a module is told of once, whatever was loaded before it and lies where it lay.
TEST_P(OverrunsTest, AreToldOfEachModuleOnce) {
  Kernels kernels(GetParam(), {.threads = 1, .tier = Tier::Interpret});
  std::uint32_t* const in = kernels.array(64);
  std::uint32_t* const out = kernels.array(64);
  in[0] = 32;
  for (unsigned load = 1; load <= 20; ++load) {
    for (const char* name : {"global", "lds", "global"}) kernels.run(name, 64, {in, out});
    EXPECT_EQ(kernels.told.size(), 2 * load);
    kernels.reload();
  }
}

INSTANTIATE_TEST_SUITE_P(Gpus, OverrunsTest,
                         testing::Values(Where{"mi300x", HIPSIGHT_OVERRUNS_gfx942},
                                         Where{"rx7900xtx", HIPSIGHT_OVERRUNS_gfx1100}),
                         name_of);

}  // namespace
}  // namespace hipsight::engine
