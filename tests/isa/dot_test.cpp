// Dot products of 16-bit floats on RDNA3 and RDNA4, and exact mode's WMMA, against a transcription
// of what was measured, one number at a time (ROCm/rocm-systems#12056, #12120).
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>
#include <vector>

#include "machine.h"

namespace hipsight::test {
namespace {

using u16 = std::uint16_t;
using u32 = std::uint32_t;
using i64 = std::int64_t;

/// A format of 16 bits.
struct Format {
  int fraction, bias;
  u32 infinity() const { return (2u * bias + 1) << fraction; }
  bool is_f16() const { return fraction == 10; }
};
constexpr Format f16{10, 15}, bf16{7, 127};

/// A number with its sign apart: whole * 2^exponent.
struct Number {
  i64 whole = 0;
  int exponent = 0;
  bool negative = false;
  int leading() const { return exponent + std::bit_width(static_cast<std::uint64_t>(whole)) - 1; }
};

i64 towards_zero(const Number& n, int grid) {
  const int up = n.exponent - grid;
  return up >= 0 ? n.whole << up : up > -63 ? n.whole >> -up : 0;
}
i64 downwards(const Number& n, int grid) {
  const int up = n.exponent - grid;
  const i64 value = n.negative ? -n.whole : n.whole;
  return up >= 0 ? value * (i64{1} << up) : up > -63 ? value >> -up : value < 0 ? -1 : 0;
}
/// units * 2^grid as a float of some bits, to nearest even.
double rounded(i64 units, int grid, int mantissa_bits, int least_exponent) {
  if (!units) return 0;
  const int leading = std::bit_width(static_cast<std::uint64_t>(std::llabs(units))) - 1 + grid;
  const int place = std::max(leading, least_exponent) - mantissa_bits;
  // Exact: fewer than 53 bits.
  return std::ldexp(std::nearbyint(std::ldexp(static_cast<double>(units), grid - place)), place);
}

class Oracle {
 public:
  Oracle(bool rdna4, Format format, bool narrow)
      : rdna4_(rdna4), format_(format), narrow_(narrow) {}

  /// Products of x[i] and y[i] (two, or four of RDNA4) and c, in the bits of the result.
  u32 dot(const std::vector<u16>& x, const std::vector<u16>& y, u32 c) const {
    bool nan = false, invalid = false, plus = false, minus = false;
    std::vector<Number> products;
    std::vector<int> grids;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const Number a = number(x[i]), b = number(y[i]);
      const bool infinite = is_infinite(x[i]) || is_infinite(y[i]);
      nan |= is_nan(x[i]) || is_nan(y[i]);
      invalid |= (is_infinite(x[i]) && !b.whole) || (is_infinite(y[i]) && !a.whole);
      const bool negative = a.negative != b.negative;
      (negative ? minus : plus) |= infinite;
      products.push_back({a.whole * b.whole, a.exponent + b.exponent, negative});
      // As if the factors had as many bits as they may.
      grids.push_back(a.whole * b.whole ? a.exponent + b.exponent + 2 * format_.fraction - 24
                                        : none);
    }
    const u32 wide = widened(c);
    const bool c_nan = (wide & 0x7fffffff) > 0x7f800000;
    if (nan) return special(0xffc00a3d);
    if (invalid || (plus && minus)) return special(0xffc00000);
    if (c_nan) return special(wide | 0x400000);
    plus |= wide == 0x7f800000, minus |= wide == 0xff800000;
    if (plus && minus) return special(0xffc00000);
    if (plus || minus) return special(minus ? 0xff800000 : 0x7f800000);

    const int field = static_cast<int>(wide >> 23 & 255);
    Number addend{static_cast<i64>(wide & 0x7fffff), std::max(field, 1) - 150, wide >> 31 != 0};
    if (field)
      addend.whole |= 0x800000;
    else if (!rdna4_)
      addend.whole = 0;
    return rdna4_ ? sum_of_pairs(products, grids, addend) : sum_in_frame(products, grids, addend);
  }

 private:
  static constexpr int none = -1024;

