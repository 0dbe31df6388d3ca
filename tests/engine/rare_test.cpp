// Instructions that compilers seldom use, against what the ISA manuals say of each.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>

#include "kernels.h"

namespace hipsight::engine {
namespace {

constexpr std::uint32_t items = 32, off = 5, words = 1024, lds_words = 512, lds_out = 128;

class RareTest : public testing::TestWithParam<Where> {
 protected:
  RareTest() {
    for (std::uint32_t i = 0; i < words; ++i) in[i] = 0x9e3779b9u * (i + 1);
  }

  bool is_cdna() const { return kernels.processor().starts_with("gfx9"); }

  void run(const std::string& name) {
    std::fill_n(out, words, 0u);
    kernels.run(name, items, {in, out});
  }

  template <class T>
  T operand(std::uint32_t which, std::uint32_t lane) const {
    T value;
    std::memcpy(&value, in + lds_words + 128 * which + 2 * lane, sizeof value);
    return value;
  }
  template <class T>
  void set_operand(std::uint32_t which, std::uint32_t lane, T value) {
    std::memcpy(in + lds_words + 128 * which + 2 * lane, &value, sizeof value);
  }

  /// Runs an LDS kernel; `lane(i, lds, a, b)` does what it should do for a lane, on a copy of LDS,
  /// and gives its result.
  template <class T>
  void check(const char* name,
             const std::function<std::uint64_t(std::uint32_t, std::uint32_t*, T, T)>& lane) {
    run(name);
    std::vector<std::uint32_t> lds(in, in + lds_words);
    for (std::uint32_t i = 0; i < items; ++i) {
      std::uint64_t expected = 0, result;
      if (i != off) expected = lane(i, lds.data(), operand<T>(0, i), operand<T>(1, i));
      std::memcpy(&result, out + 2 * i, 8);
      EXPECT_EQ(result, expected) << name << ", lane " << i;
    }
    EXPECT_EQ(std::vector(out + lds_out, out + lds_out + lds_words), lds) << name;
  }
  /// The same for what makes one word of T of its old value.
  template <class T>
  void check_update(const char* name, const std::function<T(T, T, T)>& update) {
    check<T>(name, [&](std::uint32_t i, std::uint32_t* lds, T a, T b) {
      T old;
      std::memcpy(&old, lds + 2 * i, sizeof old);
      const T fresh = update(old, a, b);
      std::memcpy(lds + 2 * i, &fresh, sizeof fresh);
      return std::uint64_t{old};
    });
  }

  /// Compare and swap of floats: equal values of other bits, NaN that is not equal to itself.
  template <class T, class Float>
  void check_compare(const char* name) {
    for (std::uint32_t i = 0; i < items; ++i) {
      const Float stored[]{1, 0, NAN, 2.5}, comparand[]{1, -0.0f, NAN, 3};
      const T now = std::bit_cast<T>(stored[i % 4]);
      std::memcpy(in + 2 * i, &now, sizeof now);
      set_operand(is_cdna() ? 0 : 1, i, std::bit_cast<T>(comparand[i % 4]));
    }
    check_update<T>(name, [&](T old, T a, T b) {
      const T compared = is_cdna() ? a : b, fresh = is_cdna() ? b : a;
      return std::bit_cast<Float>(old) == std::bit_cast<Float>(compared) ? fresh : old;
    });
  }

