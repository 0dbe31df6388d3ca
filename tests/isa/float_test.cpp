// Floating-point arithmetic and comparisons, bit for bit, against definitions one number at a time.
#include <gtest/gtest.h>

#include "float_case.h"
#include "softfloat.h"

namespace hipsight::test {
namespace {

enum class Operation { Add, Sub, Mul, Fma };

u64 calculate(Operation operation, const Format& f, u64 a, u64 b, u64 c = 0) {
  a &= f.mask(), b &= f.mask(), c &= f.mask();
  switch (operation) {
    case Operation::Add:
      return soft::add(f, a, b);
    case Operation::Sub:
      return soft::subtract(f, a, b);
    case Operation::Mul:
      return soft::multiply(f, a, b);
    default:
      return soft::fma(f, a, b, c);
  }
}

// --- minimum and maximum, as the manuals' pseudocode -------------------------------------------

/// Number-preferring forms; `ieee`: a signaling NaN comes back quieted.
u64 extreme(const Format& f, u64 a, u64 b, bool is_max, bool ieee) {
  a &= f.mask(), b &= f.mask();
  if (ieee && f.signaling(a)) return a | f.quiet();
  if (ieee && f.signaling(b)) return b | f.quiet();
  if (!ieee && f.nan(a) && f.nan(b)) return a | f.quiet();
  if (f.nan(a)) return b;
  if (f.nan(b)) return a;
  if (f.zero(a) && f.zero(b)) return f.negative(a) != is_max ? a : b;
  const bool less = f.value(a) < f.value(b);
  return less != is_max ? a : b;
}
/// NaN-preferring forms.
u64 extreme_or_nan(const Format& f, u64 a, u64 b, bool is_max) {
  a &= f.mask(), b &= f.mask();
  if (f.nan(a) || f.nan(b)) return nan_of(f, a, b);
  return extreme(f, a, b, is_max, false);
}
u64 median(const Format& f, u64 a, u64 b, u64 c, bool ieee) {
  a &= f.mask(), b &= f.mask(), c &= f.mask();
  const auto most = [&](u64 x, u64 y) { return extreme(f, x, y, true, ieee); };
  const auto least = [&](u64 x, u64 y) { return extreme(f, x, y, false, ieee); };
  if (f.nan(a) || f.nan(b) || f.nan(c)) return least(least(a, b), c);
  const u64 top = most(most(a, b), c);
  if (f.value(top) == f.value(a)) return most(b, c);
  if (f.value(top) == f.value(b)) return most(a, c);
  return most(a, b);
}

// --- one operand -------------------------------------------------------------------------------

u64 quieted(const Format& f, u64 a) {
  return f.nan(a) ? a | f.quiet() : a;
}
u64 whole(const Format& f, u64 a, long double (*rounded)(long double)) {
  a &= f.mask();
  if (f.nan(a) || f.infinite(a)) return quieted(f, a);
  const long double r = rounded(f.value(a));
  return f.round(std::copysign(r, f.value(a)));
}
u64 fraction(const Format& f, u64 a) {
  a &= f.mask();
  if (f.nan(a)) return a | f.quiet();
  if (f.infinite(a)) return f.default_nan();
  const long double v = f.value(a);
  if (v == 0) return 0;
  const u64 below_one = f.round(1) - 1;
  // Values just below 0 come out just below 1; their sum with 1 has more bits than a long double.
  return std::min(soft::subtract(f, a, f.round(std::floor(v))), below_one);
}
u64 scaled(const Format& f, u64 a, i64 n) {
  a &= f.mask();
  if (f.nan(a) || f.infinite(a)) return quieted(f, a);
  n = std::clamp<i64>(n, -8000, 8000);
  return f.round(std::ldexp(f.value(a), static_cast<int>(n)));
}
u64 mantissa(const Format& f, u64 a) {
  a &= f.mask();
  if (f.nan(a) || f.infinite(a)) return quieted(f, a);
  int e;
  return f.round(std::frexp(f.value(a), &e));
}
u64 exponent(const Format& f, u64 a) {
  a &= f.mask();
  int e = 0;
  if (!f.nan(a) && !f.infinite(a)) (void)std::frexp(f.value(a), &e);
  return static_cast<u32>(e);
}

u64 class_of(const Format& f, u64 a) {
  a &= f.mask();
  if (f.nan(a)) return f.signaling(a) ? 0 : 1;
  const int kind = f.infinite(a) ? 0 : f.zero(a) ? 3 : f.denormal(a) ? 2 : 1;
  return f.negative(a) ? 2 + kind : 9 - kind;
}

std::vector<FloatCase> cases() {
  std::vector<FloatCase> all;
  const auto add = [&](std::string processor, std::string text, const Format& f, FloatOut out,
                       std::function<u64(const FloatIn&)> expected) {
    all.push_back({std::move(processor), std::move(text), f, out, std::move(expected)});
  };
  struct Type {
    const char* suffix;
    Format format;
    FloatOut out;  // GFX9's 16-bit results clear the other half, GFX11's keep it
    const char *d, *a, *b, *c;
    const char* processor;
  };
  const Type types[]{
      {"f32", single, FloatOut::Single, "v6", "v0", "v2", "v4", "gfx942"},
      {"f32", single, FloatOut::Single, "v6", "v0", "v2", "v4", "gfx1201"},
      {"f64", wide, FloatOut::Pair, "v[6:7]", "v[0:1]", "v[2:3]", "v[4:5]", "gfx942"},
      {"f64", wide, FloatOut::Pair, "v[6:7]", "v[0:1]", "v[2:3]", "v[4:5]", "gfx1201"},
      {"f16", half, FloatOut::Half, "v6", "v0", "v2", "v4", "gfx90a"},
      {"f16", half, FloatOut::HalfOnly, "v6", "v0", "v2", "v4", "gfx1201"},
      {"f16", half, FloatOut::HalfOnly, "v6.l", "v0.l", "v2.l", "v4.l", "gfx1100"},
  };
  for (const Type& t : types) {
    const Format f = t.format;
    const bool gfx12 = std::string_view(t.processor) == "gfx1201";
    const bool f64 = f.width == 64, f16 = f.width == 16;
    const bool gfx11 = std::string_view(t.processor) == "gfx1100";
    const std::string low = gfx11 ? ".l" : "";
    const auto unary = [&](std::string name, auto expected) {
      add(t.processor, "v_" + name + "_" + t.suffix + " " + t.d + ", " + t.a, f, t.out, expected);
    };
    const auto binary = [&](std::string name, auto expected) {
      add(t.processor, "v_" + name + "_" + t.suffix + " " + t.d + ", " + t.a + ", " + t.b, f, t.out,
          expected);
    };
    // VOP3-only f16 instructions keep the other half on GFX9 too.
    const auto ternary = [&](std::string name, auto expected) {
      add(t.processor,
          "v_" + name + "_" + t.suffix + " " + t.d + ", " + t.a + ", " + t.b + ", " + t.c, f,
          f16 ? FloatOut::HalfOnly : t.out, expected);
    };
    const auto operation = [f](Operation op) {
      return [=](const FloatIn& in) { return calculate(op, f, in.a, in.b, in.c); };
    };
    binary("add", operation(Operation::Add));
    binary("mul", operation(Operation::Mul));
    ternary("fma", operation(Operation::Fma));
    if (!f64) {
      binary("sub", operation(Operation::Sub));
      binary("subrev", [f](const FloatIn& in) { return calculate(Operation::Sub, f, in.b, in.a); });
    }
    if (!f16)
      if (!(f64 && gfx12))
        binary("fmac",
               [f](const FloatIn& in) { return calculate(Operation::Fma, f, in.a, in.b, in.d); });
    for (const bool is_max : {false, true}) {
      const std::string name = is_max ? "max" : "min", other = is_max ? "min" : "max";
      const std::string num = gfx12 ? "_num" : "";
      const auto one = [=](u64 x, u64 y) { return extreme(f, x, y, is_max, !gfx12); };
      const auto opposite = [=](u64 x, u64 y) { return extreme(f, x, y, !is_max, !gfx12); };
      const auto strict = [=](u64 x, u64 y) { return extreme_or_nan(f, x, y, is_max); };
      binary(name + num, [=](const FloatIn& in) { return one(in.a, in.b); });
      if (!f64) {
        ternary(name + "3" + num, [=](const FloatIn& in) { return one(one(in.a, in.b), in.c); });
        if (gfx12)
          ternary(name + other + num,
                  [=](const FloatIn& in) { return opposite(one(in.a, in.b), in.c); });
      }
      if (gfx12) {
        binary(is_max ? "maximum" : "minimum",
               [=](const FloatIn& in) { return strict(in.a, in.b); });
        if (!f64)
          ternary(is_max ? "maximum3" : "minimum3",
                  [=](const FloatIn& in) { return strict(strict(in.a, in.b), in.c); });
      }
    }
    if (!f64)
      ternary(gfx12 ? "med3_num" : "med3",
              [=](const FloatIn& in) { return median(f, in.a, in.b, in.c, !gfx12); });
    unary("trunc", [f](const FloatIn& in) { return whole(f, in.a, std::trunc); });
    unary("floor", [f](const FloatIn& in) { return whole(f, in.a, std::floor); });
    unary("ceil", [f](const FloatIn& in) { return whole(f, in.a, std::ceil); });
    unary("rndne", [f](const FloatIn& in) { return whole(f, in.a, std::nearbyint); });
    unary("fract", [f](const FloatIn& in) { return fraction(f, in.a); });
    unary("frexp_mant", [f](const FloatIn& in) { return mantissa(f, in.a); });
    add(t.processor,
        std::string(f16 ? "v_frexp_exp_i16_" : "v_frexp_exp_i32_") + t.suffix + " v6" + low + ", " +
            t.a,
        f, f16 ? t.out : FloatOut::Single, [f](const FloatIn& in) { return exponent(f, in.a); });
    // Powers of two of every size: an integer operand made by a shift of random bits.
    const std::string power = "v2" + low;
    add(t.processor, std::string("v_ldexp_") + t.suffix + " " + t.d + ", " + t.a + ", " + power, f,
        t.out, [=](const FloatIn& in) {
          return scaled(f, in.a,
                        f16 ? static_cast<i16>(in.b) : static_cast<i64>(static_cast<i32>(in.b)));
        });
    add(t.processor,
        std::string("v_ashrrev_i32 v2, 20, v2\nv_ldexp_") + t.suffix + " " + t.d + ", " + t.a +
            ", " + power,
        f, t.out, [=](const FloatIn& in) {
          const i32 n = static_cast<i32>(in.b) >> 20;
          return scaled(f, in.a, f16 ? static_cast<i16>(n) : n);
        });

    // Comparisons.
    const std::string bits = gfx12 || gfx11 ? "s10" : "s[10:11]";
    const std::pair<const char*, bool (*)(long double, long double)> predicates[]{
        {"lt", [](auto x, auto y) { return x < y; }},
        {"eq", [](auto x, auto y) { return x == y; }},
        {"le", [](auto x, auto y) { return x <= y; }},
        {"gt", [](auto x, auto y) { return x > y; }},
        {"lg", [](auto x, auto y) { return x < y || x > y; }},
        {"ge", [](auto x, auto y) { return x >= y; }},
        {"o", [](auto x, auto y) { return !std::isunordered(x, y); }},
        {"u", [](auto x, auto y) { return std::isunordered(x, y); }},
        {"nge", [](auto x, auto y) { return !(x >= y); }},
        {"nlg", [](auto x, auto y) { return !(x < y || x > y); }},
        {"ngt", [](auto x, auto y) { return !(x > y); }},
        {"nle", [](auto x, auto y) { return !(x <= y); }},
        {"neq", [](auto x, auto y) { return x != y; }},
        {"nlt", [](auto x, auto y) { return !(x < y); }},
    };
    for (const auto& [name, holds] : predicates)
      add(t.processor,
          std::string("v_cmp_") + name + "_" + t.suffix + " " + bits + ", " + t.a + ", " + t.b, f,
          FloatOut::Bits, [f, holds = holds](const FloatIn& in) -> u64 {
            return holds(f.value(in.a & f.mask()), f.value(in.b & f.mask()));
          });
    add(t.processor,
        std::string("v_cmp_class_") + t.suffix + " " + bits + ", " + t.a + ", " + "v4" + low, f,
        FloatOut::Bits, [f](const FloatIn& in) { return in.c >> class_of(f, in.a) & 1; });
  }

  // Packed halves, with op_sel and neg.
  struct Packed {
    const char* name;
    Operation operation;
    int operands;
  };
  for (const Packed& p :
       {Packed{"v_pk_add_f16", Operation::Add, 2}, Packed{"v_pk_mul_f16", Operation::Mul, 2},
        Packed{"v_pk_fma_f16", Operation::Fma, 3}})
    for (const char* processor : {"gfx942", "gfx1100"}) {
      const std::string text =
          std::string(p.name) + " v6, v0, v2" + (p.operands == 3 ? ", v4" : "");
      const auto both = [operation = p.operation](const FloatIn& in) {
        return calculate(operation, half, in.a, in.b, in.c) |
               calculate(operation, half, in.a >> 16, in.b >> 16, in.c >> 16) << 16;
      };
      add(processor, text, half, FloatOut::Single, both);
      const std::string third = p.operands == 3 ? ",0" : "";
      add(processor,
          text + " op_sel:[1,0" + third + "] op_sel_hi:[0,1" + (p.operands == 3 ? ",1" : "") +
              "] neg_lo:[1,0" + third + "] neg_hi:[0,1" + third + "]",
          half, FloatOut::Single, [both](const FloatIn& in) {
            FloatIn swapped = in;
            swapped.a = ((in.a & 0xffff) << 16 | (in.a >> 16 & 0xffff)) ^ 0x8000;
            swapped.b = in.b ^ 0x80000000;
            return both(swapped);
          });
    }
  add("gfx942", "v_pk_fmac_f16 v6, v0, v2", half, FloatOut::Single, [](const FloatIn& in) {
    return calculate(Operation::Fma, half, in.a, in.b, in.d) |
           calculate(Operation::Fma, half, in.a >> 16, in.b >> 16, in.d >> 16) << 16;
  });
  add("gfx942", "v_pk_fma_f32 v[6:7], v[0:1], v[2:3], v[4:5]", single, FloatOut::Pair,
      [](const FloatIn& in) {
        return calculate(Operation::Fma, single, in.a, in.b, in.c) |
               calculate(Operation::Fma, single, in.a >> 32, in.b >> 32, in.c >> 32) << 32;
      });

  // A high half is accumulated where it lies.
  for (const char* text : {"v_fmac_f16_e32 v6.h, v0.l, v2.h", "v_fmac_f16_e64 v6.h, v0.l, v2.h"})
    add("gfx1100", text, half, FloatOut::Single, [](const FloatIn& in) {
      return (in.d & 0xffff) | calculate(Operation::Fma, half, in.a, in.b >> 16, in.d >> 16) << 16;
    });

  // Literals, and modifiers.
  add("gfx942", "v_fmamk_f32 v6, v0, 0x40490fdb, v2", single, FloatOut::Single,
      [](const FloatIn& in) { return calculate(Operation::Fma, single, in.a, 0x40490fdb, in.b); });
  add("gfx1100", "v_fmaak_f32 v6, v0, v2, 0x40490fdb", single, FloatOut::Single,
      [](const FloatIn& in) { return calculate(Operation::Fma, single, in.a, in.b, 0x40490fdb); });
  add("gfx942", "v_add_f32 v6, -|v0|, v2", single, FloatOut::Single, [](const FloatIn& in) {
    return calculate(Operation::Add, single, in.a | single.sign(), in.b);
  });
  add("gfx942", "v_mul_legacy_f32 v6, v0, v2", single, FloatOut::Single, [](const FloatIn& in) {
    const u32 a = static_cast<u32>(in.a), b = static_cast<u32>(in.b);
    return single.zero(a) || single.zero(b) ? 0 : calculate(Operation::Mul, single, a, b);
  });
  return all;
}

/// The definitions against the host's own arithmetic.
TEST(SoftFloat, AgreesWithTheHost) {
  Floats values(3);
  for (int i = 0; i < 100000; ++i) {
    const u64 a = values.one(wide), b = values.one(wide), c = values.one(wide);
    const volatile double x = std::bit_cast<double>(a), y = std::bit_cast<double>(b),
                          z = std::bit_cast<double>(c);
    const auto same = [&](u64 soft, double host) {
      if (wide.nan(soft) ? !std::isnan(host) : soft != std::bit_cast<u64>(host))
        ADD_FAILURE() << std::hex << soft << " of " << a << " " << b << " " << c;
    };
    same(soft::add(wide, a, b), x + y);
    same(soft::subtract(wide, a, b), x - y);
    same(soft::multiply(wide, a, b), x * y);
    same(soft::divide(wide, a, b), x / y);
    same(soft::fma(wide, a, b, c), std::fma(x, y, z));
    same(soft::root(wide, a), std::sqrt(x));
  }
}

class FloatingPoint : public testing::TestWithParam<FloatCase> {};
TEST_P(FloatingPoint, MatchesItsDefinition) {
  check(GetParam());
}
INSTANTIATE_TEST_SUITE_P(All, FloatingPoint, testing::ValuesIn(cases()));

}  // namespace
}  // namespace hipsight::test
