// Conversions with a scale between floats of 32 and 16 bits and those of eight, six and four,
// against the numbers that each code stands for, in double.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "machine.h"

namespace hipsight::test {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

// --- formats ------------------------------------------------------------------------------------

/// What stands for values that are too large: an infinity, NaN, or the largest number.
enum class Beyond { Infinity, NaN, Saturate };
struct Format {
  const char* name;
  int exponents, mantissa;
  Beyond beyond;

  int bits() const { return 1 + exponents + mantissa; }
  int bias() const { return (1 << (exponents - 1)) - 1; }
  u32 sign() const { return 1u << (bits() - 1); }
  /// The magnitude's code above which there is no finite number.
  u32 largest() const {
    if (beyond == Beyond::Infinity) return (((1u << exponents) - 1) << mantissa) - 1;
    return sign() - (beyond == Beyond::NaN ? 2 : 1);
  }
  /// Of any magnitude's code, as if the format went on.
  double magnitude(u32 code) const {
    const int e = static_cast<int>(code >> mantissa);
    const u32 fraction = code & ((1u << mantissa) - 1);
    const double whole = e ? fraction + std::ldexp(1.0, mantissa) : fraction;
    return std::ldexp(whole, std::max(e, 1) - bias() - mantissa);
  }
  double value(u32 code) const {
    const u32 m = code & (sign() - 1);
    double v = magnitude(m);
    if (m > largest()) v = beyond == Beyond::Infinity && m == largest() + 1 ? INFINITY : NAN;
    return code & sign() ? -v : v;
  }
  /// `random`: what is added to 2^(23 - mantissa) parts of the last place, if any; else to nearest
  /// even.
  u32 round(double v, const u32* random) const {
    const u32 negative = std::signbit(v) ? sign() : 0;
    const u32 nan = beyond == Beyond::Saturate ? largest() : sign() - 1;
    if (std::isnan(v)) return negative | nan;
    const double m = std::fabs(v);
    u32 code = 0;
    while (code <= largest() && magnitude(code + 1) <= m) ++code;
    if (code <= largest()) {
      const double part = (m - magnitude(code)) / (magnitude(code + 1) - magnitude(code));
      const double parts = std::ldexp(1.0, 23 - mantissa);
      const bool up = random ? std::floor(part * parts) + (*random >> (9 + mantissa)) >= parts
                             : part > 0.5 || (part == 0.5 && code % 2);
      if (up) ++code;
    }
    if (code <= largest()) return negative | code;
    return negative | (beyond == Beyond::Infinity ? largest() + 1 : nan);
  }
};
constexpr Format fp8{"fp8", 4, 3, Beyond::NaN}, bf8{"bf8", 5, 2, Beyond::Infinity},
    fp6{"fp6", 2, 3, Beyond::Saturate}, bf6{"bf6", 3, 2, Beyond::Saturate},
    fp4{"fp4", 2, 1, Beyond::Saturate};
constexpr Format f32{"f32", 8, 23, Beyond::Infinity}, f16{"f16", 5, 10, Beyond::Infinity},
    bf16{"bf16", 8, 7, Beyond::Infinity};
constexpr Format larger[]{f32, f16, bf16};

/// Rounds to a format that is too long for a search through its codes.
u32 round_long(const Format& f, double v) {
  const auto single = static_cast<float>(v);
  if (f.bits() == 32) return std::bit_cast<u32>(single);
  if (f.mantissa == 10) return std::bit_cast<std::uint16_t>(static_cast<_Float16>(v));
  const u32 bits = std::bit_cast<u32>(single);  // of a number with few bits: exact
  return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

// --- instructions -------------------------------------------------------------------------------

/// Where an element is: a register, and a bit that may lie beyond it.
struct Place {
  unsigned reg, bit;
};
constexpr unsigned first = 0, second = 64, seed = 94, scale = 95, result = 96;

struct Conversion {
  std::string text;
  Format from, to;
  std::vector<Place> in, out;
  bool widens = false, random = false;
};
std::ostream& operator<<(std::ostream& out, const Conversion& c) {
  return out << c.text;
}

std::string vector_text(unsigned reg, unsigned bits) {
  const unsigned count = (bits + 31) / 32;
  if (count == 1) return "v" + std::to_string(reg);
  return "v[" + std::to_string(reg) + ":" + std::to_string(reg + count - 1) + "]";
}
std::vector<Place> places(unsigned reg, unsigned count, int bits, unsigned from = 0) {
  std::vector<Place> all;
  for (unsigned e = 0; e < count; ++e) all.push_back({reg, from + e * static_cast<unsigned>(bits)});
  return all;
}
unsigned total(unsigned count, const Format& f) {
  return count * static_cast<unsigned>(f.bits());
}

std::vector<Conversion> conversions() {
  std::vector<Conversion> all;
  const std::string last = ", v95", random = ", v94";
  const auto name = [](const std::string& middle, const Format& to, const Format& from) {
    return "v_cvt_scalef32_" + middle + to.name + "_" + from.name + " ";
  };
  const auto two_bits = [](unsigned n) {
    return std::to_string(n % 2) + "," + std::to_string(n / 2);
  };
  // Two numbers of four bits fill a byte, and two of eight a word; op_sel names one.
  for (const Format& small : {fp8, bf8, fp4}) {
    const bool four = small.bits() == 4;
    const unsigned part = total(2, small), parts = 32 / part;
    for (unsigned at = 0; at < parts; ++at) {
      const std::string to_part =
          " op_sel:[0,0," + (four ? two_bits(at) : "0," + std::to_string(at)) + "]";
      const std::string from_part =
          " op_sel:[" + (four ? two_bits(at) + ",0]" : std::to_string(at) + ",0,0]");
      for (const Format& large : larger) {
        const bool whole = large.bits() == 32;
        const std::string pair = whole ? "v0, v64" : "v0";
        std::vector<Place> in = places(first, 2, large.bits());
        if (whole) in = {{first, 0}, {second, 0}};
        std::string select = to_part;
        if (!whole && !four) select = " op_sel:[0,0," + std::to_string(at) + "]";
        all.push_back({name("pk_", small, large) + "v96, " + pair + last + select, large, small, in,
                       places(result, 2, small.bits(), at * part)});
        if (four)
          all.push_back({name("sr_pk_", small, large) + "v96, " +
                             vector_text(first, total(2, large)) + random + last + to_part,
                         large, small, places(first, 2, large.bits()),
                         places(result, 2, small.bits(), at * part), false, true});
        all.push_back({name("pk_", large, small) + vector_text(result, total(2, large)) + ", v0" +
                           last + from_part,
                       small, large, places(first, 2, small.bits(), at * part),
                       places(result, 2, large.bits()), true});
      }
    }
  }
  for (const Format& small : {fp8, bf8})
    for (unsigned byte = 0; byte < 4; ++byte) {
      for (const Format& large : larger)
        all.push_back({name("sr_", small, large) + "v96, v0" + random + last + " op_sel:[0,0," +
                           two_bits(byte) + "]",
                       large, small, places(first, 1, large.bits()), places(result, 1, 8, byte * 8),
                       false, true});
      for (const Format& large : {f32, f16})
        all.push_back(
            {name("", large, small) + "v96, v0" + last + " op_sel:[" + two_bits(byte) + ",0]",
             small, large, places(first, 1, 8, byte * 8), places(result, 1, large.bits()), true});
    }
  // 32 numbers of six bits fill six registers.
  constexpr unsigned many = 32;
  for (const Format& small : {fp6, bf6}) {
    const std::string to = vector_text(result, total(many, small)) + ", ";
    for (const Format& large : larger) {
      const std::string from = vector_text(first, total(many, large));
      const std::vector<Place> in = places(first, many, large.bits()),
                               out = places(result, many, small.bits());
      if (large.bits() == 16)
        all.push_back({name("pk32_", small, large) + to + from + last, large, small, in, out});
      all.push_back({name("sr_pk32_", small, large) + to + from + random + last, large, small, in,
                     out, false, true});
      all.push_back({name("pk32_", large, small) + vector_text(result, total(many, large)) + ", " +
                         vector_text(first, total(many, small)) + last,
                     small, large, places(first, many, small.bits()),
                     places(result, many, large.bits()), true});
    }
    std::vector<Place> turns;
    for (unsigned e = 0; e < many; ++e) turns.push_back({e % 2 ? second : first, e / 2 * 32});
    all.push_back({name("2xpk16_", small, f32) + to + "v[0:15], v[64:79]" + last, f32, small, turns,
                   places(result, many, small.bits())});
  }
  return all;
}

// --- the check ----------------------------------------------------------------------------------

class ScaledConversion : public testing::TestWithParam<Conversion> {
 protected:
  static u32 get(Machine& m, const Place& p, int bits, unsigned lane) {
    const unsigned r = p.reg + p.bit / 32;
    const u64 both = m.vgpr(r, lane) | u64{m.vgpr(r + 1, lane)} << 32;
    return static_cast<u32>(both >> p.bit % 32 & ((u64{1} << bits) - 1));
  }
  static void put(Machine& m, const Place& p, int bits, unsigned lane, u32 value) {
    const unsigned r = p.reg + p.bit / 32;
    u64 both = m.vgpr(r, lane) | u64{m.vgpr(r + 1, lane)} << 32;
    const u64 mask = ((u64{1} << bits) - 1) << p.bit % 32;
    both = (both & ~mask) | (u64{value} << p.bit % 32 & mask);
    m.vgpr(r, lane) = static_cast<u32>(both);
    m.vgpr(r + 1, lane) = static_cast<u32>(both >> 32);
  }
};

TEST_P(ScaledConversion, GivesTheNearestNumber) {
  const Conversion& c = GetParam();
  for (const HostIsa& host_isa : host_isas()) {
    SCOPED_TRACE(host_isa.name);
    Machine m("gfx950", host_isa);
    const auto code = m.lower(c.text);
    std::mt19937 generator(5);
    const auto below = [&](u32 n) { return static_cast<int>(generator() % n); };
    std::vector<u32> before(m.lanes() * 128);
    constexpr int rounds = 6;
    for (int round = 0; round < rounds; ++round) {
      for (unsigned lane = 0; lane < m.lanes(); ++lane) {
        for (unsigned r = 0; r < 128; ++r) m.vgpr(r, lane) = static_cast<u32>(generator());
        // Mostly scales with which numbers stay in range; also the ends of the format, and NaN.
        constexpr u32 ends[]{0, 1, 254, 255};
        const u32 exponent =
            below(16) ? static_cast<u32>(127 - 8 + below(17)) : ends[below(std::size(ends))];
        m.vgpr(scale, lane) = (m.vgpr(scale, lane) & 0x807fffff) | exponent << 23;
        if (!c.widens)
          for (const Place& p : c.in) {
            // Numbers of the target times the scale, and half way between two of them.
            if (!below(5)) continue;
            const u32 near = static_cast<u32>(below(c.to.sign()));
            double v = c.to.magnitude(near);
            if (below(2)) v = (v + c.to.magnitude(near + 1)) / 2;
            if (!below(3)) v *= 1 + std::ldexp(below(3) - 1, -c.from.mantissa);
            v = std::ldexp(below(2) ? v : -v, static_cast<int>(exponent) - 127);
            put(m, p, c.from.bits(), lane, round_long(c.from, v));
          }
      }
      for (unsigned r = 0; r < 128; ++r)
        for (unsigned lane = 0; lane < m.lanes(); ++lane)
          before[r * m.lanes() + lane] = m.vgpr(r, lane);
      const u64 exec = round % 2 ? 0xfffffffffffffffeull : ~0ull;
      m.wave().set_pair(engine::reg::exec, exec);
      m.run(*code);

      for (unsigned lane = 0; lane < m.lanes(); ++lane) {
        std::vector<u32> expected;
        for (unsigned r = 0; r < 32; ++r)
          expected.push_back(before[(result + r) * m.lanes() + lane]);
        u32 random = before[seed * m.lanes() + lane];
        const u32 exponent = before[scale * m.lanes() + lane] >> 23 & 255;
        for (std::size_t e = 0; e < c.in.size() && exec >> lane & 1; ++e) {
          const u32 from = get(m, c.in[e], c.from.bits(), lane);
          double v = c.from.value(from);
          const int power = static_cast<int>(exponent) - 127;
          v = exponent == 255 ? NAN : std::ldexp(v, c.widens ? power : -power);
          const u32 now = get(m, c.out[e], c.to.bits(), lane);
          const Place& p = c.out[e];
          u32 code_wanted =
              c.widens ? round_long(c.to, v) : c.to.round(v, c.random ? &random : nullptr);
          if (c.widens && std::isnan(v)) {
            EXPECT_TRUE(std::isnan(c.to.value(now))) << "lane " << lane << ", element " << e;
            code_wanted = now;
          }
          ASSERT_EQ(now, code_wanted) << "lane " << lane << ", element " << e << ": " << std::hex
                                      << from << " scaled by " << exponent;
          u64 both = expected[p.bit / 32];
          if (p.bit / 32 < 31) both |= u64{expected[p.bit / 32 + 1]} << 32;
          const u64 mask = ((u64{1} << c.to.bits()) - 1) << p.bit % 32;
          both = (both & ~mask) | (u64{now} << p.bit % 32 & mask);
          expected[p.bit / 32] = static_cast<u32>(both);
          if (p.bit / 32 < 31) expected[p.bit / 32 + 1] = static_cast<u32>(both >> 32);
          random = random << 1 ^ (random >> 31 ? 0xc5 : 0);
        }
        // Nothing else has changed.
        for (unsigned r = 0; r < 32; ++r)
          ASSERT_EQ(m.vgpr(result + r, lane), expected[r]) << "lane " << lane << ", register " << r;
      }
    }
  }
}
INSTANTIATE_TEST_SUITE_P(, ScaledConversion, testing::ValuesIn(conversions()));

}  // namespace
}  // namespace hipsight::test
