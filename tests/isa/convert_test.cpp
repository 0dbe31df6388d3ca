// Conversions between floats and integers, small floats and dot products, bit for bit.
#include <gtest/gtest.h>

#include <array>

#include "float_case.h"
#include "softfloat.h"

namespace hipsight::test {
namespace {

/// Between float formats: a NaN keeps its sign and the high bits of its payload.
u64 convert(const Format& from, const Format& to, u64 a) {
  a &= from.mask();
  if (!from.nan(a)) return to.round(from.value(a));
  const u64 fraction = a & ((1ull << from.mantissa) - 1);
  const int shift = to.mantissa - from.mantissa;
  return (from.negative(a) ? to.sign() : 0) | to.infinity() | to.quiet() |
         (shift >= 0 ? fraction << shift : fraction >> -shift);
}
/// Toward zero, saturating; NaN is 0.
i64 integer(const Format& f, u64 a, long double low, long double high) {
  a &= f.mask();
  if (f.nan(a)) return 0;
  return static_cast<i64>(std::clamp(std::trunc(f.value(a)), low, high));
}
u64 i32_of(const Format& f, u64 a) {
  return static_cast<u32>(integer(f, a, -0x1p31L, 0x1p31L - 1));
}
u64 u32_of(const Format& f, u64 a) {
  return static_cast<u32>(integer(f, a, 0, 0x1p32L - 1));
}
u64 i16_of(const Format& f, u64 a) {
  return static_cast<u16>(integer(f, a, -32768, 32767));
}
u64 u16_of(const Format& f, u64 a) {
  return static_cast<u16>(integer(f, a, 0, 65535));
}
u64 half_toward_zero(u64 a) {
  a &= single.mask();
  if (single.nan(a)) return convert(single, half, a);
  // The nearest half, or the one before it when that is too large.
  u64 h = half.round(single.value(a));
  if (std::fabs(half.value(h)) > std::fabs(single.value(a))) --h;
  return h;
}
/// In f32, as the hardware multiplies, for f32 and f16 alike.
u64 normalised(const Format& f, u64 a, float low, float scale) {
  a &= f.mask();
  if (f.nan(a)) return 0;
  const float v = std::clamp(static_cast<float>(f.value(a)), low, 1.0f);
  return static_cast<u16>(static_cast<i32>(std::nearbyint(v * scale)));
}

// --- floats of eight bits and fewer: every code's value, and the nearest code ------------------

struct Small {
  int exponents, mantissa, bias;
  bool fnuz, infinities;
  bool nan(u32 code) const {
    const u32 magnitude = code & 127;
    if (fnuz) return code == 0x80;
    return infinities ? magnitude > 0x7c : magnitude == 0x7f;
  }
  bool infinite(u32 code) const { return infinities && (code & 127) == 0x7c; }
  long double value(u32 code) const {
    const u32 magnitude = code & 127;
    const int e = static_cast<int>(magnitude >> mantissa);
    const u32 fraction = magnitude & ((1u << mantissa) - 1);
    const long double v =
        e == 0
            ? std::ldexp(static_cast<long double>(fraction), 1 - bias - mantissa)
            : std::ldexp(static_cast<long double>(fraction | 1u << mantissa), e - bias - mantissa);
    return code & 128 ? -v : v;
  }
  u64 to_f32(u32 code) const {
    if (nan(code)) return single.default_nan() | (fnuz ? 0 : u64{code & 128} << 24);
    if (infinite(code)) return single.infinity() | u64{code & 128} << 24;
    return single.round(value(code));
  }
  u32 largest() const { return fnuz ? 0x7f : infinities ? 0x7b : 0x7e; }
  u32 with_sign(u64 a, u32 magnitude) const {
    return fnuz && magnitude == 0 ? 0 : magnitude | (single.negative(a) ? 128 : 0);
  }
  /// What is too large: infinity, or NaN.
  u32 beyond(u64 a) const { return fnuz ? 0x80 : with_sign(a, infinities ? 0x7c : 0x7f); }
  /// The largest code that is not above the magnitude; beyond it where the next code would be.
  u32 cut(u64 a) const {
    a &= single.mask();
    if (single.nan(a)) return fnuz ? 0x80 : with_sign(a, 0x7f);
    const long double v = std::fabs(single.value(a));
    const long double step = value(largest()) - value(largest() - 1);
    if (v >= value(largest()) + step) return beyond(a);
    u32 best = 0;
    while (best < largest() && value(best + 1) <= v) ++best;
    return with_sign(a, best);
  }
  /// The nearest code; of two as near the even one.
  u32 nearest(u64 a) const {
    a &= single.mask();
    if (single.nan(a)) return cut(a);
    const u32 below = cut(a) & 127;
    const long double v = std::fabs(single.value(a));
    const long double step = value(largest()) - value(largest() - 1);
    if (v >= value(largest()) + step) return beyond(a);
    const long double above = below < largest() ? value(below + 1) : value(largest()) + step;
    const long double down = v - value(below), up = above - v;
    if (down < up || (down == up && below % 2 == 0)) return with_sign(a, below);
    return below < largest() ? with_sign(a, below + 1) : beyond(a);
  }
};
constexpr Small fp8_fnuz{4, 3, 8, true, false}, bf8_fnuz{5, 2, 16, true, false},
    fp8{4, 3, 7, false, false}, bf8{5, 2, 15, false, true};

std::vector<FloatCase> cases() {
  std::vector<FloatCase> all;
  const auto add = [&](const char* processor, std::string text, const Format& f, FloatOut out,
                       std::function<u64(const FloatIn&)> expected) {
    all.push_back({processor, std::move(text), f, out, std::move(expected)});
  };
  const auto f32_of = [](long double v) { return single.round(v); };
  const auto as_i32 = [](u64 a) { return static_cast<long double>(static_cast<i32>(a)); };
  const auto as_u32 = [](u64 a) { return static_cast<long double>(static_cast<u32>(a)); };

  add("gfx942", "v_cvt_f32_i32 v6, v0", single, FloatOut::Single,
      [=](const FloatIn& in) { return f32_of(as_i32(in.a)); });
  add("gfx942", "v_cvt_f32_u32 v6, v0", single, FloatOut::Single,
      [=](const FloatIn& in) { return f32_of(as_u32(in.a)); });
  add("gfx942", "v_cvt_i32_f32 v6, v0", single, FloatOut::Single,
      [](const FloatIn& in) { return i32_of(single, in.a); });
  add("gfx942", "v_cvt_u32_f32 v6, v0", single, FloatOut::Single,
      [](const FloatIn& in) { return u32_of(single, in.a); });
  add("gfx942", "v_cvt_i32_f64 v6, v[0:1]", wide, FloatOut::Single,
      [](const FloatIn& in) { return i32_of(wide, in.a); });
  add("gfx942", "v_cvt_u32_f64 v6, v[0:1]", wide, FloatOut::Single,
      [](const FloatIn& in) { return u32_of(wide, in.a); });
  add("gfx942", "v_cvt_f64_i32 v[6:7], v0", wide, FloatOut::Pair,
      [=](const FloatIn& in) { return wide.round(as_i32(in.a)); });
  add("gfx942", "v_cvt_f64_u32 v[6:7], v0", wide, FloatOut::Pair,
      [=](const FloatIn& in) { return wide.round(as_u32(in.a)); });
  add("gfx942", "v_cvt_f32_f64 v6, v[0:1]", wide, FloatOut::Single,
      [](const FloatIn& in) { return convert(wide, single, in.a); });
  add("gfx942", "v_cvt_f64_f32 v[6:7], v0", single, FloatOut::Pair,
      [](const FloatIn& in) { return convert(single, wide, in.a); });
  add("gfx942", "v_cvt_f32_f16 v6, v0", half, FloatOut::Single,
      [](const FloatIn& in) { return convert(half, single, in.a); });
  add("gfx942", "v_cvt_f16_f32 v6, v0", single, FloatOut::Half,
      [](const FloatIn& in) { return convert(single, half, in.a); });
  add("gfx1100", "v_cvt_f16_f32 v6.l, v0", single, FloatOut::HalfOnly,
      [](const FloatIn& in) { return convert(single, half, in.a); });
  add("gfx942", "v_cvt_f16_i16 v6, v0", half, FloatOut::Half,
      [](const FloatIn& in) { return half.round(static_cast<i16>(in.a)); });
  add("gfx942", "v_cvt_f16_u16 v6, v0", half, FloatOut::Half,
      [](const FloatIn& in) { return half.round(static_cast<u16>(in.a)); });
  add("gfx942", "v_cvt_i16_f16 v6, v0", half, FloatOut::Half,
      [](const FloatIn& in) { return i16_of(half, in.a); });
  add("gfx942", "v_cvt_u16_f16 v6, v0", half, FloatOut::Half,
      [](const FloatIn& in) { return u16_of(half, in.a); });
  for (int byte = 0; byte < 4; ++byte)
    add("gfx942", "v_cvt_f32_ubyte" + std::to_string(byte) + " v6, v0", single, FloatOut::Single,
        [=](const FloatIn& in) {
          return f32_of(static_cast<long double>(in.a >> (8 * byte) & 255));
        });
  add("gfx942", "v_cvt_off_f32_i4 v6, v0", single, FloatOut::Single, [=](const FloatIn& in) {
    const int n = static_cast<int>(in.a & 15);
    return f32_of((n < 8 ? n : n - 16) / 16.0L);
  });
  add("gfx942", "v_cvt_flr_i32_f32 v6, v0", single, FloatOut::Single, [](const FloatIn& in) {
    const u64 a = in.a & single.mask();
    return single.nan(a) ? 0 : i32_of(wide, wide.round(std::floor(single.value(a))));
  });
  for (const auto& [processor, name] :
       {std::pair{"gfx942", "v_cvt_pkrtz_f16_f32"}, std::pair{"gfx1201", "v_cvt_pk_rtz_f16_f32"}})
    add(processor, std::string(name) + " v6, v0, v2", single, FloatOut::Single,
        [](const FloatIn& in) { return half_toward_zero(in.a) | half_toward_zero(in.b) << 16; });
  add("gfx942", "v_cvt_pknorm_i16_f32 v6, v0, v2", single, FloatOut::Single, [](const FloatIn& in) {
    return normalised(single, in.a, -1, 32767) | normalised(single, in.b, -1, 32767) << 16;
  });
  add("gfx1100", "v_cvt_pk_norm_u16_f16 v6, v0.l, v2.l", half, FloatOut::Single,
      [](const FloatIn& in) {
        return normalised(half, in.a, 0, 65535) | normalised(half, in.b, 0, 65535) << 16;
      });
  add("gfx1100", "v_cvt_pk_i16_f32 v6, v0, v2", single, FloatOut::Single,
      [](const FloatIn& in) { return i16_of(single, in.a) | i16_of(single, in.b) << 16; });
  add("gfx1100", "v_cvt_pk_u16_f32 v6, v0, v2", single, FloatOut::Single,
      [](const FloatIn& in) { return u16_of(single, in.a) | u16_of(single, in.b) << 16; });
  add("gfx942", "v_pack_b32_f16 v6, v0, v2", half, FloatOut::Single,
      [](const FloatIn& in) { return (in.a & 0xffff) | (in.b & 0xffff) << 16; });
  add("gfx942", "v_pack_b32_f16 v6, v0, v2 op_sel:[1,0,0]", half, FloatOut::Single,
      [](const FloatIn& in) { return (in.a >> 16 & 0xffff) | (in.b & 0xffff) << 16; });

  // bf16.
  add("gfx950", "v_cvt_pk_bf16_f32 v6, v0, v2", single, FloatOut::Single, [](const FloatIn& in) {
    return convert(single, bfloat, in.a) | convert(single, bfloat, in.b) << 16;
  });

  // FP8 and BF8.
  struct Kind {
    const char *processor, *name;
    Small format;
  };
  for (const Kind& kind : {Kind{"gfx942", "fp8", fp8_fnuz}, Kind{"gfx942", "bf8", bf8_fnuz},
                           Kind{"gfx950", "fp8", fp8}, Kind{"gfx950", "bf8", bf8},
                           Kind{"gfx1201", "fp8", fp8}, Kind{"gfx1201", "bf8", bf8}}) {
    const Small f = kind.format;
    const std::string name = kind.name;
    const bool gfx12 = std::string_view(kind.processor) == "gfx1201";
    for (unsigned byte = 0; byte < 4; ++byte) {
      const std::string at = std::to_string(byte);
      const std::string select = gfx12  ? byte ? "_e64 v6, v0 byte_sel:" + at : " v6, v0"
                                 : byte ? "_sdwa v6, v0 src0_sel:BYTE_" + at
                                        : " v6, v0";
      add(kind.processor, "v_cvt_f32_" + name + select, single, FloatOut::Single,
          [=](const FloatIn& in) { return f.to_f32(in.a >> (8 * byte) & 255); });
    }
    for (unsigned word = 0; word < 2; ++word) {
      const std::string select = gfx12  ? word ? "_e64 v[6:7], v0 op_sel:[1,0]" : " v[6:7], v0"
                                 : word ? "_sdwa v[6:7], v0 src0_sel:WORD_1"
                                        : " v[6:7], v0";
      add(kind.processor, "v_cvt_pk_f32_" + name + select, single, FloatOut::Pair,
          [=](const FloatIn& in) {
            const u64 pair = in.a >> (16 * word);
            return f.to_f32(pair & 255) | f.to_f32(pair >> 8 & 255) << 32;
          });
      add(kind.processor, "v_cvt_pk_" + name + "_f32 v6, v0, v2" + (word ? " op_sel:[0,0,1]" : ""),
          single, FloatOut::Single, [=](const FloatIn& in) {
            const u64 pair = f.nearest(in.a) | f.nearest(in.b) << 8;
            return word ? (in.d & 0xffff) | pair << 16 : (in.d & 0xffff0000) | pair;
          });
    }
    // With no random bits a conversion cuts; the byte that op_sel names is written.
    add(kind.processor,
        "v_cvt_sr_" + name + "_f32 v6, v0, 0" + (gfx12 ? " byte_sel:2" : " op_sel:[0,0,0,1]"),
        single, FloatOut::Single,
        [=](const FloatIn& in) { return (in.d & 0xff00ffff) | u64{f.cut(in.a)} << 16; });
  }

  // CDNA's dot products: each step one fma in f32. (RDNA's: dot_test.cpp)
  const auto value = [](const Format& f, u64 a) {
    a &= f.mask();
    // The float with these bits, so that NaNs keep their payload.
    return std::bit_cast<float>(
        static_cast<u32>(f.nan(a) ? (f.negative(a) ? 1u << 31 : 0) | 0x7f800000u |
                                        (a & ((1u << f.mantissa) - 1)) << (23 - f.mantissa)
                                  : single.round(f.value(a))));
  };
  const auto step = [](float a, float b, float c) {
    return std::bit_cast<float>(static_cast<u32>(
        soft::fma(single, std::bit_cast<u32>(a), std::bit_cast<u32>(b), std::bit_cast<u32>(c))));
  };
  const auto dot2 = [=](const Format& f, u64 a, u64 b, u64 c) -> u64 {
    const float first = step(value(f, a), value(f, b), std::bit_cast<float>(static_cast<u32>(c)));
    return std::bit_cast<u32>(step(value(f, a >> 16), value(f, b >> 16), first));
  };
  add("gfx942", "v_dot2_f32_f16 v6, v0, v2, v4", half, FloatOut::Single,
      [=](const FloatIn& in) { return dot2(half, in.a, in.b, in.c); });
  add("gfx942", "v_dot2_f32_f16 v6, v0, v2, v4 neg_lo:[1,0,0] neg_hi:[0,1,0]", half,
      FloatOut::Single,
      [=](const FloatIn& in) { return dot2(half, in.a ^ 0x8000, in.b ^ 0x80000000, in.c); });
  add("gfx950", "v_dot2_f32_bf16 v6, v0, v2, v4", bfloat, FloatOut::Single,
      [=](const FloatIn& in) { return dot2(bfloat, in.a, in.b, in.c); });
  add("gfx942", "v_dot2c_f32_f16 v6, v0, v2", half, FloatOut::Single,
      [=](const FloatIn& in) { return dot2(half, in.a, in.b, in.d); });

  const auto small = [](const Small& f, u64 code) {
    return std::bit_cast<float>(static_cast<u32>(f.to_f32(static_cast<u32>(code & 255))));
  };
  add("gfx1201", "v_dot4_f32_fp8_bf8 v6, v0, v2, v4", single, FloatOut::Single,
      [=](const FloatIn& in) -> u64 {
        float sum = std::bit_cast<float>(static_cast<u32>(in.c));
        for (int i = 0; i < 32; i += 8)
          sum = step(small(fp8, in.a >> i), small(bf8, in.b >> i), sum);
        return std::bit_cast<u32>(sum);
      });

  // With a scale: 2^(exponent of the operand); its mantissa and sign do not matter.
  const auto scaled = [](u64 a, u64 scale, int direction) {
    const int exponent = static_cast<int>(scale >> 23 & 255);
    if (exponent == 255) return single.default_nan();
    if (single.nan(a)) return nan_of(single, a);
    return single.round(std::ldexp(single.value(a), direction * (exponent - 127)));
  };
  add("gfx950", "v_cvt_scalef32_f32_fp8 v6, v0, v2 op_sel:[1,0,0]", single, FloatOut::Single,
      [=](const FloatIn& in) {
        return scaled(fp8.to_f32(static_cast<u32>(in.a >> 8 & 255)), in.b, 1);
      });
  add("gfx950", "v_cvt_scalef32_pk_f32_bf8 v[6:7], v0, v2 op_sel:[1,0,0]", single, FloatOut::Pair,
      [=](const FloatIn& in) {
        return scaled(bf8.to_f32(static_cast<u32>(in.a >> 16 & 255)), in.b, 1) |
               scaled(bf8.to_f32(static_cast<u32>(in.a >> 24 & 255)), in.b, 1) << 32;
      });
  add("gfx950", "v_cvt_scalef32_pk_fp8_f32 v6, v0, v2, v4 op_sel:[0,0,0,1]", single,
      FloatOut::Single, [=](const FloatIn& in) {
        const u64 pair = fp8.nearest(scaled(in.a & single.mask(), in.c, -1)) |
                         fp8.nearest(scaled(in.b & single.mask(), in.c, -1)) << 8;
        return (in.d & 0xffff) | pair << 16;
      });
  add("gfx950", "v_cvt_scalef32_pk_f32_fp4 v[6:7], v0, v2 op_sel:[0,1,0]", single, FloatOut::Pair,
      [=](const FloatIn& in) {
        constexpr float values[]{0, 0.5f, 1, 1.5f, 2, 3, 4, 6};
        const auto one = [&](u64 code) {
          const float v = values[code & 7];
          return scaled(std::bit_cast<u32>(code & 8 ? -v : v), in.b, 1);
        };
        return one(in.a >> 16) | one(in.a >> 20) << 32;
      });

  // The fma of mixed types.
  for (const char* processor : {"gfx942", "gfx1201"}) {
    add(processor, "v_fma_mix_f32 v6, v0, v2, v4 op_sel:[1,0,0] op_sel_hi:[1,0,1]", half,
        FloatOut::Single, [=](const FloatIn& in) -> u64 {
          return std::bit_cast<u32>(step(value(half, in.a >> 16),
                                         std::bit_cast<float>(static_cast<u32>(in.b)),
                                         value(half, in.c)));
        });
    add(processor, "v_fma_mix_f32 v6, -v0, |v2|, v4 op_sel_hi:[1,1,0]", half, FloatOut::Single,
        [=](const FloatIn& in) -> u64 {
          return std::bit_cast<u32>(step(value(half, in.a ^ 0x8000), value(half, in.b & 0x7fff),
                                         std::bit_cast<float>(static_cast<u32>(in.c))));
        });
    const auto mixed = [=](const FloatIn& in) {
      return convert(
          single, half,
          std::bit_cast<u32>(step(value(half, in.a), value(half, in.b), value(half, in.c))));
    };
    add(processor, "v_fma_mixlo_f16 v6, v0, v2, v4 op_sel_hi:[1,1,1]", half, FloatOut::HalfOnly,
        mixed);
    add(processor, "v_fma_mixhi_f16 v6, v0, v2, v4 op_sel_hi:[1,1,1]", half, FloatOut::Single,
        [=](const FloatIn& in) { return (in.d & 0xffff) | mixed(in) << 16; });
  }
  return all;
}

class Conversion : public testing::TestWithParam<FloatCase> {};
TEST_P(Conversion, MatchesItsDefinition) {
  check(GetParam());
}
INSTANTIATE_TEST_SUITE_P(All, Conversion, testing::ValuesIn(cases()));

}  // namespace
}  // namespace hipsight::test
