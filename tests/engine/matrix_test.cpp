// Dense matrix instructions, fast and exact, against scalar transcriptions: fast sums are chains of
// FMAs, exact ones those of MMA-Sim (arXiv 2511.10909), written here with f64 and ldexp.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "kernels.h"

namespace hipsight::engine {
namespace {

/// A type of A's and B's elements.
struct Element {
  unsigned bits;
  int min_exponent;  ///< of normal numbers
  double (*value)(std::uint32_t bits);
};
template <class Float>
double value_of(std::uint32_t bits) {
  Float value;
  std::memcpy(&value, &bits, sizeof value);
  return static_cast<double>(value);
}
double xf32_value(std::uint32_t bits) {
  const auto whole = value_of<float>(bits);
  return std::isnan(whole) ? whole : value_of<float>(bits >> 13 << 13);
}
/// Of 8 bits, `mantissa` of them; fnuz: no infinities, NaN is -0.
template <int mantissa, bool fnuz>
double f8_value(std::uint32_t bits) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  constexpr int exponent_bits = 7 - mantissa, bias = (1 << (exponent_bits - 1)) - (fnuz ? 0 : 1);
  const int exponent = int(bits & 0x7f) >> mantissa, fraction = int(bits) & ((1 << mantissa) - 1);
  if (fnuz && bits == 0x80) return nan;
  if (!fnuz && mantissa == 2 && exponent == 31)
    return fraction ? nan : std::copysign(INFINITY, bits & 0x80 ? -1.0 : 1.0);
  if (!fnuz && mantissa == 3 && (bits & 0x7f) == 0x7f) return nan;
  const double magnitude = exponent
                               ? std::ldexp((1 << mantissa) + fraction, exponent - bias - mantissa)
                               : std::ldexp(fraction, 1 - bias - mantissa);
  return bits & 0x80 ? -magnitude : magnitude;
}
constexpr Element f32{32, -126, value_of<float>}, f16{16, -14, value_of<_Float16>},
    bf16{16, -126, [](std::uint32_t bits) { return value_of<float>(bits << 16); }},
    xf32{32, -126, xf32_value}, fp8_fnuz{8, -7, f8_value<3, true>},
    bf8_fnuz{8, -15, f8_value<2, true>}, fp8{8, -6, f8_value<3, false>},
    bf8{8, -14, f8_value<2, false>};

// --- the sums -----------------------------------------------------------------------------------

using Values = std::vector<double>;

float chain(const Values& a, const Values& b, float c) {
  for (std::size_t k = 0; k < a.size(); ++k)
    c = std::fma(static_cast<float>(a[k]), static_cast<float>(b[k]), c);
  return c;
}

double flush(double x, double smallest, bool keep_sign) {
  return std::fabs(x) < smallest ? (keep_sign ? std::copysign(0.0, x) : 0.0) : x;
}
/// CDNA2: f32 arithmetic without denormals; `terms` products at a time in a tree.
float flushed_tree(const Values& a, const Values& b, float c, std::size_t terms, int min_exponent) {
  const auto rounded = [](double x) {
    return static_cast<float>(flush(static_cast<double>(static_cast<float>(x)), 0x1p-126, true));
  };
  const auto add = [&](float x, float y) { return rounded(double(x) + double(y)); };
  std::vector<float> products;
  const double smallest = std::ldexp(1, min_exponent);
  for (std::size_t k = 0; k < a.size(); ++k)
    products.push_back(rounded(flush(a[k], smallest, false) * flush(b[k], smallest, false)));
  c = static_cast<float>(flush(c, 0x1p-126, false));
  for (std::size_t k = 0; k < products.size(); k += terms) {
    float sum = add(products[k], products[k + 1]);
    if (terms == 4) sum = add(sum, add(products[k + 2], products[k + 3]));
    c = add(c, sum);
  }
  return c;
}

struct Parts {
  double s;
  int e;
};
Parts parts(double x, int min_exponent) {
  if (x == 0 || !std::isfinite(x)) return {x, min_exponent};
  const int e = std::max(std::ilogb(x), min_exponent);
  return {std::ldexp(x, -e), e};
}
/// CDNA3: `terms` products at a time are cut to 24 bits below the largest, summed, and cut to 31
/// bits below the larger one of the sum and C. `halves`: even and odd ones apart at first.
float aligned(const Values& a, const Values& b, float c, std::size_t terms, bool halves,
              int min_exponent) {
  for (std::size_t first = 0; first < a.size(); first += terms) {
    const std::size_t end = std::min(a.size(), first + terms);
    double special = std::isfinite(c) ? 0 : double(c);
    bool is_special = !std::isfinite(c);
    const auto cut_sum = [&](std::size_t begin, std::size_t step) {
      std::vector<Parts> products;
      int largest = std::numeric_limits<int>::min();
      for (std::size_t k = begin; k < end; k += step) {
        const Parts x = parts(a[k], min_exponent), y = parts(b[k], min_exponent);
        Parts p{x.s * y.s, x.e + y.e};
        if (p.s == 0) p.e = -126;
        if (!std::isfinite(p.s) || std::fabs(std::ldexp(p.s, p.e)) >= 0x1p128) {
          is_special = true;
          special += std::isfinite(p.s) ? std::copysign(INFINITY, p.s) : p.s;
        }
        products.push_back(p);
        largest = std::max(largest, p.e);
      }
      double sum = 0;
      for (const Parts& p : products) sum += std::trunc(std::ldexp(p.s, p.e - largest + 24));
      return Parts{std::ldexp(sum, -24), largest};
    };
    Parts sum = cut_sum(first, halves ? 2 : 1);
    if (halves) {
      const Parts odd = cut_sum(first + 1, 2);
      const int e = std::max(sum.e, odd.e);
      sum = {std::ldexp(std::floor(std::ldexp(sum.s, sum.e - e + 24)) +
                            std::floor(std::ldexp(odd.s, odd.e - e + 24)),
                        -24),
             e};
    }
    if (is_special) {
      c = static_cast<float>(special);
      continue;
    }
    const Parts pc = parts(c, -126);
    const int e = std::max(sum.e, pc.e);
    const double products = std::ldexp(std::floor(std::ldexp(sum.s, sum.e - e + 31)), -31);
    double start = std::ldexp(std::floor(std::ldexp(pc.s, pc.e - e + 24)), -24);
    if (halves && pc.e < e - 25) start = 0;
    c = static_cast<float>(std::ldexp(products + start, e));
  }
  return c;
}

// --- the instructions ---------------------------------------------------------------------------

enum class Sum : std::uint8_t { Chain, Tree2, Tree4, Of4, Of8, Halves16 };

struct Case {
  Where where;
  const char* kernel;
  unsigned m, k, blocks;
  Element element;
  Sum exact;
};
std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.where.gpu << "_" << c.kernel;
}