  bool is_nan(u16 x) const { return (x & 0x7fffu) > format_.infinity(); }
  bool is_infinite(u16 x) const { return (x & 0x7fffu) == format_.infinity(); }
  Number number(u16 x) const {
    const int field = (x & 0x7fff) >> format_.fraction;
    i64 whole = x & ((1 << format_.fraction) - 1);
    if (field)
      whole |= 1 << format_.fraction;
    else if (!rdna4_ && !format_.is_f16())
      whole = 0;
    return {whole, std::max(field, 1) - format_.bias - format_.fraction, (x & 0x8000) != 0};
  }
  u32 widened(u32 c) const {
    if (!narrow_) return c;
    if (!format_.is_f16()) return c << 16;
    const auto half = static_cast<float>(std::bit_cast<_Float16>(static_cast<u16>(c)));
    if ((c & 0x7fff) > 0x7c00) return (c & 0x8000) << 16 | 0x7f800000 | (c & 0x3ff) << 13;
    return std::bit_cast<u32>(half);
  }
  u32 special(u32 wide) const {
    if (!narrow_) return wide;
    if (wide == 0xffc00a3d) return format_.is_f16() ? 0xfe3d : 0xfffd;
    if (!format_.is_f16()) return wide >> 16;
    return (wide >> 16 & 0x8000) | 0x7c00 | (wide >> 13 & 0x3ff);
  }
  u32 result(i64 units, int grid) const {
    if (narrow_ && format_.is_f16()) {
      const double value = rounded(units, grid, 10, -14);
      if (value == 0) return 0;
      return std::bit_cast<u16>(static_cast<_Float16>(value));
    }
    // RDNA3 has no denormal results, and sees that they are after it rounded.
    const double value = rounded(units, grid, 23, rdna4_ ? -126 : -1000);
    if (value == 0 || (!rdna4_ && std::fabs(value) < 0x1p-126)) return 0;
    const u32 wide = std::bit_cast<u32>(static_cast<float>(value));
    return narrow_ ? wide >> 16 : wide;
  }

  /// RDNA3: c's sign counts as positive, and a term of the other sign is one unit too far from
  /// zero.
  u32 sum_in_frame(const std::vector<Number>& products, const std::vector<int>& grids,
                   const Number& c) const {
    int grid = std::ranges::max(grids), leading = none;
    bool any = false;
    for (const Number& n : {c, products[0], products[1]})
      if (n.whole) leading = std::max(leading, n.leading()), any = true;
    if (!any) return 0;
    if (narrow_ && format_.is_f16()) leading = std::max(leading, -14);
    grid = std::max(grid, leading - 26);
    i64 total = towards_zero(c, grid);
    for (const Number& p : products)
      total += p.negative == c.negative ? towards_zero(p, grid) : ~towards_zero(p, grid);
    return result(c.negative ? -total : total, grid);
  }
  /// RDNA4: products are added by pairs, all is cut downwards.
  u32 sum_of_pairs(const std::vector<Number>& products, const std::vector<int>& grids,
                   const Number& c) const {
    const int least = narrow_ && format_.is_f16() ? -14 : -126;
    const int leading = c.whole ? std::max(least, c.leading()) : least;
    const int grid = std::max(std::ranges::max(grids), leading - 26);
    i64 total = downwards(c, grid);
    if (grid > least && towards_zero(c, grid) == 0) total = 0;
    for (std::size_t i = 0; i < products.size(); i += 2) {
      const int own = std::max(grids[i], grids[i + 1]);
      if (own == none) continue;
      const i64 pair = downwards(products[i], own) + downwards(products[i + 1], own);
      total += downwards({std::llabs(pair), own, pair < 0}, grid);
    }
    return result(total, grid);
  }

