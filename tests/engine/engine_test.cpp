// Launches as the runtime makes them, on code compiled for two GPUs: counts against what the source
// says, waves that wait for each other, MODE against the host's own rounding.

#include "engine/engine.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cfenv>
#include <chrono>
#include <cmath>
#include <cstring>

#include "gpus/gpu.h"
#include "support/files.h"

namespace hipsight::engine {
namespace {

struct Where {
  const char* gpu;
  const char* file;
};

class EngineTest : public testing::TestWithParam<Where> {
 protected:
  Engine engine{gpus::find(GetParam().gpu), {.threads = 2}};
  std::shared_ptr<Module> module = load(engine);

  static std::shared_ptr<Module> load(Engine& engine, const char* origin = GetParam().file) {
    return Module::load(code::CodeObject::read(read_bytes(GetParam().file), origin),
                        engine.memory());
  }

  template <class T>
  static T* array(Engine& engine, std::size_t count) {
    return static_cast<T*>(
        engine.memory().allocate(count * sizeof(T), Memory::Kind::Device, "array"));
  }

  /// Launches a kernel; block sizes are hidden arguments that the device code reads.
  template <class... Arguments>
  Result run(Engine& on, std::shared_ptr<Module> code, const char* name, std::uint32_t items,
             std::uint32_t block, Arguments... arguments) {
    const code::Kernel* kernel = code->object().find_kernel(name);
    if (!kernel) throw std::runtime_error(std::string("no kernel ") + name);
    std::vector<std::byte> kernarg(kernel->kernarg_size);
    std::size_t next = 0;
    const auto put = [&](const auto& value) {
      std::memcpy(kernarg.data() + kernel->arguments.at(next++).offset, &value, sizeof value);
    };
    (put(arguments), ...);
    for (const auto& argument : kernel->arguments) {
      const auto fill = [&](const char* kind, std::uint32_t value) {
        if (argument.value_kind == kind)
          std::memcpy(kernarg.data() + argument.offset, &value, argument.size);
      };
      fill("hidden_block_count_x", items / block);
      fill("hidden_group_size_x", block);
      fill("hidden_remainder_x", items % block);
    }
    return on.run({.module = std::move(code),
                   .kernel = kernel,
                   .grid = {items, 1, 1},
                   .block = {block, 1, 1},
                   .kernarg = kernarg});
  }
  template <class... Arguments>
  Result run(const char* name, std::uint32_t items, std::uint32_t block, Arguments... arguments) {
    return run(engine, module, name, items, block, arguments...);
  }
};

/// Executions and lanes of the instructions whose name begins so.
std::pair<std::uint64_t, std::uint64_t> total(const Result& result, std::string_view name) {
  std::pair<std::uint64_t, std::uint64_t> sum;
  for (const auto& count : result.counts)
    if (count.instruction->name().starts_with(name))
      sum.first += count.executions, sum.second += count.lanes;
  return sum;
}

TEST_P(EngineTest, CountsAreExactAndDoNotDependOnThreads) {
  constexpr std::uint32_t n = 1000, block = 192;
  auto* out = array<std::uint32_t>(engine, n);
  const Result result = run("loop", 1152, block, out, n);
  std::uint64_t rounds = 0;
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::uint32_t k = i % 5;
    EXPECT_EQ(out[i], k * (k - 1) / 2) << i;
    rounds += k;
  }
  EXPECT_EQ(result.workgroups, 6u);
  EXPECT_EQ(result.waves, 1152u / module->object().kernels()[0].wavefront_size);
  // Only the loop stores per work-item below n, and each of its rounds adds once on the lanes left.
  EXPECT_EQ(total(result, "GLOBAL_STORE_DWORD").second, n);
  Engine single(gpus::find(GetParam().gpu), {.threads = 1});
  auto* again = array<std::uint32_t>(single, n);
  const Result alone = run(single, load(single), "loop", 1152, block, again, n);
  ASSERT_EQ(result.counts.size(), alone.counts.size());
  for (std::size_t i = 0; i < alone.counts.size(); ++i) {
    EXPECT_EQ(result.counts[i].executions, alone.counts[i].executions);
    EXPECT_EQ(result.counts[i].lanes, alone.counts[i].lanes);
  }
  // The loop's body: the one place whose lanes sum to the rounds of all work-items.
  bool found = false;
  for (const auto& count : alone.counts)
    found |= count.instruction->name() == "V_ADD_U32" && count.lanes == rounds;
  EXPECT_TRUE(found);
}

TEST_P(EngineTest, OffsetsMayBeNegative) {
  auto* from = array<std::uint32_t>(engine, 2000);
  auto* to = array<std::uint32_t>(engine, 128);
  for (std::uint32_t i = 0; i < 2000; ++i) from[i] = i * i;
  const Result result = run("behind", 64, 64, from + 1000, to + 64);
  for (std::uint32_t i = 0; i < 64; ++i) EXPECT_EQ(to[i], i * i + (i + 999) * (i + 999)) << i;
  bool negative = false;
  for (const auto& count : result.counts) negative |= count.instruction->offset < 0;
  EXPECT_TRUE(negative) << "the kernel has no such offset";
}

TEST_P(EngineTest, WorkgroupsThatWaitForEachOtherAllRun) {
  // Far more workgroups than host threads, each spinning until the last has arrived.
  constexpr std::uint32_t groups = 64, rounds = 3;
  auto* counter = array<std::uint32_t>(engine, 1);
  run("meet", groups * 64, 64, counter, groups, rounds);
  EXPECT_EQ(*counter, groups * rounds);
}

TEST_P(EngineTest, ModeRoundsAndFlushesLikeTheHost) {
  auto* out = array<float>(engine, 6);
  const float a = 1.0f, b = 0x1.8p-25f, small = 0x1p-126f;
  run("modes", 1, 1, out, a, b, small);
  // MODE: 0 nearest, 1 up, 2 down, 3 toward zero.
  const int host[]{FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
  for (int mode = 0; mode < 4; ++mode) {
    std::fesetround(host[mode]);
    volatile float x = a, y = b;
    const float expected = x + y;
    std::fesetround(FE_TONEAREST);
    EXPECT_EQ(out[mode], expected) << "mode " << mode;
  }
  EXPECT_EQ(out[4], 0.0f);
  EXPECT_EQ(out[5], 0x1p-127f);
  // The host's own mode is as it was.
  EXPECT_EQ(std::fegetround(), FE_TONEAREST);
  volatile float denormal = 0x1p-127f;
  EXPECT_NE(denormal * 1.0f, 0.0f);
}

TEST_P(EngineTest, ScratchIsPrivateToEachWorkItem) {
  constexpr std::uint32_t n = 256;
  auto* out = array<std::uint32_t>(engine, n);
  run("scratch", n, 128, out, 7u);
  for (std::uint32_t i = 0; i < n; ++i) {
    std::uint32_t values[32], sum = 0;
    for (std::uint32_t k = 0; k < 32; ++k) values[k * 7 % 32] = i * 100 + k;
    for (std::uint32_t k = 0; k < 32; ++k) sum += values[k] * (k + 1);
    EXPECT_EQ(out[i], sum) << i;
  }
}

TEST_P(EngineTest, LdsIsZeroWhenAWorkgroupStarts) {
  constexpr std::uint32_t n = 64 * 16;
  auto* out = array<std::uint32_t>(engine, n);
  for (int launch = 0; launch < 2; ++launch) {
    run("take_lds", n, 64, out, 0x7fc00000u);
    for (std::uint32_t i = 0; i < n; ++i) EXPECT_EQ(out[i], 0) << i;
  }
}

TEST_P(EngineTest, BarriersOrderTheWavesOfAWorkgroup) {
  constexpr std::uint32_t block = 512, groups = 8;
  auto* out = array<std::uint32_t>(engine, block * groups);
  run("hand_on", block * groups, block, out);
  std::uint32_t expected = 1;
  for (std::uint32_t wave = 0; wave < block / 64; ++wave) expected = expected * 3 + wave;
  for (std::uint32_t i = 0; i < block * groups; ++i) EXPECT_EQ(out[i], expected) << i;
}

TEST_P(EngineTest, BadLaunchesAreRefused) {
  const auto refused = [&](std::uint32_t items, std::uint32_t block) {
    try {
      Dispatch dispatch{.module = module,
                        .kernel = module->object().find_kernel("hand_on"),
                        .grid = {items, 1, 1},
                        .block = {block, 1, 1},
                        .kernarg = {}};
      engine.run(dispatch);
    } catch (const KernelError& error) {
      EXPECT_NE(std::string(error.what()).find("hand_on"), std::string::npos);
      return error.kind == KernelError::Kind::InvalidLaunch;
    }
    return false;
  };
  EXPECT_TRUE(refused(0, 64));
  EXPECT_TRUE(refused(64, 0));
  EXPECT_TRUE(refused(4096, 2048));
}

// A code object may ask for more scratch than any host has: 2 GiB a work-item.
TEST_P(EngineTest, ScratchBeyondTheHostsMemoryIsSaidSo) {
  code::Kernel kernel = *module->object().find_kernel("clocks");
  kernel.scratch_bytes = 0x7fffffff;
  std::vector<std::byte> kernarg(kernel.kernarg_size);
  try {
    engine.run({.module = module,
                .kernel = &kernel,
                .grid = {1024, 1, 1},
                .block = {1024, 1, 1},
                .kernarg = kernarg});
    FAIL();
  } catch (const KernelError& error) {
    EXPECT_EQ(error.kind, KernelError::Kind::InvalidLaunch);
    EXPECT_NE(std::string(error.what()).find("2147483647 bytes of scratch"), std::string::npos)
        << error.what();
  }
}

TEST_P(EngineTest, ClocksRunAtTheirRates) {
  auto* out = array<std::uint64_t>(engine, 2);
  const auto start = std::chrono::steady_clock::now();
  run("clocks", 1, 1, out);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  EXPECT_GE(out[0], 100'000u);
  EXPECT_LE(static_cast<double>(out[0]), took.count() * 100e6);
  EXPECT_NE(out[1], 0u);
}

TEST_P(EngineTest, RegistersBeyondTheLastAreNamed) {
  try {
    run("beyond", 64, 64, array<std::uint32_t>(engine, 64));
    ADD_FAILURE();
  } catch (const KernelError& error) {
    EXPECT_EQ(std::string(error.what()).find("the kernel has no register v200: it asks for "), 0u)
        << error.what();
  }
}

// As rocFFT's callbacks are: functions of the program's code that a library's kernels call.
TEST_P(EngineTest, FunctionsOfOtherCodeObjectsAreCalledByTheirAddresses) {
  for (const Tier tier : {Tier::Interpret, Tier::Translate}) {
    if (tier == Tier::Translate && Engine::host_isa() == "sse4") continue;
    constexpr std::uint32_t n = 256;
    Engine engine(gpus::find(GetParam().gpu), {.threads = 1, .tier = tier});
    const auto module = load(engine);
    auto* address = array<std::uint64_t>(engine, 1);
    auto *in = array<std::uint32_t>(engine, n), *out = array<std::uint32_t>(engine, n);
    for (std::uint32_t i = 0; i < n; ++i) in[i] = i;
    const auto fault_of = [&](const std::uint32_t* from) -> std::string {
      try {
        run(engine, module, "call", n, n, *address, from, out);
      } catch (const KernelError& error) {
        return error.what();
      }
      return "";
    };
    // Twice, since what was known of the first one's addresses does not hold for the second.
    for (const char* origin : {"first.co", "second.co"}) {
      auto other = load(engine, origin);
      run(engine, other, "address_of", 1, 1, address);
      const auto begin = reinterpret_cast<std::uintptr_t>(other->address(0));
      ASSERT_LT(*address - begin, other->object().image_size());
      const Result result = run(engine, module, "call", n, n, *address, in, out);
      for (std::uint32_t i = 0; i < n; ++i) ASSERT_EQ(out[i], 2 * i + 1) << origin;
      EXPECT_EQ(  // the function's
          total(result, "FLAT_LOAD_DWORD").second + total(result, "GLOBAL_LOAD_DWORD").second, n);
      const std::string fault = fault_of(nullptr);
      EXPECT_NE(fault.find("it is the null pointer"), std::string::npos) << fault;
      EXPECT_NE(fault.find(fmt::format(" in {}\n", origin)), std::string::npos) << fault;
      EXPECT_NE(fault.find("kernels.hip:"), std::string::npos) << fault;
      other.reset();
      EXPECT_EQ(fault_of(in).find(fmt::format("jump to {:#x}, where there is no code", *address)),
                0u);
    }
  }
}

using StrippedTest = EngineTest;
TEST_P(StrippedTest, FunctionsWithoutSymbolsAreCalled) {
  constexpr std::uint32_t n = 64;
  EXPECT_EQ(module->object().find_symbol("_ZL7doubledPKj"), nullptr);
  auto* address = array<std::uint64_t>(engine, 1);
  auto *in = array<std::uint32_t>(engine, n), *out = array<std::uint32_t>(engine, n);
  for (std::uint32_t i = 0; i < n; ++i) in[i] = i;
  run("address_of", 1, 1, address);
  const Result result = run("call", n, n, *address, in, out);
  for (std::uint32_t i = 0; i < n; ++i) ASSERT_EQ(out[i], 2 * i + 1);
  EXPECT_EQ(total(result, "FLAT_LOAD_DWORD").second, n);
}

using WaveNumberTest = EngineTest;
TEST_P(WaveNumberTest, WavesKnowTheirNumber) {
  constexpr std::uint32_t n = 600, block = 300;  // ten waves, the last one not full
  auto* out = array<std::uint32_t>(engine, n);
  run("wave_number", n, block, out);
  for (std::uint32_t i = 0; i < n; ++i) EXPECT_EQ(out[i], i % block / 32) << i;
}

INSTANTIATE_TEST_SUITE_P(Gpus, EngineTest,
                         testing::Values(Where{"mi300x", HIPSIGHT_KERNELS_gfx942},
                                         Where{"rx7900xtx", HIPSIGHT_KERNELS_gfx1100},
                                         Where{"mi210", HIPSIGHT_KERNELS_gfx90a},
                                         Where{"rx9070xt", HIPSIGHT_KERNELS_gfx1201}),
                         [](const auto& info) { return std::string(info.param.gpu); });
INSTANTIATE_TEST_SUITE_P(Gpus, StrippedTest,
                         testing::Values(Where{"mi300x", HIPSIGHT_KERNELS_stripped}),
                         [](const auto& info) { return std::string(info.param.gpu); });
INSTANTIATE_TEST_SUITE_P(Gpus, WaveNumberTest,
                         testing::Values(Where{"rx9070xt", HIPSIGHT_KERNELS_gfx1201}),
                         [](const auto& info) { return std::string(info.param.gpu); });

}  // namespace
}  // namespace hipsight::engine
