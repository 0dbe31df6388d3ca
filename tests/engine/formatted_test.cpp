// Formatted buffer accesses against the definition of each format.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "kernels.h"

namespace hipsight::engine {
namespace {

constexpr std::uint32_t items = 64;

class FormattedTest : public testing::TestWithParam<Where> {
 protected:
  FormattedTest() {
    std::fill_n(out_words, items * 4, 0xdeadbeef);
    for (std::uint32_t i = 0; i < items * 4; ++i) in_words[i] = 0x9e3779b9u * (i + 1);
  }

  void run(const char* name) { kernels.run(name, items, {in_words, out_words}); }

  /// `count` bits of element i, `bytes` bytes long, from bit `first` on.
  std::uint32_t field(std::uint32_t i, unsigned bytes, unsigned first, unsigned count) const {
    std::uint64_t word = 0;
    std::memcpy(&word, reinterpret_cast<std::byte*>(in_words) + i * bytes + first / 32 * 4,
                std::min(4u, bytes));
    return static_cast<std::uint32_t>(word >> first % 32 & ((1ull << count) - 1));
  }

  /// Runs a load; `component(i, k)` is what it gives for element i.
  template <class Component>
  void check_load(const char* name, Component component) {
    run(name);
    for (std::uint32_t i = 0; i < items; ++i)
      for (std::uint32_t k = 0; k < 4; ++k) {
        const auto expected = component(i, k);
        EXPECT_EQ(std::bit_cast<decltype(+expected)>(out_words[i * 4 + k]), expected)
            << name << ", element " << i << ", component " << k;
      }
  }