  bool rdna4_;
  Format format_;
  bool narrow_;
};

/// Sixteen bits: any, numbers of like exponents, or of the edges.
u16 draw(std::mt19937& random, Format format, int kind) {
  const auto any = static_cast<u16>(random());
  if (kind == 0) return any;
  const unsigned edges[]{0,
                         1,
                         format.infinity(),
                         format.infinity() - 1,
                         format.infinity() + 1,
                         1u << format.fraction,
                         (1u << format.fraction) - 1};
  if (kind == 1 && random() % 4 == 0)
    return static_cast<u16>(edges[random() % std::size(edges)] | (any & 0x8000));
  const unsigned exponent = format.bias - 4 + random() % 8;
  const unsigned fraction = any & ((1u << format.fraction) - 1);
  return static_cast<u16>((any & 0x8000) | exponent << format.fraction | fraction);
}
u32 draw_f32(std::mt19937& random, int kind) {
  const u32 any = static_cast<u32>(random());
  if (kind == 0) return any;
  const u32 edges[]{0, 1, 0x7f800000, 0x7f800001, 0x7f7fffff, 0x00800000, 0x007fffff};
  if (kind == 1 && random() % 4 == 0)
    return edges[random() % std::size(edges)] | (any & 0x80000000);
  return (any & 0x807fffff) | static_cast<u32>(127 - 12 + random() % 24) << 23;
}

class RdnaDots : public testing::TestWithParam<const char*> {
 protected:
  bool rdna4() const { return std::string_view(GetParam()).starts_with("gfx12"); }
};
INSTANTIATE_TEST_SUITE_P(Processors, RdnaDots, testing::Values("gfx1100", "gfx1151", "gfx1201"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(RdnaDots, AreAsMeasured) {
  struct Case {
    const char* text;
    Format format;
    bool narrow;
    bool negated = false;  ///< the first product's left factor, the second's right one, and C
  };
  std::vector<Case> cases{
      {"v_dot2_f32_f16 v0, v1, v2, v3", f16, false},
      {"v_dot2_f32_bf16 v0, v1, v2, v3", bf16, false},
      {"v_dot2_f32_f16 v0, v1, v2, v3 neg_lo:[1,0,1] neg_hi:[0,1,0]", f16, false, true},
      {"v_dot2_f16_f16 v0, v1, v2, v3", f16, true},
      {"v_dot2_bf16_bf16 v0, v1, v2, v3", bf16, true}};
  if (!rdna4()) cases.push_back({"v_mov_b32 v0, v3\nv_dot2acc_f32_f16 v0, v1, v2", f16, false});
  std::mt19937 random(12);
  for (const HostIsa& host_isa : host_isas()) {
    Machine machine(GetParam(), host_isa);
    for (const Case& c : cases) {
      const auto code = machine.lower(c.text);
      const Oracle oracle(rdna4(), c.format, c.narrow);
      int failures = 0;
      for (int round = 0; round < 300 && failures < 5; ++round) {
        std::vector<u16> x[64], y[64];
        u32 addend[64];
        for (unsigned lane = 0; lane < machine.lanes(); ++lane) {
          const int kind = round % 3;
          for (int i = 0; i < 2; ++i)
            x[lane].push_back(draw(random, c.format, kind)),
                y[lane].push_back(draw(random, c.format, kind));
          addend[lane] = c.narrow ? draw(random, c.format, kind) : draw_f32(random, kind);
          machine.vgpr(0, lane) = 0;
          machine.vgpr(1, lane) = x[lane][0] | u32{x[lane][1]} << 16;
          machine.vgpr(2, lane) = y[lane][0] | u32{y[lane][1]} << 16;
          machine.vgpr(3, lane) = addend[lane];
          if (c.negated) x[lane][0] ^= 0x8000, y[lane][1] ^= 0x8000, addend[lane] ^= 1u << 31;
        }
        machine.run(*code);
        for (unsigned lane = 0; lane < machine.lanes() && failures < 5; ++lane) {
          const u32 expected = oracle.dot(x[lane], y[lane], addend[lane]);
          if (machine.vgpr(0, lane) == expected) continue;
          ++failures;
          ADD_FAILURE() << host_isa.name << " " << c.text << std::hex << ": "
                        << machine.vgpr(1, lane) << " . " << machine.vgpr(2, lane) << " + "
                        << addend[lane] << " is " << machine.vgpr(0, lane) << ", not " << expected;
        }
      }
    }
  }
}

TEST(RdnaDotsOnSilicon, AreWhatWasSeen) {
  // gfx1151: the numbers are small and whole, and one sum of theirs is not.
  for (const char* processor : {"gfx1100", "gfx1151"}) {
    Machine machine(processor, host_isas().front());
    const auto run = [&](const char* text, u32 a, u32 b, float c) {
      machine.vgpr(1, 0) = a, machine.vgpr(2, 0) = b, machine.vgpr(3, 0) = std::bit_cast<u32>(c);
      machine.run(*machine.lower(text));
      return machine.vgpr(0, 0);
    };
    constexpr const char *of_f16 = "v_dot2_f32_f16 v0, v1, v2, v3",
                         *of_bf16 = "v_dot2_f32_bf16 v0, v1, v2, v3";
    EXPECT_EQ(run(of_f16, 0x4a004c00, 0x40004000, -1), 0x425c0001u);  // 32 + 24 - 1
    EXPECT_EQ(run(of_f16, 0x4a004c00, 0x40004000, 1), 0x42640000u);
    EXPECT_EQ(run(of_bf16, 0x0001, 0x4980, 0), 0u);  // a denormal counts as zero
    EXPECT_EQ(run(of_bf16, 0x0700, 0x3f80, 0), 0x07000000u);
  }
}

TEST(Cdna2Dots, TakeDenormalsForZeros) {
  for (const auto& [processor, expected] : {std::pair("gfx90a", 1.0f), {"gfx942", 1 + 0x1p-14f}}) {
    Machine machine(processor, host_isas().front());
    machine.vgpr(1, 0) = 0x0200, machine.vgpr(2, 0) = 0x4000;  // 2^-15 and 2
    for (const char* text :
         {"v_dot2_f32_f16 v0, v1, v2, 1.0", "v_mov_b32 v0, 1.0\nv_dot2c_f32_f16 v0, v1, v2"}) {
      machine.run(*machine.lower(text));
      EXPECT_EQ(std::bit_cast<float>(machine.vgpr(0, 0)), expected) << processor << ": " << text;
    }
  }
}

/// Exact mode's WMMA: steps of two products (RDNA4: of four, the lower lanes' and the upper lanes'
/// in turn) in a chain of dot products.
TEST_P(RdnaDots, MakeUpExactMatrixProducts) {
  struct Case {
    const char* name;
    Format format;
    bool narrow;
  };
  std::mt19937 random(3);
  for (const HostIsa& host_isa : host_isas())
    for (const Case& c : {Case{"f32_16x16x16_f16", f16, false},
                          {"f32_16x16x16_bf16", bf16, false},
                          {"f16_16x16x16_f16", f16, true},
                          {"bf16_16x16x16_bf16", bf16, true}}) {
      Machine machine(GetParam(), host_isa);
      machine.matrix = engine::MatrixMode::Exact;
      // RDNA4 has half of each operand in each half of the lanes, RDNA3 all of it twice.
      const unsigned inputs = rdna4() ? 4 : 8, outputs = rdna4() && c.narrow ? 4 : 8;
      const std::string text =
          "v_wmma_" + std::string(c.name) + " v[32:" + std::to_string(31 + outputs) +
          "], v[0:" + std::to_string(inputs - 1) + "], v[16:" + std::to_string(15 + inputs) +
          "], v[32:" + std::to_string(31 + outputs) + "]";
      const auto code = machine.lower(text);
      const Oracle oracle(rdna4(), c.format, c.narrow);
      for (int round = 0; round < 9; ++round) {
        u16 a[16][16], b[16][16];
        u32 sum[16][16];
        for (unsigned i = 0; i < 16; ++i)
          for (unsigned j = 0; j < 16; ++j) {
            a[i][j] = draw(random, c.format, round % 3 ? 2 : 0);
            b[i][j] = draw(random, c.format, round % 3 ? 2 : 0);
            sum[i][j] = c.narrow ? draw(random, c.format, 2) : draw_f32(random, 2);
          }
        const auto element = [&](unsigned at, unsigned lane, unsigned k) -> u16 {
          const u32 word = machine.vgpr(at + k % 8 / 2 + (rdna4() ? 0 : k / 8 * 4), lane);
          return static_cast<u16>(word >> k % 2 * 16);
        };
        for (unsigned lane = 0; lane < 32; ++lane)
          for (unsigned r = 0; r < inputs; ++r) {
            const unsigned k = r * 2 + (rdna4() ? lane / 16 * 8 : 0), i = lane % 16;
            machine.vgpr(r, lane) = a[i][k] | u32{a[i][k + 1]} << 16;
            machine.vgpr(16 + r, lane) = b[i][k] | u32{b[i][k + 1]} << 16;
          }
        ASSERT_EQ(element(0, 3, 5), a[3][5]);
        const auto result = [&](unsigned i, unsigned j) -> std::pair<u32*, unsigned> {
          if (!rdna4()) return {&machine.vgpr(32 + i / 2, i % 2 * 16 + j), 0};
          const unsigned lane = i / 8 * 16 + j;
          if (!c.narrow) return {&machine.vgpr(32 + i % 8, lane), 0};
          return {&machine.vgpr(32 + i % 8 / 2, lane), i % 2 * 16};
        };
        for (unsigned i = 0; i < 16; ++i)
          for (unsigned j = 0; j < 16; ++j) {
            const auto [word, shift] = result(i, j);
            const u32 mask = c.narrow ? 0xffffu << shift : ~0u;
            *word = (*word & ~mask) | sum[i][j] << shift;
          }
        machine.run(*code);
        int failures = 0;
        for (unsigned i = 0; i < 16 && failures < 5; ++i)
          for (unsigned j = 0; j < 16 && failures < 5; ++j) {
            u32 expected = sum[i][j];
            for (const unsigned k : rdna4() ? std::vector{0u, 8u, 4u, 12u}
                                            : std::vector{0u, 2u, 4u, 6u, 8u, 10u, 12u, 14u}) {
              std::vector<u16> x, y;
              for (unsigned e = 0; e < (rdna4() ? 4 : 2); ++e)
                x.push_back(a[i][k + e]), y.push_back(b[j][k + e]);
              expected = oracle.dot(x, y, expected);
            }
            const auto [word, shift] = result(i, j);
            const u32 found = c.narrow ? *word >> shift & 0xffff : *word;
            if (found != expected && ++failures)
              ADD_FAILURE() << host_isa.name << " " << text << ", row " << i << ", column " << j
                            << std::hex << ": " << found << ", not " << expected;
          }
      }
    }
}

}  // namespace
}  // namespace hipsight::test