  Kernels kernels{GetParam()};
  std::uint32_t* const in = kernels.array(words);
  std::uint32_t* const out = kernels.array(words);
};

TEST_P(RareTest, LdsAtomics) {
  using u32 = std::uint32_t;
  using u64 = std::uint64_t;
  check_update<u32>("mskor32", [](u32 old, u32 a, u32 b) { return (old & ~a) | b; });
  check_update<u64>("mskor64", [](u64 old, u64 a, u64 b) { return (old & ~a) | b; });
  check_update<u64>("condxchg", [](u64 old, u64 a, u64) {
    u64 fresh = old;
    if (a >> 31 & 1) fresh = (fresh & 0xffffffff00000000) | (a & 0x7fffffff);
    if (a >> 63) fresh = (fresh & 0xffffffff) | (a & 0x7fffffff00000000);
    return fresh;
  });
  if (kernels.processor() == "gfx1201") {
    check_update<u32>("sub_clamp", [](u32 old, u32 a, u32) { return old < a ? 0 : old - a; });
    check_update<u32>("cond_sub", [](u32 old, u32 a, u32) { return old < a ? old : old - a; });
    return;
  }
  check_update<u32>("wrap", [](u32 old, u32 a, u32 b) { return old >= a ? old - a : old + b; });
  check_compare<u32, float>("cmpst_f32");
  check_compare<u64, double>("cmpst_f64");
}

TEST_P(RareTest, LdsExchangesOfTwo) {
  const auto exchange = [](std::uint32_t first, std::uint32_t second) {
    return [=](std::uint32_t i, std::uint32_t* lds, std::uint32_t a, std::uint32_t b) {
      const std::uint64_t old = lds[2 * i + first] | std::uint64_t{lds[2 * i + second]} << 32;
      lds[2 * i + first] = a;
      lds[2 * i + second] = b;
      return old;
    };
  };
  check<std::uint32_t>("exchange", exchange(1, 0));
  check<std::uint32_t>("exchange_far", exchange(0, 128));
}

TEST_P(RareTest, LdsAddressesByM0) {
  constexpr std::uint32_t counter = (64 + 8) / 4, first = (64 + 12) / 4;
  const auto count = [&](std::uint32_t by) {
    // All lanes get what was there before; the first of them changes it.
    return [=, this](std::uint32_t i, std::uint32_t* lds, std::uint32_t, std::uint32_t) {
      if (i == 0) lds[counter] += by;
      return std::uint64_t{in[counter]};
    };
  };
  check<std::uint32_t>("append", count(items - 1));
  check<std::uint32_t>("consume", count(-(items - 1)));
  check<std::uint32_t>("read_by_lane", [](std::uint32_t i, std::uint32_t* lds, std::uint32_t,
                                          std::uint32_t) { return std::uint64_t{lds[first + i]}; });
  check<std::uint32_t>("write_by_lane",
                       [](std::uint32_t i, std::uint32_t* lds, std::uint32_t a, std::uint32_t) {
                         lds[first + i] = a;
                         return std::uint64_t{0};
                       });
}

class LdsTransposeTest : public RareTest {};  // gfx950 alone
class ScalarMemoryTest : public RareTest {};  // CDNA alone

// Sixteen lanes read rows of sixteen elements; each gets a column.
TEST_P(LdsTransposeTest, GivesColumns) {
  for (const unsigned bits : {16u, 8u, 4u}) {
    run("transposed" + std::to_string(bits));
    const auto element = [&](std::uint32_t tile, std::uint32_t row, std::uint32_t column) {
      const std::uint32_t bit = tile * 16 * 64 + (row * 16 + column) * bits;
      return std::uint64_t{in[bit / 32] >> bit % 32 & ((1u << bits) - 1)};
    };
    for (std::uint32_t i = 0; i < items; ++i) {
      std::uint64_t expected = 0, result;
      for (std::uint32_t row = 0; row < 64 / bits; ++row)
        expected |= element(i / 16, row, i % 16) << row * bits;
      std::memcpy(&result, out + 2 * i, 8);
      EXPECT_EQ(result, expected) << bits << " bits, lane " << i;
    }
  }
}

TEST_P(RareTest, SumsOfDifferences) {
  for (std::uint32_t i = 0; i < items; i += 3)
    set_operand(1, i, operand<std::uint32_t>(1, i) & 0xff00ffff);  // a byte that does not count
  run("mqsad");
  for (std::uint32_t i = 0; i < items; ++i) {
    const auto bytes = operand<std::uint64_t>(0, i);
    const auto reference = operand<std::uint32_t>(1, i);
    for (std::uint32_t k = 0; k < 4; ++k) {
      std::uint32_t expected = k + 1;
      for (unsigned byte = 0; byte < 4 && i != off; ++byte) {
        const int a = static_cast<int>(bytes >> 8 * (k + byte) & 0xff);
        const int b = static_cast<int>(reference >> 8 * byte & 0xff);
        if (b) expected += static_cast<std::uint32_t>(std::abs(a - b));
      }
      EXPECT_EQ(out[4 * i + k], expected) << i << ", " << k;
    }
  }
}

class LanesTest : public RareTest {};  // RDNA4 alone

// Lanes that are off are read where the instruction says so.
TEST_P(LanesTest, ReadOthers) {
  run("lanes");
  for (std::uint32_t i = 0; i < items; ++i) {
    const auto select = operand<std::uint32_t>(1, i);
    const std::uint32_t near = (i & 16) | (select & 15), far = near ^ 16, any = select / 4 % 32;
    EXPECT_EQ(out[4 * i], i == off || near == off ? 1 : operand<std::uint32_t>(0, near)) << i;
    EXPECT_EQ(out[4 * i + 1], i == off ? 2 : operand<std::uint32_t>(0, far)) << i;
    EXPECT_EQ(out[4 * i + 2], i == off ? 3 : operand<std::uint32_t>(0, any)) << i;
  }
}

TEST_P(RareTest, RegistersThatM0Names) {
  run("scalar_registers");
  EXPECT_EQ(out[0], 122u);
  EXPECT_EQ(out[1], 7u);
  if (is_cdna()) return;
  run("vector_registers");
  for (std::uint32_t i = 0; i < items; ++i) {
    EXPECT_EQ(out[2 * i], 123u) << i;
    EXPECT_EQ(out[2 * i + 1], 121u) << i;
  }
  run("global_by_lane");
  for (std::uint32_t i = 0; i < items; ++i) EXPECT_EQ(out[4 + i], in[2 + i]) << i;
}

TEST_P(ScalarMemoryTest, StoresAndAtomics) {
  run("scalar_memory");
  const std::vector<std::uint32_t> expected{0, 9, 11, 12, 11, 0};
  EXPECT_EQ(std::vector(out, out + 6), expected);
  EXPECT_EQ(out[16], 0u);  // beyond the buffer
  EXPECT_EQ(out[100], 11u);
  EXPECT_EQ(out[101], 0u);
}

constexpr Where mi300x{"mi300x", HIPSIGHT_RARE_gfx942}, mi355x{"mi355x", HIPSIGHT_RARE_gfx950},
    rx7900xtx{"rx7900xtx", HIPSIGHT_RARE_gfx1100}, rx9070xt{"rx9070xt", HIPSIGHT_RARE_gfx1201};
INSTANTIATE_TEST_SUITE_P(Gpus, RareTest, testing::Values(mi300x, mi355x, rx7900xtx, rx9070xt),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Gpus, LdsTransposeTest, testing::Values(mi355x), name_of);
INSTANTIATE_TEST_SUITE_P(Gpus, LanesTest, testing::Values(rx9070xt), name_of);
INSTANTIATE_TEST_SUITE_P(Gpus, ScalarMemoryTest, testing::Values(mi300x, mi355x), name_of);

}  // namespace
}  // namespace hipsight::engine
