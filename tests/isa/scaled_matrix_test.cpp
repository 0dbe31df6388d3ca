// gfx950's matrix instructions of floats of eight, six and four bits, in every pair of formats,
// with and without scales, against sums in double. Layouts: Composable Kernel's tests of these
// instructions, which ran on the hardware (test/mx_mfma_op), and the CDNA4 ISA manual.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>
#include <vector>

#include "machine.h"

namespace hipsight::test {
namespace {

using u32 = std::uint32_t;

constexpr unsigned lanes = 64, block = 32;
constexpr unsigned a_first = 0, b_first = 8, c_first = 16, a_scale = 40, b_scale = 41, d_first = 48;

struct Format {
  const char* name;
  unsigned bits, mantissa;
  int bias;
  unsigned registers() const { return block * bits / 32; }
  bool finite(u32 code) const {
    const u32 m = code & (bits == 8 ? 127 : ~0u);
    return bits < 8 || (mantissa == 3 ? m < 0x7f : m < 0x7c);
  }
  double value(u32 code) const {
    const u32 magnitude = code & ((1u << (bits - 1)) - 1);
    const u32 fraction = magnitude % (1u << mantissa);
    const int e = static_cast<int>(magnitude >> mantissa);
    const double part = fraction / std::exp2(mantissa);
    const double v = e ? (1 + part) * std::exp2(e - bias) : part * std::exp2(1 - bias);
    return code >> (bits - 1) ? -v : v;
  }
};
constexpr Format formats[]{
    {"fp8", 8, 3, 7}, {"bf8", 8, 2, 15}, {"fp6", 6, 3, 1}, {"bf6", 6, 2, 3}, {"fp4", 4, 1, 1}};

struct Case {
  unsigned m, a, b;  ///< rows and columns; numbers of formats
  bool scaled;
};
std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.m << "x" << c.m << " " << formats[c.a].name << " " << formats[c.b].name
             << (c.scaled ? " scaled" : "");
}

class ScaledMatrix : public testing::TestWithParam<Case> {
 protected:
  const Case c = GetParam();
  const unsigned groups = lanes / c.m, k = groups * block;
  // Which byte of the scales counts.
  const unsigned a_byte = (c.a + c.b) % 4, b_byte = (2 * c.a + c.b + 1) % 4;
  std::mt19937 random{7};

  std::string text() const {
    const auto range = [](unsigned first, unsigned count) {
      return "v[" + std::to_string(first) + ":" + std::to_string(first + count - 1) + "]";
    };
    const unsigned out = c.m * c.m / lanes;
    std::string t = c.scaled ? "v_mfma_scale_f32_" : "v_mfma_f32_";
    t += c.m == 16 ? "16x16x128_f8f6f4 " : "32x32x64_f8f6f4 ";
    t += range(d_first, out) + ", " + range(a_first, formats[c.a].registers()) + ", " +
         range(b_first, formats[c.b].registers()) + ", " + range(c_first, out);
    if (c.scaled) {
      const auto bits = [](unsigned a, unsigned b) {
        return "[" + std::to_string(a) + "," + std::to_string(b) + ",0]";
      };
      t += ", v40, v41 op_sel:" + bits(a_byte % 2, b_byte % 2) +
           " op_sel_hi:" + bits(a_byte / 2, b_byte / 2);
    }
    return t + " cbsz:" + std::to_string(c.a) + " blgp:" + std::to_string(c.b);
  }

