// Loads whose data goes to LDS, against where the ISA manuals say that it goes: lane i's dword to
// M0 + offset + 4 i, and three or four dwords to M0 + offset + 16 i.
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>

#include "engine/engine.h"
#include "gpus/gpu.h"

namespace hipsight::engine {
namespace {

constexpr std::uint32_t items = 128, words = items * 4 + 16, untouched = 0xdeadbeef;

struct Where {
  const char* gpu;
  const char* file;
};

class LdsLoadTest : public testing::TestWithParam<Where> {
 protected:
  LdsLoadTest() {
    std::ifstream in(GetParam().file, std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(in)), {});
    module = Module::load(code::CodeObject::read(std::as_bytes(std::span(text)), GetParam().file),
                          engine.memory());
    data = array(items * 16);
    from = array(items);
    out = array(words);
    for (std::uint32_t i = 0; i < items * 4; ++i) data[i] = 0x9e3779b9u * (i + 1);
    for (std::uint32_t i = 0; i < items; ++i) from[i] = (i * 37 + 11) % items;
  }

  std::uint32_t* array(std::size_t count) {
    return static_cast<std::uint32_t*>(
        engine.memory().allocate(count * 4, Memory::Kind::Device, "array"));
  }

  /// Runs a kernel; `element(i, k)` is word k of element i, and each lane's words are `stride`
  /// words apart, `offset` words from the wave's first.
  template <class Element>
  void check(const char* name, std::uint32_t stride, std::uint32_t count, std::uint32_t offset,
             Element element) {
    const code::Kernel* kernel = module->object().find_kernel(name);
    ASSERT_NE(kernel, nullptr) << name;
    const std::uint32_t* arguments[]{data, from, out};
    std::vector<std::byte> kernarg(kernel->kernarg_size);
    for (int i = 0; i < 3; ++i)
      std::memcpy(kernarg.data() + kernel->arguments.at(i).offset, &arguments[i], 8);
    engine.run({.module = module,
                .kernel = kernel,
                .grid = {items, 1, 1},
                .block = {items, 1, 1},
                .kernarg = kernarg});
    std::vector<std::uint32_t> expected(words, untouched);
    for (std::uint32_t i = 0; i < items; ++i)
      for (std::uint32_t k = 0; k < count; ++k)
        if (i % 64 != 5) expected[i * stride + offset + k] = element(from[i], k);
    EXPECT_EQ(std::vector(out, out + words), expected) << name;
  }

  Engine engine{gpus::find(GetParam().gpu), {.threads = 1}};
  std::shared_ptr<Module> module;
  std::uint32_t *data, *from, *out;
};

TEST_P(LdsLoadTest, PutsTheDataOfEachLaneInItsPlace) {
  const auto part = [&](unsigned bytes) {
    return [this, bytes](std::uint32_t i, std::uint32_t) {
      std::uint32_t value = 0;
      std::memcpy(&value, reinterpret_cast<std::byte*>(data) + i * bytes, bytes);
      return value;
    };
  };
  check("bytes", 1, 1, 0, part(1));
  check("shorts", 1, 1, 0, part(2));
  check("dwords", 1, 1, 0, part(4));
  check("buffer_dwords", 1, 1, 0, part(4));
  // The offset counts for both addresses.
  check("dwords_with_offset", 1, 1, 4,
        [this](std::uint32_t i, std::uint32_t) { return data[i + 4]; });
  if (module->object().target().processor != "gfx950") return;
  const auto wide = [this](std::uint32_t i, std::uint32_t k) { return data[i * 4 + k]; };
  check("three_dwords", 4, 3, 0, wide);
  check("four_dwords", 4, 4, 0, wide);
}

TEST_P(LdsLoadTest, LoadsZerosFromBeyondABuffer) {
  from[0] = items;
  check("buffer_dwords", 1, 1, 0,
        [this](std::uint32_t i, std::uint32_t) { return i < items ? data[i] : 0; });
}

INSTANTIATE_TEST_SUITE_P(Gpus, LdsLoadTest,
                         testing::Values(Where{"mi210", HIPSIGHT_LDS_LOAD_gfx90a},
                                         Where{"mi300x", HIPSIGHT_LDS_LOAD_gfx942},
                                         Where{"mi355x", HIPSIGHT_LDS_LOAD_gfx950}),
                         [](const auto& info) { return std::string(info.param.gpu); });

}  // namespace
}  // namespace hipsight::engine