class MatrixTest : public testing::TestWithParam<Case> {
 protected:
  float expected(const Values& a, const Values& b, float c, bool exact) const {
    const int min_exponent = GetParam().element.min_exponent;
    switch (exact ? GetParam().exact : Sum::Chain) {
      case Sum::Chain:
        return chain(a, b, c);
      case Sum::Tree2:
        return flushed_tree(a, b, c, 2, min_exponent);
      case Sum::Tree4:
        return flushed_tree(a, b, c, 4, min_exponent);
      case Sum::Of4:
        return aligned(a, b, c, 4, false, min_exponent);
      case Sum::Of8:
        return aligned(a, b, c, 8, false, min_exponent);
      case Sum::Halves16:
        return aligned(a, b, c, 16, true, min_exponent);
    }
    return 0;
  }
  /// Runs the instruction once on operands whose 32-bit words `draw` gives. Returns how far results
  /// of `exact` are from the chain of FMAs at most, in units of 2^-24 of the sum of magnitudes.
  template <class Draw>
  double check(Kernels& kernels, bool exact, Draw draw) {
    const Case& c = GetParam();
    const unsigned per_lane = c.m * c.k * c.blocks / 64, groups = 64 / c.m / c.blocks;
    const unsigned words = std::max(1u, per_lane * c.element.bits / 32);
    const unsigned results = c.m * c.m * c.blocks / 64;
    std::uint32_t *a = kernels.array(words * 64), *b = kernels.array(words * 64),
                  *d = kernels.array(results * 64);
    for (unsigned i = 0; i < words * 64; ++i) a[i] = draw(), b[i] = draw();
    std::vector<std::uint32_t> start(results * 64);
    for (std::uint32_t& word : start) word = draw.start();
    std::memcpy(d, start.data(), start.size() * 4);
    kernels.run(c.kernel, 64, {a, b, d});
    const auto element = [&](const std::uint32_t* registers, unsigned lane, unsigned e) {
      const std::uint32_t word = registers[e * c.element.bits / 32 * 64 + lane];
      const std::uint32_t low = word >> e * c.element.bits % 32;
      return c.element.value(c.element.bits == 32 ? low : low & ((1u << c.element.bits) - 1));
    };
    double farthest = 0;
    for (unsigned block = 0; block < c.blocks; ++block) {
      for (unsigned i = 0; i < c.m; ++i) {
        for (unsigned j = 0; j < c.m; ++j) {
          Values row, column;
          double magnitude = 0;
          for (unsigned k = 0; k < c.k; ++k) {
            const unsigned from = (block * groups + k / per_lane) * c.m;
            row.push_back(element(a, from + i, k % per_lane));
            column.push_back(element(b, from + j, k % per_lane));
            magnitude += std::fabs(row.back() * column.back());
          }
          // Rows lie in lanes by fours.
          const unsigned lane = c.m == 4 ? block * 4 + j : i / 4 % (64 / c.m) * c.m + j;
          const unsigned r = c.m == 4 ? i : i / (4 * (64 / c.m)) * 4 + i % 4;
          const std::uint32_t at = r * 64 + lane;
          float before, result;
          std::memcpy(&before, &start[at], 4);
          std::memcpy(&result, &d[at], 4);
          const float wanted = expected(row, column, before, exact);
          const bool same = std::isnan(wanted) ? std::isnan(result)
                                               : std::bit_cast<std::uint32_t>(wanted) ==
                                                     std::bit_cast<std::uint32_t>(result);
          EXPECT_TRUE(same) << "row " << i << ", column " << j << ", C " << before << ": " << result
                            << ", not " << wanted;
          if (!same) return 0;
          const double difference = std::fabs(double(result) - chain(row, column, before));
          if (std::isfinite(difference) && difference > 0)
            farthest = std::max(farthest, difference * 0x1p24 / (magnitude + std::fabs(before)));
        }
      }
    }
    return farthest;
  }
};

