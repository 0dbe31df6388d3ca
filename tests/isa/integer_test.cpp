// Vector integer instructions against definitions written bit by bit from the manuals'
// pseudocode, over edge values and random ones, on every host instruction set at hand.
#include <gtest/gtest.h>

#include <bit>
#include <functional>

#include "machine.h"
#include "operands.h"
#include "values.h"

namespace hipsight::test {
namespace {

using i8 = std::int8_t;
using u8 = std::uint8_t;
using i16 = std::int16_t;
using u16 = std::uint16_t;
using i32 = std::int32_t;
using u32 = std::uint32_t;
using i64 = std::int64_t;
using u64 = std::uint64_t;
using i128 = __int128;

/// One lane's inputs: v[0:1], v[2:3], v[4:5], the old v[6:7], and its bit of s[12:13].
struct In {
  u64 a64, b64, c64, d64;
  bool bit;
  unsigned lane;
  u32 a() const { return static_cast<u32>(a64); }
  u32 b() const { return static_cast<u32>(b64); }
  u32 c() const { return static_cast<u32>(c64); }
  u32 d() const { return static_cast<u32>(d64); }
  i32 sa() const { return static_cast<i32>(a64); }
  i32 sb() const { return static_cast<i32>(b64); }
  i32 sc() const { return static_cast<i32>(c64); }
  u16 ah() const { return static_cast<u16>(a64); }
  u16 bh() const { return static_cast<u16>(b64); }
  u16 ch() const { return static_cast<u16>(c64); }
  i16 sah() const { return static_cast<i16>(a64); }
  i16 sbh() const { return static_cast<i16>(b64); }
  i16 sch() const { return static_cast<i16>(c64); }
};
struct Out {
  u64 value;
  bool bit = false;
  Out(u64 value, bool bit = false) : value(value), bit(bit) {}
};

/// What an instruction writes: v6, v[6:7], or the low half of v6 with the high half cleared or
/// kept; bits go to s[10:11].
enum class Writes { Value, Pair, LowHalf, LowHalfOnly, Bits, ValueAndBits, PairAndBits };

struct Case {
  const char* processor;
  const char* text;
  Writes writes;
  std::function<Out(const In&)> expected;
};
void PrintTo(const Case& c, std::ostream* out) {
  *out << c.processor << " " << c.text;
}

class Integer : public testing::TestWithParam<Case> {};

TEST_P(Integer, MatchesItsDefinition) {
  const Case& c = GetParam();
  const bool pair = c.writes == Writes::Pair || c.writes == Writes::PairAndBits;
  const bool has_value = c.writes != Writes::Bits;
  const bool has_bits = c.writes == Writes::Bits || c.writes == Writes::ValueAndBits ||
                        c.writes == Writes::PairAndBits;
  for (const HostIsa& host_isa : host_isas()) {
    Machine machine(c.processor, host_isa);
    const auto code = machine.lower(c.text);
    Values values(seed(7, host_isa));
    for (int round = 0; round < operand_rounds(60); ++round) {
      engine::Wave& wave = machine.wave();
      const u64 exec = (round % 3 == 0 ? ~0ull : values.random()) & wave.full;
      wave.set_pair(engine::reg::exec, exec);
      for (unsigned lane = 0; lane < machine.lanes(); ++lane)
        for (unsigned r = 0; r < 8; r += 2) {
          const u64 v = values.next();
          machine.vgpr(r, lane) = static_cast<u32>(v);
          machine.vgpr(r + 1, lane) = static_cast<u32>(v >> 32);
        }
      const u64 bits_in = values.random();
      wave.set_pair(12, bits_in);
      wave.set_pair(10, ~0ull);
      std::vector<In> inputs;
      const auto pair_at = [&](unsigned r, unsigned lane) {
        return machine.vgpr(r, lane) | u64{machine.vgpr(r + 1, lane)} << 32;
      };
      for (unsigned lane = 0; lane < machine.lanes(); ++lane)
        inputs.push_back({pair_at(0, lane), pair_at(2, lane), pair_at(4, lane), pair_at(6, lane),
                          (bits_in >> lane & 1) != 0, lane});
      machine.run(*code);
      count_operands(std::popcount(exec));
      for (unsigned lane = 0; lane < machine.lanes(); ++lane) {
        const In& in = inputs[lane];
        const bool active = exec >> lane & 1;
        const Out out = c.expected(in);
        u64 value = in.d64;
        if (active && has_value) {
          const u64 kept = in.d64 & 0xffffffff00000000ull;
          switch (c.writes) {
            case Writes::Pair:
            case Writes::PairAndBits:
              value = out.value;
              break;
            case Writes::LowHalf:
              value = kept | (out.value & 0xffff);
              break;
            case Writes::LowHalfOnly:
              value = kept | (in.d64 & 0xffff0000u) | (out.value & 0xffff);
              break;
            default:
              value = kept | (out.value & 0xffffffffu);
          }
        }
        ASSERT_EQ(pair_at(6, lane), value)
            << std::hex << host_isa.name << " a " << in.a64 << " b " << in.b64 << " c " << in.c64
            << " d " << in.d64 << " bit " << in.bit << " lane " << lane << (pair ? " pair" : "");
        if (has_bits) {
          ASSERT_EQ(wave.pair(10) >> lane & 1, active && out.bit)
              << std::hex << host_isa.name << " a " << in.a64 << " b " << in.b64 << " c " << in.c64
              << " bit " << in.bit;
        }
      }
    }
  }
}

// --- definitions ------------------------------------------------------------------------------

u64 clamp_to(i128 x, i128 low, i128 high) {
  return static_cast<u64>(x < low ? low : x > high ? high : x);
}
constexpr i128 min32 = -(i128{1} << 31), max32 = (i128{1} << 31) - 1, max_u32 = 0xffffffff;
i32 sign24(u32 x) {
  return static_cast<i32>(x & 0x800000 ? (x & 0xffffff) - 0x1000000 : x & 0xffffff);
}
/// Part i of `bits` bits, signed or not.
i64 part(u32 x, int bits, int i, bool is_signed) {
  i64 r = x >> (bits * i) & ((1u << bits) - 1);
  if (is_signed && (r >> (bits - 1) & 1)) r -= i64{1} << bits;
  return r;
}
i64 dot(u32 a, u32 b, int bits, bool signed_a, bool signed_b) {
  i64 sum = 0;
  for (int i = 0; i < 32 / bits; ++i)
    sum += part(a, bits, i, signed_a) * part(b, bits, i, signed_b);
  return sum;
}
u32 sad(u32 a, u32 b, int bits, bool skip_zero = false) {
  u32 sum = 0;
  for (int i = 0; i < 32 / bits; ++i) {
    const i64 x = part(a, bits, i, false), y = part(b, bits, i, false);
    if (!skip_zero || y != 0) sum += static_cast<u32>(x > y ? x - y : y - x);
  }
  return sum;
}
u64 sad4(const In& in, bool skip_zero) {
  u64 result = 0;
  for (int i = 0; i < 4; ++i)
    result |= u64{static_cast<u16>(sad(static_cast<u32>(in.a64 >> (8 * i)), in.b(), 8, skip_zero) +
                                   static_cast<u16>(in.c64 >> (16 * i)))}
              << (16 * i);
  return result;
}
u32 bit_field(u32 x, u32 offset, u32 width, bool is_signed) {
  u32 r = 0;
  for (u32 i = 0; i < width; ++i) {
    const u32 from = offset + i;
    const bool bit = from < 32 ? x >> from & 1 : is_signed && x >> 31;
    r |= u32{bit} << i;
  }
  if (is_signed && width > 0 && (r >> (width - 1) & 1)) r |= width < 32 ? ~0u << width : 0;
  return r;
}
u32 reversed(u32 x) {
  u32 r = 0;
  for (int i = 0; i < 32; ++i) r |= (x >> i & 1) << (31 - i);
  return r;
}
u32 count(u64 x) {
  u32 r = 0;
  for (; x; x &= x - 1) ++r;
  return r;
}
u32 first_from_top(u32 x) {
  for (int i = 0; i < 32; ++i)
    if (x >> (31 - i) & 1) return static_cast<u32>(i);
  return ~0u;
}
u32 first_from_bottom(u32 x) {
  for (int i = 0; i < 32; ++i)
    if (x >> i & 1) return static_cast<u32>(i);
  return ~0u;
}
u32 sign_run(u32 x) {
  for (int i = 1; i < 32; ++i)
    if ((x >> (31 - i) & 1) != x >> 31) return static_cast<u32>(i);
  return ~0u;
}
u32 permute(u32 a, u32 b, u32 selectors) {
  u8 in[8];
  for (int i = 0; i < 4; ++i) {
    in[i] = static_cast<u8>(b >> (8 * i));
    in[i + 4] = static_cast<u8>(a >> (8 * i));
  }
  u32 r = 0;
  for (int i = 0; i < 4; ++i) {
    const u32 s = selectors >> (8 * i) & 255;
    const u32 byte = s >= 13   ? 0xff
                     : s == 12 ? 0
                     : s >= 8  ? (in[2 * (s - 8) + 1] & 0x80 ? 0xff : 0)
                               : in[s];
    r |= byte << (8 * i);
  }
  return r;
}
u32 table_lookup(u32 a, u32 b, u32 c, u32 table) {
  u32 r = 0;
  for (int i = 0; i < 32; ++i)
    r |= (table >> ((a >> i & 1) << 2 | (b >> i & 1) << 1 | (c >> i & 1)) & 1) << i;
  return r;
}
u32 average(u32 a, u32 b, u32 c) {
  u32 r = 0;
  for (int i = 0; i < 4; ++i)
    r |= static_cast<u32>((part(a, 8, i, false) + part(b, 8, i, false) + (c >> (8 * i) & 1)) >> 1)
         << (8 * i);
  return r;
}
template <class T>
T median(T a, T b, T c) {
  T v[]{a, b, c};
  std::sort(v, v + 3);
  return v[1];
}
u32 two(u64 low, u64 high) {
  return static_cast<u32>((low & 0xffff) | (high & 0xffff) << 16);
}
/// A function of the two halves of packed operands.
Out halves(const In& in, const std::function<u64(u16, u16, u16)>& f) {
  return two(f(in.ah(), in.bh(), in.ch()),
             f(static_cast<u16>(in.a() >> 16), static_cast<u16>(in.b() >> 16),
               static_cast<u16>(in.c() >> 16)));
}
i16 s(u16 x) {
  return static_cast<i16>(x);
}

constexpr const char *mi200 = "gfx90a", *mi300 = "gfx942", *mi350 = "gfx950", *rdna3 = "gfx1100",
                     *rdna4 = "gfx1201";
using enum Writes;

const Case arithmetic[] = {
    {mi200, "v_add_u32 v6, v0, v2", Value, [](const In& i) { return i.a() + i.b(); }},
    {mi200, "v_sub_u32 v6, v0, v2", Value, [](const In& i) { return i.a() - i.b(); }},
    {mi200, "v_subrev_u32 v6, v0, v2", Value, [](const In& i) { return i.b() - i.a(); }},
    {rdna3, "v_add_nc_u32 v6, v0, v2", Value, [](const In& i) { return i.a() + i.b(); }},
    {rdna4, "v_sub_nc_u32 v6, v0, v2", Value, [](const In& i) { return i.a() - i.b(); }},
    {rdna3, "v_subrev_nc_u32 v6, v0, v2", Value, [](const In& i) { return i.b() - i.a(); }},
    {mi200, "v_add_i32 v6, v0, v2", Value, [](const In& i) { return i.a() + i.b(); }},
    {mi200, "v_sub_i32 v6, v0, v2", Value, [](const In& i) { return i.a() - i.b(); }},
    {mi200, "v_add_u32 v6, v0, v2 clamp", Value,
     [](const In& i) { return clamp_to(i128{i.a()} + i.b(), 0, max_u32); }},
    {mi200, "v_sub_u32 v6, v0, v2 clamp", Value,
     [](const In& i) { return clamp_to(i128{i.a()} - i.b(), 0, max_u32); }},
    {mi200, "v_subrev_u32 v6, v0, v2 clamp", Value,
     [](const In& i) { return clamp_to(i128{i.b()} - i.a(), 0, max_u32); }},
    {rdna3, "v_add_nc_i32 v6, v0, v2 clamp", Value,
     [](const In& i) { return clamp_to(i128{i.sa()} + i.sb(), min32, max32); }},
    {mi300, "v_sub_i32 v6, v0, v2 clamp", Value,
     [](const In& i) { return clamp_to(i128{i.sa()} - i.sb(), min32, max32); }},
    {mi200, "v_add_co_u32 v6, s[10:11], v0, v2", ValueAndBits,
     [](const In& i) { return Out(i.a() + i.b(), u64{i.a()} + i.b() > max_u32); }},
    {mi200, "v_sub_co_u32 v6, s[10:11], v0, v2", ValueAndBits,
     [](const In& i) { return Out(i.a() - i.b(), i.b() > i.a()); }},
    {mi200, "v_subrev_co_u32 v6, s[10:11], v0, v2", ValueAndBits,
     [](const In& i) { return Out(i.b() - i.a(), i.a() > i.b()); }},
    {mi200, "v_addc_co_u32 v6, s[10:11], v0, v2, s[12:13]", ValueAndBits,
     [](const In& i) {
       const u64 sum = u64{i.a()} + i.b() + i.bit;
       return Out(sum, sum > max_u32);
     }},
    {mi200, "v_subb_co_u32 v6, s[10:11], v0, v2, s[12:13]", ValueAndBits,
     [](const In& i) { return Out(i.a() - i.b() - i.bit, u64{i.b()} + i.bit > i.a()); }},
    {mi200, "v_subbrev_co_u32 v6, s[10:11], v0, v2, s[12:13]", ValueAndBits,
     [](const In& i) { return Out(i.b() - i.a() - i.bit, u64{i.a()} + i.bit > i.b()); }},
    {rdna3, "v_add_co_ci_u32 v6, s10, v0, v2, s12", ValueAndBits,
     [](const In& i) {
       const u64 sum = u64{i.a()} + i.b() + i.bit;
       return Out(sum, sum > max_u32);
     }},
    {rdna4, "v_subrev_co_ci_u32 v6, s10, v0, v2, s12", ValueAndBits,
     [](const In& i) { return Out(i.b() - i.a() - i.bit, u64{i.a()} + i.bit > i.b()); }},
    {mi200, "v_mul_lo_u32 v6, v0, v2", Value, [](const In& i) { return u64{i.a()} * i.b(); }},
    {mi200, "v_mul_hi_u32 v6, v0, v2", Value, [](const In& i) { return u64{i.a()} * i.b() >> 32; }},
    {mi200, "v_mul_hi_i32 v6, v0, v2", Value,
     [](const In& i) { return static_cast<u64>(i64{i.sa()} * i.sb()) >> 32; }},
    {mi200, "v_mul_u32_u24 v6, v0, v2", Value,
     [](const In& i) { return u64{i.a() & 0xffffff} * (i.b() & 0xffffff); }},
    {mi200, "v_mul_hi_u32_u24 v6, v0, v2", Value,
     [](const In& i) { return u64{i.a() & 0xffffff} * (i.b() & 0xffffff) >> 32; }},
    {mi200, "v_mul_i32_i24 v6, v0, v2", Value,
     [](const In& i) { return static_cast<u64>(i64{sign24(i.a())} * sign24(i.b())); }},
    {mi200, "v_mul_hi_i32_i24 v6, v0, v2", Value,
     [](const In& i) { return static_cast<u64>(i64{sign24(i.a())} * sign24(i.b())) >> 32; }},
    {mi200, "v_mad_u32_u24 v6, v0, v2, v4", Value,
     [](const In& i) { return u64{i.a() & 0xffffff} * (i.b() & 0xffffff) + i.c(); }},
    {mi200, "v_mad_i32_i24 v6, v0, v2, v4", Value,
     [](const In& i) { return static_cast<u64>(i64{sign24(i.a())} * sign24(i.b()) + i.sc()); }},
    {mi200, "v_mad_u32_u24 v6, v0, v2, v4 clamp", Value,
     [](const In& i) {
       return clamp_to(i128{i.a() & 0xffffff} * (i.b() & 0xffffff) + i.c(), 0, max_u32);
     }},
    {mi200, "v_mad_i32_i24 v6, v0, v2, v4 clamp", Value,
     [](const In& i) {
       return clamp_to(i128{sign24(i.a())} * sign24(i.b()) + i.sc(), min32, max32);
     }},
    {mi200, "v_mad_u64_u32 v[6:7], s[10:11], v0, v2, v[4:5]", PairAndBits,
     [](const In& i) {
       const unsigned __int128 sum = static_cast<unsigned __int128>(i.a()) * i.b() + i.c64;
       return Out(static_cast<u64>(sum), (sum >> 64) != 0);
     }},
    {rdna4, "v_mad_co_u64_u32 v[6:7], s10, v0, v2, v[4:5]", PairAndBits,
     [](const In& i) {
       const unsigned __int128 sum = static_cast<unsigned __int128>(i.a()) * i.b() + i.c64;
       return Out(static_cast<u64>(sum), (sum >> 64) != 0);
     }},
    {mi200, "v_mad_i64_i32 v[6:7], s[10:11], v0, v2, v[4:5]", PairAndBits,
     [](const In& i) {
       const i128 sum = i128{i.sa()} * i.sb() + static_cast<i64>(i.c64);
       return Out(static_cast<u64>(sum), (sum >> 64 & 1) != 0);
     }},
    {mi200, "v_add3_u32 v6, v0, v2, v4", Value, [](const In& i) { return i.a() + i.b() + i.c(); }},
    {mi200, "v_lshl_add_u32 v6, v0, v2, v4", Value,
     [](const In& i) { return (i.a() << (i.b() % 32)) + i.c(); }},
    {mi200, "v_add_lshl_u32 v6, v0, v2, v4", Value,
     [](const In& i) { return (i.a() + i.b()) << (i.c() % 32); }},
    {mi200, "v_xad_u32 v6, v0, v2, v4", Value, [](const In& i) { return (i.a() ^ i.b()) + i.c(); }},
    {mi300, "v_lshl_add_u64 v[6:7], v[0:1], v2, v[4:5]", Pair,
     [](const In& i) { return (i.a64 << (i.b() % 8)) + i.c64; }},
    {mi200, "v_min_u32 v6, v0, v2", Value, [](const In& i) { return std::min(i.a(), i.b()); }},
    {mi200, "v_max_u32 v6, v0, v2", Value, [](const In& i) { return std::max(i.a(), i.b()); }},
    {mi200, "v_min_i32 v6, v0, v2", Value,
     [](const In& i) { return static_cast<u32>(std::min(i.sa(), i.sb())); }},
    {mi200, "v_max_i32 v6, v0, v2", Value,
     [](const In& i) { return static_cast<u32>(std::max(i.sa(), i.sb())); }},
    {mi200, "v_min3_u32 v6, v0, v2, v4", Value,
     [](const In& i) { return std::min({i.a(), i.b(), i.c()}); }},
    {mi200, "v_max3_i32 v6, v0, v2, v4", Value,
     [](const In& i) { return static_cast<u32>(std::max({i.sa(), i.sb(), i.sc()})); }},
    {mi200, "v_med3_u32 v6, v0, v2, v4", Value,
     [](const In& i) { return median(i.a(), i.b(), i.c()); }},
    {mi200, "v_med3_i32 v6, v0, v2, v4", Value,
     [](const In& i) { return static_cast<u32>(median(i.sa(), i.sb(), i.sc())); }},
    {rdna3, "v_minmax_i32 v6, v0, v2, v4", Value,
     [](const In& i) { return static_cast<u32>(std::max(std::min(i.sa(), i.sb()), i.sc())); }},
    {rdna3, "v_maxmin_u32 v6, v0, v2, v4", Value,
     [](const In& i) { return std::min(std::max(i.a(), i.b()), i.c()); }},
};

const Case bits[] = {
    {mi200, "v_not_b32 v6, v0", Value, [](const In& i) { return ~i.a(); }},
    {mi200, "v_xnor_b32 v6, v0, v2", Value, [](const In& i) { return ~(i.a() ^ i.b()); }},
    {mi200, "v_and_or_b32 v6, v0, v2, v4", Value,
     [](const In& i) { return (i.a() & i.b()) | i.c(); }},
    {rdna3, "v_xor3_b32 v6, v0, v2, v4", Value, [](const In& i) { return i.a() ^ i.b() ^ i.c(); }},
    {mi350, "v_bitop3_b32 v6, v0, v2, v4 bitop3:0xa5", Value,
     [](const In& i) { return table_lookup(i.a(), i.b(), i.c(), 0xa5); }},
    {mi350, "v_bitop3_b32 v6, v0, v2, v4 bitop3:0x1e", Value,
     [](const In& i) { return table_lookup(i.a(), i.b(), i.c(), 0x1e); }},
    {mi350, "v_bitop3_b16 v6, v0, v2, v4 bitop3:0x6b", LowHalfOnly,
     [](const In& i) { return table_lookup(i.a(), i.b(), i.c(), 0x6b); }},
    {mi200, "v_lshlrev_b32 v6, v0, v2", Value, [](const In& i) { return i.b() << (i.a() % 32); }},
    {mi200, "v_lshrrev_b32 v6, v0, v2", Value, [](const In& i) { return i.b() >> (i.a() % 32); }},
    {mi200, "v_ashrrev_i32 v6, v0, v2", Value,
     [](const In& i) { return static_cast<u32>(i.sb() >> (i.a() % 32)); }},
    {mi200, "v_lshlrev_b64 v[6:7], v0, v[2:3]", Pair,
     [](const In& i) { return i.b64 << (i.a() % 64); }},
    {rdna4, "v_lshlrev_b64 v[6:7], v0, v[2:3]", Pair,
     [](const In& i) { return i.b64 << (i.a() % 64); }},
    {mi200, "v_lshrrev_b64 v[6:7], v0, v[2:3]", Pair,
     [](const In& i) { return i.b64 >> (i.a() % 64); }},
    {mi200, "v_ashrrev_i64 v[6:7], v0, v[2:3]", Pair,
     [](const In& i) { return static_cast<u64>(static_cast<i64>(i.b64) >> (i.a() % 64)); }},
    {mi200, "v_lshl_or_b32 v6, v0, v2, v4", Value,
     [](const In& i) { return i.a() << (i.b() % 32) | i.c(); }},
    {mi200, "v_bfe_u32 v6, v0, v2, v4", Value,
     [](const In& i) { return bit_field(i.a(), i.b() % 32, i.c() % 32, false); }},
    {mi200, "v_bfe_i32 v6, v0, v2, v4", Value,
     [](const In& i) { return bit_field(i.a(), i.b() % 32, i.c() % 32, true); }},
    {mi200, "v_bfi_b32 v6, v0, v2, v4", Value,
     [](const In& i) { return (i.a() & i.b()) | (~i.a() & i.c()); }},
    {mi200, "v_bfm_b32 v6, v0, v2", Value,
     [](const In& i) { return ((1u << (i.a() % 32)) - 1) << (i.b() % 32); }},
    {mi200, "v_bfrev_b32 v6, v0", Value, [](const In& i) { return reversed(i.a()); }},
    {mi200, "v_bcnt_u32_b32 v6, v0, v2", Value, [](const In& i) { return count(i.a()) + i.b(); }},
    {mi200, "v_ffbh_u32 v6, v0", Value, [](const In& i) { return first_from_top(i.a()); }},
    {mi200, "v_ffbl_b32 v6, v0", Value, [](const In& i) { return first_from_bottom(i.a()); }},
    {mi200, "v_ffbh_i32 v6, v0", Value, [](const In& i) { return sign_run(i.a()); }},
    {rdna3, "v_clz_i32_u32 v6, v0", Value, [](const In& i) { return first_from_top(i.a()); }},
    {rdna3, "v_ctz_i32_b32 v6, v0", Value, [](const In& i) { return first_from_bottom(i.a()); }},
    {rdna4, "v_cls_i32 v6, v0", Value, [](const In& i) { return sign_run(i.a()); }},
    {mi200, "v_alignbit_b32 v6, v0, v2, v4", Value,
     [](const In& i) { return (u64{i.a()} << 32 | i.b()) >> (i.c() % 32); }},
    {rdna3, "v_alignbyte_b32 v6, v0, v2, v4", Value,
     [](const In& i) { return (u64{i.a()} << 32 | i.b()) >> (8 * (i.c() % 4)); }},
    {mi200, "v_perm_b32 v6, v0, v2, v4", Value,
     [](const In& i) { return permute(i.a(), i.b(), i.c()); }},
    {mi200, "v_mbcnt_lo_u32_b32 v6, v0, v2", Value,
     [](const In& i) { return count(i.a() & ((u64{1} << i.lane) - 1) & 0xffffffff) + i.b(); }},
    {mi200, "v_mbcnt_hi_u32_b32 v6, v0, v2", Value,
     [](const In& i) { return count(i.a() & ((u64{1} << i.lane) - 1) >> 32) + i.b(); }},
    {rdna3, "v_mbcnt_lo_u32_b32 v6, v0, v2", Value,
     [](const In& i) { return count(i.a() & ((u64{1} << i.lane) - 1)) + i.b(); }},
    {mi350, "v_prng_b32 v6, v0", Value,
     [](const In& i) { return i.a() << 1 ^ (i.a() >> 31 ? 197u : 0u); }},
    {mi200, "v_mov_b32 v6, v0", Value, [](const In& i) { return i.a(); }},
    {mi300, "v_mov_b64 v[6:7], v[0:1]", Pair, [](const In& i) { return i.a64; }},
    {mi200, "v_cndmask_b32 v6, v0, v2, s[12:13]", Value,
     [](const In& i) { return i.bit ? i.b() : i.a(); }},
    {rdna3, "v_cndmask_b32 v6, -v0, |v2|, s12", Value,
     [](const In& i) { return i.bit ? i.b() & 0x7fffffff : i.a() ^ 0x80000000; }},
    {mi300, "v_pk_mov_b32 v[6:7], v[0:1], v[2:3]", Pair,
     [](const In& i) { return i.a() | u64{i.b()} << 32; }},
    {mi300, "v_pk_mov_b32 v[6:7], v[0:1], v[2:3] op_sel:[1,0]", Pair,
     [](const In& i) { return i.a64 >> 32 | u64{i.b()} << 32; }},
    {mi200, "v_pk_mov_b32 v[6:7], v[0:1], v[2:3] op_sel:[0,1]", Pair,
     [](const In& i) { return i.a() | (i.b64 & 0xffffffff00000000ull); }},
    {mi200, "v_pk_mov_b32 v[6:7], v[0:1], v[2:3] op_sel:[1,1]", Pair,
     [](const In& i) { return i.a64 >> 32 | (i.b64 & 0xffffffff00000000ull); }},
};

const Case sixteen[] = {
    {mi200, "v_add_u16 v6, v0, v2", LowHalf, [](const In& i) { return i.a() + i.b(); }},
    {mi200, "v_subrev_u16 v6, v0, v2", LowHalf, [](const In& i) { return i.b() - i.a(); }},
    {rdna3, "v_add_nc_u16 v6, v0, v2", LowHalfOnly, [](const In& i) { return i.a() + i.b(); }},
    {rdna4, "v_sub_nc_i16 v6, v0, v2", LowHalfOnly, [](const In& i) { return i.a() - i.b(); }},
    {mi200, "v_add_u16 v6, v0, v2 clamp", LowHalf,
     [](const In& i) { return clamp_to(i.ah() + i.bh(), 0, 65535); }},
    {mi200, "v_sub_u16 v6, v0, v2 clamp", LowHalf,
     [](const In& i) { return clamp_to(i.ah() - i.bh(), 0, 65535); }},
    {mi200, "v_add_i16 v6, v0, v2 clamp", LowHalfOnly,
     [](const In& i) { return clamp_to(i.sah() + i.sbh(), -32768, 32767); }},
    {rdna3, "v_sub_nc_i16 v6, v0, v2 clamp", LowHalfOnly,
     [](const In& i) { return clamp_to(i.sah() - i.sbh(), -32768, 32767); }},
    {mi200, "v_mul_lo_u16 v6, v0, v2", LowHalf, [](const In& i) { return i.a() * i.b(); }},
    {mi200, "v_mad_u16 v6, v0, v2, v4", LowHalfOnly,
     [](const In& i) { return i.a() * i.b() + i.c(); }},
    {mi200, "v_mad_legacy_u16 v6, v0, v2, v4", LowHalf,
     [](const In& i) { return i.a() * i.b() + i.c(); }},
    {mi300, "v_accvgpr_write_b32 a1, v2\nv_accvgpr_read_b32 v6, a1", Value,
     [](const In& i) { return i.b(); }},
    {mi200, "v_mad_u16 v6, v0, v2, v4 clamp", LowHalfOnly,
     [](const In& i) { return clamp_to(i128{i.ah()} * i.bh() + i.ch(), 0, 65535); }},
    {mi200, "v_mad_i16 v6, v0, v2, v4 clamp", LowHalfOnly,
     [](const In& i) { return clamp_to(i128{i.sah()} * i.sbh() + i.sch(), -32768, 32767); }},
    {mi200, "v_mad_u32_u16 v6, v0, v2, v4", Value,
     [](const In& i) { return u64{i.ah()} * i.bh() + i.c(); }},
    {mi200, "v_mad_i32_i16 v6, v0, v2, v4", Value,
     [](const In& i) { return static_cast<u64>(i64{i.sah()} * i.sbh() + i.sc()); }},
    {mi200, "v_mad_i32_i16 v6, v0, v2, v4 op_sel:[1,0,0,0]", Value,
     [](const In& i) { return static_cast<u64>(i64{i.sa() >> 16} * i.sbh() + i.sc()); }},
    {mi200, "v_min_i16 v6, v0, v2", LowHalf,
     [](const In& i) { return static_cast<u16>(std::min(i.sah(), i.sbh())); }},
    {mi200, "v_max_u16 v6, v0, v2", LowHalf, [](const In& i) { return std::max(i.ah(), i.bh()); }},
    {mi200, "v_med3_i16 v6, v0, v2, v4", LowHalfOnly,
     [](const In& i) { return static_cast<u16>(median(i.sah(), i.sbh(), i.sch())); }},
    {mi200, "v_max3_u16 v6, v0, v2, v4", LowHalfOnly,
     [](const In& i) { return std::max({i.ah(), i.bh(), i.ch()}); }},
    {mi200, "v_lshlrev_b16 v6, v0, v2", LowHalf, [](const In& i) { return i.b() << (i.a() % 16); }},
    {mi200, "v_lshrrev_b16 v6, v0, v2", LowHalf,
     [](const In& i) { return i.bh() >> (i.a() % 16); }},
    {mi200, "v_ashrrev_i16 v6, v0, v2", LowHalf,
     [](const In& i) { return static_cast<u16>(i.sbh() >> (i.a() % 16)); }},
    {rdna3, "v_and_b16 v6, v0, v2", LowHalfOnly, [](const In& i) { return i.a() & i.b(); }},
    {rdna3, "v_not_b16 v6, v0", LowHalfOnly, [](const In& i) { return ~i.a(); }},
    {rdna3, "v_cvt_i32_i16 v6, v0", Value, [](const In& i) { return static_cast<u32>(i.sah()); }},
    {rdna3, "v_cvt_u32_u16 v6, v0", Value, [](const In& i) { return i.ah(); }},
    {mi200, "v_cvt_pk_i16_i32 v6, v0, v2", Value,
     [](const In& i) {
       return two(clamp_to(i.sa(), -32768, 32767), clamp_to(i.sb(), -32768, 32767));
     }},
    {mi200, "v_cvt_pk_u16_u32 v6, v0, v2", Value,
     [](const In& i) { return two(clamp_to(i.a(), 0, 65535), clamp_to(i.b(), 0, 65535)); }},
    {mi200, "v_pk_add_u16 v6, v0, v2", Value,
     [](const In& i) { return halves(i, [](u16 a, u16 b, u16) { return a + b; }); }},
    {mi200, "v_pk_sub_u16 v6, v0, v2 clamp", Value,
     [](const In& i) {
       return halves(i, [](u16 a, u16 b, u16) { return clamp_to(a - b, 0, 65535); });
     }},
    {mi200, "v_pk_add_i16 v6, v0, v2 clamp", Value,
     [](const In& i) {
       return halves(i, [](u16 a, u16 b, u16) { return clamp_to(s(a) + s(b), -32768, 32767); });
     }},
    {rdna3, "v_pk_mad_i16 v6, v0, v2, v4", Value,
     [](const In& i) {
       return halves(i, [](u16 a, u16 b, u16 c) -> u64 { return u32{a} * b + c; });
     }},
    {mi200, "v_pk_mul_lo_u16 v6, v0, v2 op_sel:[1,0] op_sel_hi:[0,1]", Value,
     [](const In& i) { return two(u64{i.a() >> 16} * i.bh(), u64{i.ah()} * (i.b() >> 16)); }},
    {mi200, "v_pk_min_i16 v6, v0, v2", Value,
     [](const In& i) {
       return halves(i, [](u16 a, u16 b, u16) -> u64 { return std::min(s(a), s(b)) & 0xffff; });
     }},
    {rdna4, "v_pk_lshlrev_b16 v6, v0, v2", Value,
     [](const In& i) { return halves(i, [](u16 a, u16 b, u16) -> u64 { return b << (a % 16); }); }},
    {mi200, "v_pk_ashrrev_i16 v6, v0, v2", Value,
     [](const In& i) {
       return halves(i, [](u16 a, u16 b, u16) -> u64 { return (s(b) >> (a % 16)) & 0xffff; });
     }},
};

const Case sums[] = {
    {mi200, "v_dot2_i32_i16 v6, v0, v2, v4", Value,
     [](const In& i) { return static_cast<u64>(dot(i.a(), i.b(), 16, true, true) + i.sc()); }},
    {mi200, "v_dot2_u32_u16 v6, v0, v2, v4", Value,
     [](const In& i) { return static_cast<u64>(dot(i.a(), i.b(), 16, false, false)) + i.c(); }},
    {mi200, "v_dot2_i32_i16 v6, v0, v2, v4 clamp", Value,
     [](const In& i) {
       return clamp_to(i128{dot(i.a(), i.b(), 16, true, true)} + i.sc(), min32, max32);
     }},
    {mi200, "v_dot2_u32_u16 v6, v0, v2, v4 clamp", Value,
     [](const In& i) {
       return clamp_to(i128{dot(i.a(), i.b(), 16, false, false)} + i.c(), 0, max_u32);
     }},
    {mi200, "v_dot4_i32_i8 v6, v0, v2, v4", Value,
     [](const In& i) { return static_cast<u64>(dot(i.a(), i.b(), 8, true, true) + i.sc()); }},
    {mi200, "v_dot4_i32_i8 v6, v0, v2, v4 clamp", Value,
     [](const In& i) {
       return clamp_to(i128{dot(i.a(), i.b(), 8, true, true)} + i.sc(), min32, max32);
     }},
    {rdna3, "v_dot4_u32_u8 v6, v0, v2, v4", Value,
     [](const In& i) { return static_cast<u64>(dot(i.a(), i.b(), 8, false, false)) + i.c(); }},
    {mi200, "v_dot8_i32_i4 v6, v0, v2, v4", Value,
     [](const In& i) { return static_cast<u64>(dot(i.a(), i.b(), 4, true, true) + i.sc()); }},
    {rdna3, "v_dot8_u32_u4 v6, v0, v2, v4 clamp", Value,
     [](const In& i) {
       return clamp_to(i128{dot(i.a(), i.b(), 4, false, false)} + i.c(), 0, max_u32);
     }},
    {mi200, "v_dot4c_i32_i8 v6, v0, v2", Value,
     [](const In& i) {
       return static_cast<u64>(dot(i.a(), i.b(), 8, true, true) + static_cast<i32>(i.d()));
     }},
    {mi200, "v_dot2c_i32_i16 v6, v0, v2", Value,
     [](const In& i) {
       return static_cast<u64>(dot(i.a(), i.b(), 16, true, true) + static_cast<i32>(i.d()));
     }},
    {rdna3, "v_dot4_i32_iu8 v6, v0, v2, v4", Value,
     [](const In& i) { return static_cast<u64>(dot(i.a(), i.b(), 8, false, false) + i.sc()); }},
    {rdna3, "v_dot4_i32_iu8 v6, v0, v2, v4 neg_lo:[1,0,0]", Value,
     [](const In& i) { return static_cast<u64>(dot(i.a(), i.b(), 8, true, false) + i.sc()); }},
    {rdna4, "v_dot4_i32_iu8 v6, v0, v2, v4 neg_lo:[1,1,0] clamp", Value,
     [](const In& i) {
       return clamp_to(i128{dot(i.a(), i.b(), 8, true, true)} + i.sc(), min32, max32);
     }},
    {rdna3, "v_dot8_i32_iu4 v6, v0, v2, v4 neg_lo:[0,1,0]", Value,
     [](const In& i) { return static_cast<u64>(dot(i.a(), i.b(), 4, false, true) + i.sc()); }},
    {mi200, "v_sad_u8 v6, v0, v2, v4", Value,
     [](const In& i) { return sad(i.a(), i.b(), 8) + i.c(); }},
    {mi200, "v_sad_hi_u8 v6, v0, v2, v4", Value,
     [](const In& i) { return (sad(i.a(), i.b(), 8) << 16) + i.c(); }},
    {mi200, "v_sad_u16 v6, v0, v2, v4 clamp", Value,
     [](const In& i) { return clamp_to(i128{sad(i.a(), i.b(), 16)} + i.c(), 0, max_u32); }},
    {mi200, "v_sad_u32 v6, v0, v2, v4", Value,
     [](const In& i) { return (i.a() > i.b() ? i.a() - i.b() : i.b() - i.a()) + i.c(); }},
    {mi200, "v_msad_u8 v6, v0, v2, v4", Value,
     [](const In& i) { return sad(i.a(), i.b(), 8, true) + i.c(); }},
    {mi200, "v_qsad_pk_u16_u8 v[6:7], v[0:1], v2, v[4:5]", Pair,
     [](const In& i) { return sad4(i, false); }},
    {mi200, "v_mqsad_pk_u16_u8 v[6:7], v[0:1], v2, v[4:5]", Pair,
     [](const In& i) { return sad4(i, true); }},
    {mi200, "v_lerp_u8 v6, v0, v2, v4", Value,
     [](const In& i) { return average(i.a(), i.b(), i.c()); }},
    {mi200, "v_sat_pk_u8_i16 v6, v0", LowHalf,
     [](const In& i) { return clamp_to(i.sah(), 0, 255) | clamp_to(i.sa() >> 16, 0, 255) << 8; }},
    {mi350, "v_ashr_pk_i8_i32 v6, v0, v2, v4", LowHalfOnly,
     [](const In& i) {
       return (clamp_to(i.sa() >> (i.c() % 32), -128, 127) & 255) |
              (clamp_to(i.sb() >> (i.c() % 32), -128, 127) & 255) << 8;
     }},
    {mi350, "v_ashr_pk_u8_i32 v6, v0, v2, v4", LowHalfOnly,
     [](const In& i) {
       return clamp_to(i.sa() >> (i.c() % 32), 0, 255) | clamp_to(i.sb() >> (i.c() % 32), 0, 255)
                                                             << 8;
     }},
};

std::string name_of(const testing::TestParamInfo<Case>& info) {
  std::string name = std::string(info.param.processor) + "_" + info.param.text;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}
INSTANTIATE_TEST_SUITE_P(Arithmetic, Integer, testing::ValuesIn(arithmetic), name_of);
INSTANTIATE_TEST_SUITE_P(Bits, Integer, testing::ValuesIn(bits), name_of);
INSTANTIATE_TEST_SUITE_P(SixteenBits, Integer, testing::ValuesIn(sixteen), name_of);
INSTANTIATE_TEST_SUITE_P(Sums, Integer, testing::ValuesIn(sums), name_of);

// Every comparison of every type, to a scalar register and (v_cmpx) to EXEC.
std::vector<Case> comparisons() {
  struct Kind {
    const char* name;
    std::function<int(const In&)> order;
  };
  const auto order = [](auto x, auto y) { return x < y ? -1 : x > y ? 1 : 0; };
  static const Kind kinds[]{
      {"i16", [=](const In& i) { return order(i.sah(), i.sbh()); }},
      {"u16", [=](const In& i) { return order(i.ah(), i.bh()); }},
      {"i32", [=](const In& i) { return order(i.sa(), i.sb()); }},
      {"u32", [=](const In& i) { return order(i.a(), i.b()); }},
      {"i64", [=](const In& i) { return order(static_cast<i64>(i.a64), static_cast<i64>(i.b64)); }},
      {"u64", [=](const In& i) { return order(i.a64, i.b64); }},
  };
  struct Predicate {
    const char* name;
    bool less, equal, greater;
  };
  static const Predicate predicates[]{{"f", 0, 0, 0},  {"lt", 1, 0, 0}, {"eq", 0, 1, 0},
                                      {"le", 1, 1, 0}, {"gt", 0, 0, 1}, {"ne", 1, 0, 1},
                                      {"ge", 0, 1, 1}, {"t", 1, 1, 1}};
  static std::deque<std::string> texts;
  std::vector<Case> all;
  for (const Kind& kind : kinds)
    for (const Predicate& p : predicates) {
      const bool wide = std::string_view(kind.name).ends_with("64");
      texts.push_back(std::string("v_cmp_") + p.name + "_" + kind.name + " s[10:11], " +
                      (wide ? "v[0:1], v[2:3]" : "v0, v2"));
      all.push_back({mi200, texts.back().c_str(), Bits, [=](const In& i) {
                       const int o = kind.order(i);
                       return Out(0, o < 0 ? p.less : o > 0 ? p.greater : p.equal);
                     }});
    }
  return all;
}
INSTANTIATE_TEST_SUITE_P(Comparisons, Integer, testing::ValuesIn(comparisons()), name_of);

TEST(CompareAndMask, WritesExec) {
  for (const HostIsa& host_isa : host_isas())
    for (const char* processor : {mi200, rdna3}) {
      Machine machine(processor, host_isa);
      const auto code = machine.lower("v_cmpx_gt_u32 v0, v2");
      Values values(9);
      u64 expected = 0;
      const u64 exec = values.random() & machine.wave().full, vcc = values.random();
      machine.wave().set_pair(engine::reg::exec, exec);
      machine.wave().set_pair(engine::reg::vcc, vcc);
      for (unsigned lane = 0; lane < machine.lanes(); ++lane) {
        machine.vgpr(0, lane) = static_cast<u32>(values.next());
        machine.vgpr(2, lane) = static_cast<u32>(values.next());
        if (machine.vgpr(0, lane) > machine.vgpr(2, lane)) expected |= 1ull << lane;
      }
      expected &= exec;
      machine.run(*code);
      EXPECT_EQ(machine.wave().exec(), expected) << processor;
      // RDNA writes EXEC alone; CDNA also VCC.
      EXPECT_EQ(machine.wave().vcc(), processor == rdna3 ? vcc : expected) << processor;
    }
}

}  // namespace
}  // namespace hipsight::test
