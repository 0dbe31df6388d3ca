// The transcendental instructions against long double functions, and LLVM's expansions of exact
// operations, which rest on them, against the host's.
#include <gtest/gtest.h>

#include <numbers>
#include <optional>

#include "float_case.h"
#include "operands.h"
#include "softfloat.h"

namespace hipsight::test {
namespace {

u64 flushed(u64 a) {
  a &= single.mask();
  return single.denormal(a) ? a & single.sign() : a;
}

// --- accuracy ----------------------------------------------------------------------------------

struct Function {
  const char* name;
  long double (*value)(long double);
  long double error = 0.501L;  ///< of f32, units of the last place
};
constexpr long double two_pi = 2 * std::numbers::pi_v<long double>;
/// Within [-1/2, 1/2]: exact for the formats tested.
long double turn(long double x) {
  return x - std::nearbyint(x);
}
/// sin(2 pi t), of at most a quarter turn so that zeros are exact.
long double sine_of(long double t) {
  return std::sin(two_pi * (std::fabs(t) > 0.25L ? std::copysign(0.5L, t) - t : t));
}
const Function functions[]{
    {"exp", [](long double x) { return std::exp2(x); }, 0.84L},
    {"log", [](long double x) { return std::log2(x); }},
    {"rcp", [](long double x) { return 1 / x; }},
    {"rsq", [](long double x) { return 1 / std::sqrt(x); }},
    {"sqrt", [](long double x) { return std::sqrt(x); }},
    {"sin", [](long double x) { return sine_of(turn(x)); }},
    {"cos", [](long double x) { return sine_of(0.25L - std::fabs(turn(x))); }},
};

/// Distance of a result from the exact value, in units of the last place of the format.
long double error(const Format& f, u64 result, long double exact) {
  if (f.value(result) == exact) return 0;
  int e;
  std::frexp(exact, &e);
  const int quantum = std::max(e - 1 - f.mantissa, 1 - f.bias - f.mantissa);
  return std::fabs(std::ldexp(f.value(result) - exact, -quantum));
}

class Transcendental : public testing::TestWithParam<Function> {};

/// f32: half a unit and the polynomial's own error, but for 2^x; denormals in and out are zeros.
TEST_P(Transcendental, IsNearlyCorrectlyRounded) {
  const Function& function = GetParam();
  const std::string text = std::string("v_") + function.name + "_f32 v6, v0";
  const bool flushes =
      std::string_view(function.name) != "sin" && std::string_view(function.name) != "cos";
  for (const HostIsa& host_isa : host_isas()) {
    Machine machine("gfx942", host_isa);
    const auto code = machine.lower(text);
    Floats values(seed(3, host_isa));
    for (int round = 0; round < operand_rounds(3000); ++round) {
      count_operands(64);
      for (unsigned lane = 0; lane < 64; ++lane)
        machine.vgpr(0, lane) = static_cast<u32>(
            round % 2 ? single.round(static_cast<long double>(static_cast<i64>(values.random())) /
                                     0x1p56L)
                      : values.one(single));
      machine.run(*code);
      for (unsigned lane = 0; lane < 64; ++lane) {
        const u64 given = machine.vgpr(0, lane), result = machine.vgpr(6, lane);
        const u64 a = flushes ? flushed(given) : given;
        const auto where = [&] {
          return testing::Message()
                 << std::hex << host_isa.name << " " << given << " gave " << result;
        };
        if (single.nan(a)) {
          ASSERT_EQ(result, a | single.quiet()) << where();
          continue;
        }
        const long double exact = function.value(single.value(a));
        if (std::isnan(exact)) {
          ASSERT_EQ(result, 0xffc00000u) << where();
        } else if (std::isinf(exact) || exact > 0x1.fffffefp127L) {
          // The sign of a pole at -0 is that of the zero, but for log.
          ASSERT_EQ(result, single.round(exact)) << where();
        } else if (flushes && std::fabs(exact) < 0x1p-126L) {
          if (std::fabs(exact) < 0x1.fffffp-127L) {
            ASSERT_TRUE(single.zero(result)) << where();
          }
          ASSERT_EQ(single.negative(result), std::signbit(exact)) << where();
        } else {
          ASSERT_LE(error(single, result, exact), function.error) << where();
          if (exact == 0) {
            const bool sine = std::string_view(function.name) == "sin";
            const bool negative =
                (sine || std::string_view(function.name) == "sqrt") && a == single.sign();
            ASSERT_EQ(single.negative(result), negative) << where();
          }
        }
      }
    }
  }
}

/// f16: every number there is.
TEST_P(Transcendental, OfHalvesIsCorrectlyRounded) {
  const Function& function = GetParam();
  const std::string text = std::string("v_") + function.name + "_f16 v6, v0";
  for (const HostIsa& host_isa : host_isas()) {
    Machine machine("gfx942", host_isa);
    const auto code = machine.lower(text);
    for (u32 first = 0; first < 0x10000; first += 64) {
      for (u32 lane = 0; lane < 64; ++lane) machine.vgpr(0, lane) = first + lane;
      machine.run(*code);
      for (u32 lane = 0; lane < 64; ++lane) {
        const u64 a = first + lane, result = machine.vgpr(6, lane);
        const long double exact = half.nan(a) ? 0 : function.value(half.value(a));
        if (half.nan(a)) {
          ASSERT_EQ(result, a | half.quiet()) << host_isa.name;
        } else if (std::isnan(exact)) {
          ASSERT_EQ(result, 0xfe00u) << host_isa.name << " of " << std::hex << a;
        } else if (std::isinf(exact)) {
          ASSERT_EQ(result, half.round(exact)) << host_isa.name << " of " << std::hex << a;
        } else if (half.infinite(result)) {
          ASSERT_GE(std::fabs(exact), 65519.9L) << host_isa.name << " of " << std::hex << a;
        } else {
          ASSERT_LE(error(half, result, exact), 0.501L) << host_isa.name << " of " << std::hex << a;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Transcendental, testing::ValuesIn(functions),
                         [](const auto& info) { return std::string(info.param.name); });

// --- exact operations, as LLVM 22 expands them (llc -O2, waits and delays left out) ------------

constexpr const char* divide_f32 = R"(
  v_div_scale_f32 v8, s[0:1], v2, v2, v0
  v_rcp_f32_e32 v9, v8
  v_fma_f32 v10, -v8, v9, 1.0
  v_fmac_f32_e32 v9, v10, v9
  v_div_scale_f32 v10, vcc, v0, v2, v0
  v_mul_f32_e32 v11, v10, v9
  v_fma_f32 v12, -v8, v11, v10
  v_fmac_f32_e32 v11, v12, v9
  v_fma_f32 v8, -v8, v11, v10
  v_div_fmas_f32 v8, v8, v9, v11
  v_div_fixup_f32 v6, v8, v2, v0)";

constexpr const char* divide_f64 = R"(
  v_div_scale_f64 v[8:9], s[0:1], v[2:3], v[2:3], v[0:1]
  v_rcp_f64_e32 v[10:11], v[8:9]
  v_fma_f64 v[12:13], -v[8:9], v[10:11], 1.0
  v_fmac_f64_e32 v[10:11], v[10:11], v[12:13]
  v_fma_f64 v[12:13], -v[8:9], v[10:11], 1.0
  v_fmac_f64_e32 v[10:11], v[10:11], v[12:13]
  v_div_scale_f64 v[12:13], vcc, v[0:1], v[2:3], v[0:1]
  v_mul_f64 v[14:15], v[12:13], v[10:11]
  v_fma_f64 v[8:9], -v[8:9], v[14:15], v[12:13]
  v_div_fmas_f64 v[8:9], v[8:9], v[10:11], v[14:15]
  v_div_fixup_f64 v[6:7], v[8:9], v[2:3], v[0:1])";

constexpr const char* divide_f16 = R"(
  v_cvt_f32_f16_e32 v8, v2
  v_cvt_f32_f16_e32 v9, v0
  v_rcp_f32_e32 v8, v8
  v_mul_f32_e32 v9, v9, v8
  v_fma_mix_f32 v10, -v2, v9, v0 op_sel_hi:[1,0,1]
  v_fmac_f32_e32 v9, v10, v8
  v_fma_mix_f32 v10, -v2, v9, v0 op_sel_hi:[1,0,1]
  v_mul_f32_e32 v8, v10, v8
  v_and_b32_e32 v8, 0xff800000, v8
  v_add_f32_e32 v8, v8, v9
  v_cvt_f16_f32_e32 v8, v8
  v_div_fixup_f16 v6, v8, v2, v0)";

constexpr const char* root_f32 = R"(
  s_mov_b32 s0, 0xf800000
  v_mul_f32_e32 v8, 0x4f800000, v0
  v_cmp_gt_f32_e32 vcc, s0, v0
  v_cndmask_b32_e32 v9, v0, v8, vcc
  v_sqrt_f32_e32 v8, v9
  v_add_u32_e32 v10, -1, v8
  v_fma_f32 v11, -v10, v8, v9
  v_cmp_ge_f32_e64 s[0:1], 0, v11
  v_add_u32_e32 v11, 1, v8
  v_cndmask_b32_e64 v10, v8, v10, s[0:1]
  v_fma_f32 v8, -v11, v8, v9
  v_cmp_lt_f32_e64 s[0:1], 0, v8
  v_cndmask_b32_e64 v8, v10, v11, s[0:1]
  v_mul_f32_e32 v10, 0x37800000, v8
  v_cndmask_b32_e32 v8, v8, v10, vcc
  v_mov_b32_e32 v10, 0x260
  v_cmp_class_f32_e32 vcc, v9, v10
  v_cndmask_b32_e32 v6, v8, v9, vcc)";

constexpr const char* root_f64 = R"(
  s_mov_b32 s0, 0
  s_brev_b32 s1, 8
  v_mov_b32_e32 v8, 0x100
  v_cmp_gt_f64_e32 vcc, s[0:1], v[0:1]
  v_cndmask_b32_e32 v8, 0, v8, vcc
  v_ldexp_f64 v[16:17], v[0:1], v8
  v_rsq_f64_e32 v[8:9], v[16:17]
  v_mul_f64 v[10:11], v[16:17], v[8:9]
  v_mul_f64 v[8:9], v[8:9], 0.5
  v_fma_f64 v[12:13], -v[8:9], v[10:11], 0.5
  v_fmac_f64_e32 v[10:11], v[10:11], v[12:13]
  v_fma_f64 v[14:15], -v[10:11], v[10:11], v[16:17]
  v_fmac_f64_e32 v[8:9], v[8:9], v[12:13]
  v_fmac_f64_e32 v[10:11], v[14:15], v[8:9]
  v_fma_f64 v[12:13], -v[10:11], v[10:11], v[16:17]
  v_fmac_f64_e32 v[10:11], v[12:13], v[8:9]
  v_mov_b32_e32 v8, 0xffffff80
  v_cndmask_b32_e32 v8, 0, v8, vcc
  v_ldexp_f64 v[8:9], v[10:11], v8
  v_mov_b32_e32 v10, 0x260
  v_cmp_class_f64_e32 vcc, v[16:17], v10
  v_cndmask_b32_e32 v6, v8, v16, vcc
  v_cndmask_b32_e32 v7, v9, v17, vcc)";

/// Compares one sequence with its definition, unless that leaves the result open; a NaN must be a
/// NaN.
template <class Expected>
void compare(const char* text, const Format& f, int rounds, Expected expected) {
  for (const HostIsa& host_isa : host_isas()) {
    Machine machine("gfx942", host_isa);
    const auto code = machine.lower(text);
    Floats values(seed(5, host_isa));
    for (int round = 0; round < operand_rounds(rounds); ++round) {
      count_operands(64);
      for (unsigned lane = 0; lane < 64; ++lane) {
        u64 a = values.one(f), b = values.one(f);
        if (values.random() % 4 == 0) {
          // Quotients near the limits: a = b q but for rounding.
          const int exponent = static_cast<int>(values.random() % 90) - 60 +
                               (values.random() % 4 == 0 ? f.bias : -f.bias);
          a = f.round(std::ldexp(f.value(b), exponent)) ^ (values.random() & 7);
        }
        machine.vgpr(0, lane) = static_cast<u32>(a);
        machine.vgpr(1, lane) = static_cast<u32>(a >> 32);
        machine.vgpr(2, lane) = static_cast<u32>(b);
        machine.vgpr(3, lane) = static_cast<u32>(b >> 32);
      }
      machine.run(*code);
      for (unsigned lane = 0; lane < 64; ++lane) {
        const u64 a = machine.vgpr(0, lane) | u64{machine.vgpr(1, lane)} << 32,
                  b = machine.vgpr(2, lane) | u64{machine.vgpr(3, lane)} << 32;
        const u64 got = (machine.vgpr(6, lane) | u64{machine.vgpr(7, lane)} << 32) & f.mask();
        const std::optional<u64> defined = expected(a & f.mask(), b & f.mask());
        if (!defined) continue;
        const u64 want = *defined;
        if (f.nan(want)) {
          ASSERT_TRUE(f.nan(got)) << std::hex << host_isa.name << " " << a << " " << b;
        } else {
          ASSERT_EQ(got, want) << std::hex << host_isa.name << " " << a << " " << b;
        }
      }
    }
  }
}

TEST(Expansion, QuotientsAreCorrectlyRounded) {
  for (const auto& [text, format] :
       {std::pair{divide_f32, single}, {divide_f64, wide}, {divide_f16, half}})
    compare(text, format, 6000, [&](u64 a, u64 b) -> std::optional<u64> {
      // Right between two f64 denormals the expansion is not exact: docs/fuzzing.md.
      if (format.width == 64 && soft::quotient_is_halfway(format, a, b)) return std::nullopt;
      return soft::divide(format, a, b);
    });
}

TEST(Expansion, RootsAreCorrectlyRounded) {
  for (const auto& [text, format] : {std::pair{root_f32, single}, {root_f64, wide}})
    compare(text, format, 3000,
            [&](u64 a, u64) -> std::optional<u64> { return soft::root(format, a); });
}

TEST(Division, FixupGivesTheManualsNaNs) {
  for (const HostIsa& host_isa : host_isas()) {
    Machine machine("gfx942", host_isa);
    const auto code = machine.lower("v_div_fixup_f32 v6, v8, v2, v0");
    const u32 cases[][3]{// numerator, denominator, result
                         {0, 0, 0xffc00000},
                         {0x80000000, 0, 0xffc00000},
                         {0x7f800000, 0xff800000, 0xffc00000},
                         {0x7f800001, 0x7fc00002, 0x7fc00001},
                         {0x3f800000, 0xff800005, 0xffc00005},
                         {0xbf800000, 0, 0xff800000},
                         {0x3f800000, 0xff800000, 0x80000000}};
    for (const auto& [numerator, denominator, result] : cases) {
      machine.vgpr(0, 0) = numerator;
      machine.vgpr(2, 0) = denominator;
      machine.run(*code);
      EXPECT_EQ(machine.vgpr(6, 0), result) << host_isa.name;
    }
  }
}

// --- 2/pi, and cube maps -----------------------------------------------------------------------

TEST(Angles, SegmentsAddUpToTwoOverPi) {
  // Two segments of an ordinary angle give 106 bits of 2/pi; long double sees the first 64.
  for (const HostIsa& host_isa : host_isas()) {
    Machine machine("gfx942", host_isa);
    const auto code = machine.lower(R"(
      v_trig_preop_f64 v[6:7], v[0:1], 0
      v_trig_preop_f64 v[8:9], v[0:1], 1
      v_trig_preop_f64 v[10:11], v[0:1], 31)");
    machine.vgpr(1, 0) = 0x3ff00000;
    machine.vgpr(1, 1) = 0x7fe00000;  // huge: scaled, and the bits begin 969 further
    machine.run(*code);
    const auto value = [&](unsigned r, unsigned lane) {
      return wide.value(machine.vgpr(r, lane) | u64{machine.vgpr(r + 1, lane)} << 32);
    };
    EXPECT_EQ(value(6, 0) + value(8, 0), 2 / std::numbers::pi_v<long double>) << host_isa.name;
    EXPECT_LT(value(8, 0), 0x1p-53L);
    EXPECT_EQ(value(10, 0), 0) << "beyond the table";
    EXPECT_LT(value(6, 1), std::ldexp(1.0L, 128 - 969));
    EXPECT_GT(value(6, 1), 0);
  }
}

TEST(CubeMap, FacesAndCoordinates) {
  struct Direction {
    float x, y, z, face, s, t, axis;
  };
  const Direction directions[]{{3, 1, 2, 0, -2, -1, 6}, {-3, 1, 2, 1, 2, -1, -6},
                               {1, 3, 2, 2, 1, 2, 6},   {1, -3, 2, 3, 1, -2, -6},
                               {1, 2, 3, 4, 1, -2, 6},  {1, 2, -3, 5, -1, -2, -6},
                               {2, 2, 2, 4, 2, -2, 4},  {2, 2, 1, 2, 2, 1, 4}};
  for (const HostIsa& host_isa : host_isas()) {
    Machine machine("gfx1100", host_isa);
    const auto code = machine.lower(R"(
      v_cubeid_f32 v6, v0, v1, v2
      v_cubesc_f32 v7, v0, v1, v2
      v_cubetc_f32 v8, v0, v1, v2
      v_cubema_f32 v9, v0, v1, v2)");
    for (const Direction& d : directions) {
      const auto bits = [](float v) { return std::bit_cast<u32>(v); };
      machine.vgpr(0, 5) = bits(d.x);
      machine.vgpr(1, 5) = bits(d.y);
      machine.vgpr(2, 5) = bits(d.z);
      machine.run(*code);
      EXPECT_EQ(machine.vgpr(6, 5), bits(d.face)) << host_isa.name;
      EXPECT_EQ(machine.vgpr(7, 5), bits(d.s)) << host_isa.name;
      EXPECT_EQ(machine.vgpr(8, 5), bits(d.t)) << host_isa.name;
      EXPECT_EQ(machine.vgpr(9, 5), bits(d.axis)) << host_isa.name;
    }
  }
}

// --- scalar registers --------------------------------------------------------------------------

TEST(ScalarFloat, MatchesTheHost) {
  for (const HostIsa& host_isa : host_isas()) {
    Machine machine("gfx1201", host_isa);
    const auto code = machine.lower(R"(
      s_add_f32 s10, s0, s1
      s_mul_f32 s11, s0, s1
      s_mov_b32 s12, s2
      s_fmac_f32 s12, s0, s1
      s_trunc_f32 s13, s0
      s_cvt_i32_f32 s14, s0
      s_cvt_f32_u32 s15, s0
      s_cmp_lt_f32 s0, s1
      s_cselect_b32 s16, 1, 0
      s_cmp_neq_f32 s0, s1
      s_cselect_b32 s17, 1, 0
      v_s_rcp_f32 s18, s0
      v_s_sqrt_f32 s19, s0
      s_cvt_pk_rtz_f16_f32 s20, s0, s1
      s_cvt_hi_f32_f16 s21, s0
      v_s_rcp_f32 s22, -|s0|)");
    Floats values(9);
    for (int round = 0; round < 3000; ++round) {
      const u64 a = values.one(single), b = values.one(single), c = values.one(single);
      machine.sgpr(0) = static_cast<u32>(a);
      machine.sgpr(1) = static_cast<u32>(b);
      machine.sgpr(2) = static_cast<u32>(c);
      machine.run(*code);
      const auto f = [](u64 x) { return std::bit_cast<float>(static_cast<u32>(x)); };
      const volatile float x = f(a), y = f(b);
      const auto same = [&](unsigned r, float want, u64 nan) {
        const u64 bits = std::bit_cast<u32>(want);
        EXPECT_EQ(machine.sgpr(r), single.nan(bits) ? nan : bits)
            << "s" << r << " " << host_isa.name << std::hex << " " << a << " " << b << " " << c;
      };
      same(10, x + y, nan_of(single, a, b));
      same(11, x * y, nan_of(single, a, b));
      same(12, std::fma(x, y, f(c)), nan_of(single, a, b, c));
      same(13, std::trunc(x), nan_of(single, a));
      const i32 cut = std::isnan(x)   ? 0
                      : x >= 0x1p31f  ? INT32_MAX
                      : x <= -0x1p31f ? INT32_MIN
                                      : static_cast<i32>(x);
      EXPECT_EQ(machine.sgpr(14), static_cast<u32>(cut));
      same(15, static_cast<float>(static_cast<u32>(a)), 0);
      EXPECT_EQ(machine.sgpr(16), static_cast<u32>(x < y));
      EXPECT_EQ(machine.sgpr(17), static_cast<u32>(x != y));
      const float z = f(flushed(a));
      const float reciprocal = 1 / z;
      same(18, f(flushed(std::bit_cast<u32>(reciprocal))), nan_of(single, a));
      same(22, f(flushed(std::bit_cast<u32>(1 / -std::fabs(z)))), 0xffc00000 | (a & 0x3fffff));
      if (!single.nan(a)) same(19, std::sqrt(z), 0xffc00000);
      if (!single.nan(a) && !single.nan(b)) {
        for (const auto& [value, at] : {std::pair{a, 0}, std::pair{b, 16}}) {
          const u64 got = machine.sgpr(20) >> at & 0xffff;
          // Not above in magnitude, and the next one would be.
          EXPECT_LE(std::fabs(half.value(got)), std::fabs(single.value(value)));
          if (!half.infinite(got + 1) && !half.infinite(got)) {
            EXPECT_GT(std::fabs(half.value(got + 1)), std::fabs(single.value(value)));
          }
        }
      }
      const u64 high = a >> 16;
      if (!half.nan(high)) same(21, static_cast<float>(half.value(high)), 0);
    }
  }
}

}  // namespace
}  // namespace hipsight::test