struct AnyBits {
  std::mt19937 random{1};
  std::uint32_t operator()() { return static_cast<std::uint32_t>(random()); }
  std::uint32_t start() { return (*this)(); }
};
/// Elements whose exponents differ by little, and C likewise: sums cancel and round.
struct Alike {
  Element element;
  std::mt19937 random{2};
  std::uint32_t operator()() {
    std::uint32_t word = 0;
    for (unsigned at = 0; at < 32; at += element.bits) word |= one() << at;
    return word;
  }
  std::uint32_t one() {
    const auto mask = static_cast<std::uint32_t>((1ull << element.bits) - 1);
    for (;;) {
      const auto bits = static_cast<std::uint32_t>(random()) & mask;
      const double size = std::fabs(element.value(bits));
      if (size == 0 ? random() % 16 == 0 : size > 0x1p-6 && size < 0x1p4) return bits;
      // Wide exponents rarely fall there.
      if (element.min_exponent < -100) {
        const auto value = static_cast<float>(std::ldexp(int(random() % 4096) - 2048, -9));
        std::uint32_t word;
        std::memcpy(&word, &value, 4);
        return element.bits == 16 ? word >> 16 : word | random() % 0x800;
      }
    }
  }
  std::uint32_t start() {
    const auto value =
        static_cast<float>(std::ldexp(double(random()) - 0x1p31, -30 - int(random() % 8)));
    std::uint32_t word;
    std::memcpy(&word, &value, 4);
    return word;
  }
};

