// Loads whose data goes to LDS, against where the ISA manuals say that it goes: lane i's dword to
// M0 + offset + 4 i, and three or four dwords to M0 + offset + 16 i.
#include <cstring>

#include "kernels.h"

namespace hipsight::engine {
namespace {

constexpr std::uint32_t items = 128, words = items * 4 + 16, untouched = 0xdeadbeef;

class LdsLoadTest : public testing::TestWithParam<Where> {
 protected:
  LdsLoadTest() {
    data = kernels.array(items * 16);
    from = kernels.array(items);
    out = kernels.array(words);
    for (std::uint32_t i = 0; i < items * 4; ++i) data[i] = 0x9e3779b9u * (i + 1);
    for (std::uint32_t i = 0; i < items; ++i) from[i] = (i * 37 + 11) % items;
  }

  /// Runs a kernel; `element(i, k)` is word k of element i, and each lane's words are `stride`
  /// words apart, `offset` words from the wave's first.
  template <class Element>
  void check(const char* name, std::uint32_t stride, std::uint32_t count, std::uint32_t offset,
             Element element) {
    kernels.run(name, items, {data, from, out});
    std::vector<std::uint32_t> expected(words, untouched);
    for (std::uint32_t i = 0; i < items; ++i)
      for (std::uint32_t k = 0; k < count; ++k)
        if (i % 64 != 5) expected[i * stride + offset + k] = element(from[i], k);
    EXPECT_EQ(std::vector(out, out + words), expected) << name;
  }

  Kernels kernels{GetParam()};
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
  if (kernels.processor() != "gfx950") return;
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
                         name_of);

}  // namespace
}  // namespace hipsight::engine
