// Interpreted and translated kernels give the same bits, NaN payloads included, and the same
// counts.

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <random>

#include "engine/engine.h"
#include "gpus/gpu.h"
#include "support/files.h"

namespace hipsight::engine {
namespace {

struct Where {
  const char* gpu;
  const char* file;
};
/// Bits to compute with.
enum class Data { Any, Ordinary };

/// The words to work on: any bits, with infinities, NaNs, zeros and denormals among them more often
/// than by chance; or ordinary numbers with a single NaN among them.
std::vector<std::uint32_t> words(std::size_t count, unsigned seed, Data data) {
  std::mt19937 random(seed);
  constexpr std::array<std::uint32_t, 12> odd{0,          0x80000000, 0x7f800000, 0xff800000,
                                              0x7fc00000, 0xffc12345, 0x7f812345, 0xff9abcde,
                                              1,          0x807fffff, 0x3f800000, 0x7f7fffff};
  std::vector<std::uint32_t> result(count);
  for (auto& word : result) {
    const auto any = static_cast<std::uint32_t>(random());
    if (data == Data::Ordinary)
      word = (any & 0x807fffff) | ((random() % 16 + 120) << 23);
    else
      word = random() % 4 ? any : odd[any % odd.size()];
  }
  if (data == Data::Ordinary) result[count / 3] = 0x7fabcdef;
  return result;
}

struct Outcome {
  std::vector<std::uint32_t> out;
  std::vector<InstructionCount> counts;
};

class TiersTest : public testing::TestWithParam<Where> {
 protected:
  static constexpr std::uint32_t n = 3000;

  void SetUp() override {
    if (Engine::host_isa() == "sse4") GTEST_SKIP() << "this host cannot translate";
  }

  static Outcome run(Tier tier, const char* name, std::uint32_t block, Data data) {
    Engine engine(gpus::find(GetParam().gpu), {.threads = 1, .tier = tier});
    const auto module = Module::load(
        code::CodeObject::read(read_bytes(GetParam().file), GetParam().file), engine.memory());
    const auto array = [&](const std::vector<std::uint32_t>& values) {
      void* at = engine.memory().allocate(n * 4, Memory::Kind::Device, "array");
      std::memcpy(at, values.data(), n * 4);
      return static_cast<const std::uint32_t*>(at);
    };
    const std::uint32_t* arrays[]{array(words(n, 1, data)), array(words(n, 2, data)),
                                  array(std::vector<std::uint32_t>(n))};
    const code::Kernel* kernel = module->object().find_kernel(name);
    if (!kernel) throw std::runtime_error(std::string("no kernel ") + name);
    std::vector<std::byte> kernarg(kernel->kernarg_size);
    for (unsigned i = 0; i < 3; ++i)
      std::memcpy(kernarg.data() + kernel->arguments.at(i).offset, &arrays[i], 8);
    std::memcpy(kernarg.data() + kernel->arguments.at(3).offset, &n, 4);
    for (const auto& argument : kernel->arguments)
      if (argument.value_kind == "hidden_group_size_x")
        std::memcpy(kernarg.data() + argument.offset, &block, argument.size);
    const std::uint32_t items = (n + block - 1) / block * block;
    // Twice: what the first launch has translated serves the second from its start.
    Outcome outcome;
    for (int launch = 0; launch < 2; ++launch)
      outcome.counts = engine
                           .run({.module = module,
                                 .kernel = kernel,
                                 .grid = {items, 1, 1},
                                 .block = {block, 1, 1},
                                 .kernarg = kernarg})
                           .counts;
    outcome.out.assign(arrays[2], arrays[2] + n);
    // Instructions go with their module.
    for (auto& count : outcome.counts) count.instruction = nullptr;
    return outcome;
  }

  static void compare(const char* name, std::uint32_t block) {
    for (const Data data : {Data::Any, Data::Ordinary}) {
      const Outcome expected = run(Tier::Interpret, name, block, data);
      const Outcome actual = run(Tier::Translate, name, block, data);
      for (std::uint32_t i = 0; i < n; ++i)
        ASSERT_EQ(actual.out[i], expected.out[i])
            << name << " item " << i << " of workgroups of " << block;
      ASSERT_EQ(actual.counts.size(), expected.counts.size());
      for (std::size_t i = 0; i < actual.counts.size(); ++i) {
        EXPECT_EQ(actual.counts[i].executions, expected.counts[i].executions) << name << ' ' << i;
        EXPECT_EQ(actual.counts[i].lanes, expected.counts[i].lanes) << name << ' ' << i;
      }
    }
  }
};

TEST_P(TiersTest, LoopsThatLanesLeaveGiveTheSameBits) {
  for (const char* kernel :
       {"loop_collatz", "loop_ways", "loop_search", "loop_chase", "loop_widths", "loop_nested"})
    for (const std::uint32_t block : {256u, 77u}) compare(kernel, block);
}

TEST_P(TiersTest, GiveTheSameBits) {
  // Rows of whole groups of lanes, a last wave that is not full, and rows that are neither.
  for (const char* kernel :
       {"float32",     "special",     "powers",     "widths",        "integers", "diverge",
        "gathers",     "patterns",    "atomics",    "strided_loads", "lds_rows", "lds_operands",
        "lds_tiles",   "lds_columns", "lds_ends",   "lds_stores",    "clamped",  "stores",
        "wide_stores", "apart_two",   "apart_four", "same_place",    "joined",   "walk",
        "permutes",    "rows",        "parts",      "flushed",       "scalars",  "halves"})
    for (const std::uint32_t block : {256u, 80u, 77u}) compare(kernel, block);
  compare("tiles", 256);
  if (std::string_view(GetParam().file).find("wave64") == std::string_view::npos)
    compare("products", 256);
  compare("overlapping", 64);
}

class LongKernels : public TiersTest {};

TEST_P(LongKernels, GiveTheSameBits) {
  for (const char* kernel : {"long_straight", "long_branches"}) compare(kernel, 256);
}

INSTANTIATE_TEST_SUITE_P(Gpus, LongKernels,
                         testing::Values(Where{"mi300x", HIPSIGHT_LONG_gfx942},
                                         Where{"rx7900xtx", HIPSIGHT_LONG_gfx1100}),
                         [](const auto& p) { return std::string(p.param.gpu); });

INSTANTIATE_TEST_SUITE_P(Gpus, TiersTest,
                         testing::Values(Where{"mi210", HIPSIGHT_TIERS_gfx90a},
                                         Where{"mi300x", HIPSIGHT_TIERS_gfx942},
                                         Where{"mi355x", HIPSIGHT_TIERS_gfx950},
                                         Where{"rx7900xtx", HIPSIGHT_TIERS_gfx1100},
                                         Where{"rx7900xtx", HIPSIGHT_TIERS_gfx1100_wave64},
                                         Where{"rx9070xt", HIPSIGHT_TIERS_gfx1201},
                                         Where{"rx9070xt", HIPSIGHT_TIERS_gfx1201_wave64}),
                         [](const auto& p) {
                           const std::string_view file = p.param.file;
                           return p.param.gpu +
                                  std::string(file.find("wave64") == file.npos ? "" : "_wave64");
                         });

}  // namespace
}  // namespace hipsight::engine