  Kernels kernels{GetParam()};
  std::uint32_t* const in_words = kernels.array(items * 4);
  std::uint32_t* const out_words = kernels.array(items * 4);
};

int sign_extended(std::uint32_t field, unsigned bits) {
  return static_cast<int>(field << (32 - bits)) >> (32 - bits);
}
/// A float without sign: five bits of exponent above those of the mantissa.
float small_float(std::uint32_t field, unsigned mantissa_bits) {
  const auto mantissa = static_cast<float>(field & ((1u << mantissa_bits) - 1));
  const int exponent = static_cast<int>(field >> mantissa_bits);
  const float unit = std::ldexp(1.0f, -static_cast<int>(mantissa_bits));
  if (exponent == 31) return mantissa == 0 ? INFINITY : NAN;
  return exponent ? std::ldexp(1 + mantissa * unit, exponent - 15)
                  : std::ldexp(mantissa * unit, -14);
}

TEST_P(FormattedTest, LoadsConvert) {
  check_load("load_8_unorm", [&](std::uint32_t i, std::uint32_t k) {
    const float absent = k == 3 ? 1 : 0;
    return k == 0 ? static_cast<float>(field(i, 1, 0, 8)) / 255 : absent;
  });
  check_load("load_16_16_sscaled", [&](std::uint32_t i, std::uint32_t k) {
    const float absent = k == 3 ? 1 : 0;
    return k < 2 ? static_cast<float>(sign_extended(field(i, 4, 16 * k, 16), 16)) : absent;
  });
  check_load("load_2_10_10_10_snorm", [&](std::uint32_t i, std::uint32_t k) {
    const unsigned bits = k == 3 ? 2 : 10;
    const auto value = static_cast<float>(sign_extended(field(i, 4, 10 * k, bits), bits));
    return std::max(value / static_cast<float>((1 << (bits - 1)) - 1), -1.0f);
  });
  check_load("load_2_10_10_10_uint", [&](std::uint32_t i, std::uint32_t k) {
    return field(i, 4, 10 * k, k == 3 ? 2 : 10);
  });
  check_load("load_8_8_8_8_uscaled", [&](std::uint32_t i, std::uint32_t k) {
    return static_cast<float>(field(i, 4, 8 * k, 8));
  });
  check_load("load_32_32_32_float", [&](std::uint32_t i, std::uint32_t k) {
    return k == 3 ? 0x3f800000u : in_words[3 * i + k];
  });
}

TEST_P(FormattedTest, LoadsSmallFloats) {
  // All exponents, with and without mantissa.
  for (std::uint32_t i = 0; i < items; ++i)
    in_words[i] =
        (i % 32) << 6 | (i < 32 ? 0 : 37) | (i * 31 & 0x7ff) << 11 | (i * 17 & 0x3ff) << 22;
  run("load_10_11_11_float");
  for (std::uint32_t i = 0; i < items; ++i) {
    const float expected[]{small_float(field(i, 4, 0, 11), 6), small_float(field(i, 4, 11, 11), 6),
                           small_float(field(i, 4, 22, 10), 5), 1};
    for (std::uint32_t k = 0; k < 4; ++k) {
      const auto value = std::bit_cast<float>(out_words[i * 4 + k]);
      EXPECT_TRUE(value == expected[k] || (std::isnan(value) && std::isnan(expected[k])))
          << i << ", " << k << ": " << value << ", not " << expected[k];
    }
  }
}

TEST_P(FormattedTest, LoadsHalves) {
  run("load_halves");
  for (std::uint32_t i = 0; i < items; ++i)
    for (std::uint32_t k = 0; k < 4; ++k) {
      const auto expected = static_cast<_Float16>(static_cast<float>(field(i, 4, 8 * k, 8)) / 255);
      _Float16 value;
      std::memcpy(&value, reinterpret_cast<_Float16*>(out_words) + i * 4 + k, 2);
      EXPECT_EQ(static_cast<float>(value), static_cast<float>(expected)) << i << ", " << k;
    }
}

TEST_P(FormattedTest, StoresRoundAndSaturate) {
  const float values[items]{0, 1, -1, 0.5f, 2, -2, NAN, INFINITY, -INFINITY, 0.25f, 1e-9f, 0.998f};
  auto* in = reinterpret_cast<float*>(in_words);
  for (std::uint32_t i = 0; i < items * 4; ++i) in[i] = values[i % 12];
  const auto byte = [&](std::uint32_t i) { return reinterpret_cast<std::uint8_t*>(out_words)[i]; };
  run("store_8_8_8_8_unorm");
  for (std::uint32_t i = 0; i < items * 4; ++i) {
    const float clamped = in[i] > 0 ? std::min(in[i], 1.0f) : 0;
    EXPECT_EQ(byte(i), std::nearbyint(clamped * 255)) << in[i];
  }
  run("store_8_8_8_8_snorm");
  for (std::uint32_t i = 0; i < items * 4; ++i) {
    const float clamped = std::isnan(in[i]) ? 0 : std::clamp(in[i], -1.0f, 1.0f);
    EXPECT_EQ(static_cast<std::int8_t>(byte(i)), std::nearbyint(clamped * 127)) << in[i];
  }
  run("store_16_16_16_16_sscaled");
  for (std::uint32_t i = 0; i < items * 4; ++i) {
    const float clamped = std::isnan(in[i]) ? 0 : std::clamp(in[i], -32768.0f, 32767.0f);
    EXPECT_EQ(reinterpret_cast<std::int16_t*>(out_words)[i], std::nearbyint(clamped)) << in[i];
  }
  run("store_16_16_float");
  for (std::uint32_t i = 0; i < items * 2; ++i) {
    const float stored = static_cast<float>(reinterpret_cast<_Float16*>(out_words)[i]);
    const float expected = static_cast<float>(static_cast<_Float16>(in[i / 2 * 4 + i % 2]));
    EXPECT_TRUE(stored == expected || (std::isnan(stored) && std::isnan(expected))) << expected;
  }
}

// What a small float stands for is stored as that small float.
TEST_P(FormattedTest, StoresSmallFloats) {
  for (std::uint32_t i = 0; i < items; ++i) {
    const std::uint32_t code = i * 31 % 0x7c0;  // finite
    in_words[i * 4] = in_words[i * 4 + 1] = std::bit_cast<std::uint32_t>(small_float(code, 6));
    in_words[i * 4 + 2] = std::bit_cast<std::uint32_t>(small_float(code / 2, 5));
  }
  in_words[0] = 0xbf800000;  // -1: there is no sign
  run("store_10_11_11_float");
  for (std::uint32_t i = 0; i < items; ++i) {
    const std::uint32_t code = i * 31 % 0x7c0;
    EXPECT_EQ(out_words[i], (i ? code : 0) | code << 11 | code / 2 << 22) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Gpus, FormattedTest,
                         testing::Values(Where{"mi300x", HIPSIGHT_FORMATTED_gfx942},
                                         Where{"rx7900xtx", HIPSIGHT_FORMATTED_gfx1100},
                                         Where{"rx9070xt", HIPSIGHT_FORMATTED_gfx1201}),
                         name_of);

}  // namespace
}  // namespace hipsight::engine
