// 16-bit loads into one half of a register. Without ECC they keep the other half; on GPUs whose
// registers have it (sramecc) they clear it.
#include <algorithm>

#include "kernels.h"

namespace hipsight::engine {
namespace {

struct Device {
  const char* gpu;
  const char* target_id;  ///< instead of the GPU's own
  const char* file;
  bool ecc;
};
std::string name_of(const testing::TestParamInfo<Device>& info) {
  std::string name = info.param.target_id;
  std::ranges::replace_if(
      name, [](char c) { return !isalnum(static_cast<unsigned char>(c)); }, '_');
  return name + (info.param.ecc ? "_with_ecc" : "_without");
}

class D16Test : public testing::TestWithParam<Device> {
 protected:
  static gpus::Gpu gpu() {
    gpus::Gpu gpu = gpus::find(GetParam().gpu);
    gpu.target_id = GetParam().target_id;
    return gpu;
  }
  /// What a register holds after a load into one of its halves.
  static std::uint32_t with_half(std::uint32_t value, bool high) {
    const std::uint32_t kept = GetParam().ecc ? 0 : before;
    return high ? (kept & 0xffff) | value << 16 : (kept & 0xffff0000) | (value & 0xffff);
  }

  static constexpr std::uint32_t items = 64, before = 0x11112222;
  Kernels kernels{gpu(), GetParam().file};
  std::uint32_t* const in = kernels.array(items);
};

TEST_P(D16Test, LoadsKeepOrClearTheOtherHalf) {
  for (std::uint32_t i = 0; i < items; ++i) in[i] = 0x9e3779b9u * (i + 1) | 0x8080;
  // Global, flat to each memory, scratch (not gfx90a's), buffer, LDS: bytes without and with a sign
  // and words, each into both halves; then formatted ones.
  const std::uint32_t spaces = kernels.processor() == "gfx90a" ? 6 : 7, loads = spaces * 6 + 3;
  std::uint32_t* const out = kernels.array(items * loads);
  kernels.run("loads", items, {in, out});
  for (std::uint32_t load = 0; load < loads; ++load)
    for (std::uint32_t i = 0; i < items; ++i) {
      const std::uint32_t sign_extended = ((in[i] & 0xff) ^ 0x80) - 0x80;
      const std::uint32_t kinds[]{in[i] & 0xff, sign_extended, in[i] & 0xffff};
      const bool formatted = load >= spaces * 6;
      const std::uint32_t value = formatted ? in[i] & 0xff : kinds[load % 6 / 2];
      const bool high = formatted ? load == spaces * 6 + 1 : load % 2;
      EXPECT_EQ(out[load * items + i], with_half(value, high)) << "load " << load << ", item " << i;
    }
}

TEST_P(D16Test, ThreeComponentsTakeAHalfOfTheSecondRegister) {
  for (std::uint32_t i = 0; i < items; ++i) in[i] = 0x9e3779b9u * (i + 1);
  std::uint32_t* const out = kernels.array(items * 2);
  kernels.run("three", items, {in, out});
  for (std::uint32_t i = 0; i < items; ++i) {
    EXPECT_EQ(out[2 * i], (in[i] & 0xff) | (in[i] & 0xff00) << 8) << i;
    EXPECT_EQ(out[2 * i + 1], with_half(in[i] >> 16 & 0xff, false)) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Gpus, D16Test,
    testing::Values(Device{"mi210", "gfx90a:sramecc+:xnack-", HIPSIGHT_D16_gfx90a, true},
                    Device{"mi210", "gfx90a:sramecc-:xnack-", HIPSIGHT_D16_gfx90a, false},
                    Device{"mi300x", "gfx942:sramecc+:xnack-", HIPSIGHT_D16_gfx942, true},
                    Device{"mi300x", "gfx942:sramecc-:xnack-", HIPSIGHT_D16_gfx942, false},
                    Device{"mi300x", "gfx942", HIPSIGHT_D16_gfx942, true},
                    Device{"mi355x", "gfx950:sramecc+:xnack-", HIPSIGHT_D16_gfx950, true},
                    Device{"rx7900xtx", "gfx1100", HIPSIGHT_D16_gfx1100, false},
                    Device{"rx9070xt", "gfx1201", HIPSIGHT_D16_gfx1201, false}),
    name_of);

}  // namespace
}  // namespace hipsight::engine