  /// Fills an operand, and gives its numbers as [row][k], unscaled.
  std::vector<std::vector<double>> fill(Machine& m, unsigned first, const Format& f) {
    std::vector<std::vector<double>> numbers(c.m, std::vector<double>(k));
    for (unsigned r = 0; r < f.registers(); ++r)
      for (unsigned lane = 0; lane < lanes; ++lane) m.vgpr(first + r, lane) = 0;
    for (unsigned row = 0; row < c.m; ++row)
      for (unsigned at = 0; at < k; ++at) {
        u32 code = static_cast<u32>(random()) % (1u << f.bits);
        while (!f.finite(code)) code = static_cast<u32>(random()) % (1u << f.bits);
        numbers[row][at] = f.value(code);
        // Eight bits: runs of sixteen, first one of each lane, then another; else 32 side by side.
        unsigned lane = at / block * c.m + row, e = at % block;
        if (f.bits == 8) {
          lane = at / 16 % groups * c.m + row;
          e = at / (16 * groups) * 16 + at % 16;
        }
        for (unsigned bit = 0; bit < f.bits; ++bit)
          m.vgpr(first + (e * f.bits + bit) / 32, lane) |= (code >> bit & 1)
                                                           << (e * f.bits + bit) % 32;
      }
    return numbers;
  }
  /// Lane and register of an element of C and D.
  unsigned register_of(unsigned i) const { return c.m == 16 ? i % 4 : i / 8 * 4 + i % 4; }
  unsigned lane_of(unsigned i, unsigned j) const {
    return c.m == 16 ? i / 4 * 16 + j : i / 4 % 2 * 32 + j;
  }
};

TEST_P(ScaledMatrix, IsTheProduct) {
  for (const HostIsa& host_isa : host_isas()) {
    SCOPED_TRACE(host_isa.name);
    Machine m("gfx950", host_isa);
    const auto code = m.lower(text());
    for (const bool far : {false, true}) {  // scales that take factors out of the range of float
      for (unsigned r = 0; r < 128; ++r)
        for (unsigned lane = 0; lane < lanes; ++lane) m.vgpr(r, lane) = static_cast<u32>(random());
      const auto a = fill(m, a_first, formats[c.a]), b = fill(m, b_first, formats[c.b]);
      std::vector<std::vector<float>> start(c.m, std::vector<float>(c.m));
      for (unsigned i = 0; i < c.m; ++i)
        for (unsigned j = 0; j < c.m; ++j) {
          start[i][j] = static_cast<float>(random() % 1000) / 8;
          m.vgpr(c_first + register_of(i), lane_of(i, j)) = std::bit_cast<u32>(start[i][j]);
        }
      // One row of A has a scale that is no number.
      constexpr unsigned nan_row = 5;
      std::vector<u32> scales_a(lanes), scales_b(lanes);
      for (unsigned lane = 0; lane < lanes; ++lane) {
        scales_a[lane] = far ? 250 - random() % 4 : 120 + random() % 15;
        scales_b[lane] = far ? random() % 4 : 120 + random() % 15;
      }
      scales_a[c.m + nan_row] = 0xff;
      const auto put_scale = [&](unsigned reg, unsigned byte, const std::vector<u32>& scales) {
        for (unsigned lane = 0; lane < lanes; ++lane) {
          u32& word = m.vgpr(reg, lane);
          word = (word & ~(0xffu << byte * 8)) | scales[lane] << byte * 8;
        }
      };
      put_scale(a_scale, a_byte, scales_a);
      put_scale(b_scale, b_byte, scales_b);
      m.wave().set_pair(engine::reg::exec, 0x123456789);  // which matrix instructions ignore
      m.run(*code);

      for (unsigned i = 0; i < c.m; ++i)
        for (unsigned j = 0; j < c.m; ++j) {
          double sum = start[i][j], size = std::fabs(sum);
          for (unsigned at = 0; at < k; ++at) {
            double product = a[i][at] * b[j][at];
            if (c.scaled)
              product *= std::exp2(static_cast<int>(scales_a[at / block * c.m + i]) +
                                   static_cast<int>(scales_b[at / block * c.m + j]) - 254);
            sum += product;
            size += std::fabs(product);
          }
          const u32 bits = m.vgpr(d_first + register_of(i), lane_of(i, j));
          const float result = std::bit_cast<float>(bits);
          if (c.scaled && i == nan_row)
            ASSERT_TRUE(std::isnan(result)) << "row " << i << ", column " << j;
          else
            ASSERT_NEAR(result, sum, size * 0x1p-23) << "row " << i << ", column " << j;
        }
    }
  }
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const unsigned m : {16u, 32u})
    for (unsigned a = 0; a < std::size(formats); ++a)
      for (unsigned b = 0; b < std::size(formats); ++b)
        for (const bool scaled : {false, true}) all.push_back({m, a, b, scaled});
  return all;
}
INSTANTIATE_TEST_SUITE_P(, ScaledMatrix, testing::ValuesIn(cases()));

TEST(ScaledMatrixOperands, ConstantC) {
  for (const HostIsa& host_isa : host_isas()) {
    SCOPED_TRACE(host_isa.name);
    Machine m("gfx950", host_isa);
    // All ones, times 2^(126 - 127) and 2^(128 - 127): one for each of 128 products.
    const auto code = m.lower(
        "v_mfma_scale_f32_16x16x128_f8f6f4 v[48:51], v[0:3], v[8:11], 1.0, v40, v41 "
        "op_sel_hi:[0,0,0] cbsz:4 blgp:4");
    for (unsigned lane = 0; lane < lanes; ++lane) {
      for (unsigned r = 0; r < 16; ++r) m.vgpr(r, lane) = 0x22222222;
      m.vgpr(40, lane) = 126, m.vgpr(41, lane) = 128;
    }
    m.run(*code);
    for (unsigned lane = 0; lane < lanes; ++lane)
      EXPECT_EQ(std::bit_cast<float>(m.vgpr(48, lane)), 129.0f) << lane;
  }
}

}  // namespace
}  // namespace hipsight::test