TEST_P(MatrixTest, FastIsAChainOfFmas) {
  Kernels kernels(GetParam().where, {.threads = 1, .matrix = MatrixMode::Fast});
  for (int i = 0; i < 4; ++i) check(kernels, false, AnyBits{std::mt19937(100 + i)});
  check(kernels, false, Alike{GetParam().element});
}

TEST_P(MatrixTest, ExactIsTheHardwaresSum) {
  Kernels kernels(GetParam().where, {.threads = 1, .matrix = MatrixMode::Exact});
  for (int i = 0; i < 16; ++i) check(kernels, true, AnyBits{std::mt19937(200 + i)});
  double farthest = 0;
  for (int i = 0; i < 16; ++i)
    farthest = std::max(farthest, check(kernels, true, Alike{GetParam().element, std::mt19937(i)}));
  // docs/matrix.md states it: fast and exact sums differ by the last bits of the largest term.
  RecordProperty("farthest", std::to_string(farthest));
  std::printf("%s: fast is within %.2f * 2^-24 of the terms' sum\n",
              testing::PrintToString(GetParam()).c_str(), farthest);
  EXPECT_LE(farthest, 8);
  EXPECT_EQ(farthest == 0, GetParam().exact == Sum::Chain);
}

/// Nothing is summed: D is the C that was there.
TEST_P(MatrixTest, SkippedLeavesTheRegisters) {
  Kernels kernels(GetParam().where, {.threads = 1, .matrix = MatrixMode::Skip});
  std::uint32_t *a = kernels.array(64 * 32), *b = kernels.array(64 * 32),
                *c = kernels.array(64 * 32);
  for (std::uint32_t i = 0; i < 64 * 32; ++i) a[i] = b[i] = c[i] = 0x3f803f80 + i;
  kernels.run(GetParam().kernel, 64, {a, b, c});
  for (std::uint32_t i = 0; i < 64 * 32; ++i) EXPECT_EQ(c[i], 0x3f803f80 + i);
  EXPECT_EQ(kernels.result.matrix, MatrixMode::Skip);
}

const Where mi210{"mi210", HIPSIGHT_MATRIX_gfx90a}, mi300x{"mi300x", HIPSIGHT_MATRIX_gfx942},
    mi355x{"mi355x", HIPSIGHT_MATRIX_gfx950};
INSTANTIATE_TEST_SUITE_P(Instructions, MatrixTest,
                         testing::Values(Case{mi210, "f32_16", 16, 4, 1, f32, Sum::Chain},
                                         Case{mi210, "f16_16", 16, 16, 1, f16, Sum::Tree4},
                                         Case{mi210, "f16_32", 32, 8, 1, f16, Sum::Tree4},
                                         Case{mi210, "f16_4", 4, 4, 16, f16, Sum::Tree4},
                                         Case{mi210, "bf16_16", 16, 16, 1, bf16, Sum::Tree4},
                                         Case{mi210, "old_bf16_16", 16, 8, 1, bf16, Sum::Tree2},
                                         Case{mi300x, "f32_16", 16, 4, 1, f32, Sum::Chain},
                                         Case{mi300x, "f16_16", 16, 16, 1, f16, Sum::Of8},
                                         Case{mi300x, "f16_32", 32, 8, 1, f16, Sum::Of8},
                                         Case{mi300x, "f16_4", 4, 4, 16, f16, Sum::Of8},
                                         Case{mi300x, "bf16_16", 16, 16, 1, bf16, Sum::Of8},
                                         Case{mi300x, "xf32_16", 16, 8, 1, xf32, Sum::Of4},
                                         Case{mi300x, "fp8_16", 16, 32, 1, fp8_fnuz, Sum::Halves16},
                                         Case{mi300x, "bf8_32", 32, 16, 1, bf8_fnuz, Sum::Halves16},
                                         Case{mi355x, "fp8_16", 16, 32, 1, fp8, Sum::Halves16},
                                         Case{mi355x, "bf8_32", 32, 16, 1, bf8, Sum::Halves16},
                                         Case{mi355x, "f16_long", 16, 32, 1, f16, Sum::Of8},
                                         Case{mi355x, "bf16_long", 32, 16, 1, bf16, Sum::Of8}),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace hipsight::engine
