// Scalar instructions and SCC against definitions from the manuals' pseudocode.
#include <gtest/gtest.h>

#include <functional>
#include <optional>

#include "machine.h"
#include "operands.h"
#include "values.h"

namespace hipsight::test {
namespace {

using i16 = std::int16_t;
using u16 = std::uint16_t;
using i32 = std::int32_t;
using u32 = std::uint32_t;
using i64 = std::int64_t;
using u64 = std::uint64_t;

/// s[0:1], s[2:3], the old s[6:7] and SCC.
struct In {
  u64 a64, b64, d64;
  bool scc;
  u32 a() const { return static_cast<u32>(a64); }
  u32 b() const { return static_cast<u32>(b64); }
  u32 d() const { return static_cast<u32>(d64); }
  i32 sa() const { return static_cast<i32>(a64); }
  i32 sb() const { return static_cast<i32>(b64); }
  i32 sd() const { return static_cast<i32>(d64); }
};
/// s6 or s[6:7], by the text; SCC stays when there is none.
struct Out {
  std::optional<u64> value;
  std::optional<bool> scc;
};
Out nonzero(u64 value) {
  return {value, value != 0};
}

struct Case {
  const char* processor;
  const char* text;
  std::function<Out(const In&)> expected;
};
void PrintTo(const Case& c, std::ostream* out) {
  *out << c.processor << " " << c.text;
}

class Scalar : public testing::TestWithParam<Case> {};

TEST_P(Scalar, MatchesItsDefinition) {
  const Case& c = GetParam();
  const bool pair = std::string_view(c.text).find("s[6:7]") != std::string_view::npos;
  for (const HostIsa& host_isa : host_isas()) {
    Machine machine(c.processor, host_isa);
    const auto code = machine.lower(c.text);
    Values values(seed(11, host_isa));
    for (int round = 0; round < operand_rounds(3000); ++round) {
      count_operands(1);
      engine::Wave& wave = machine.wave();
      const In in{values.next(), values.next(), values.next(), (values.random() & 1) != 0};
      wave.set_pair(0, in.a64);
      wave.set_pair(2, in.b64);
      wave.set_pair(6, in.d64);
      wave.scc = in.scc;
      machine.run(*code);
      const Out out = c.expected(in);
      u64 value = in.d64;
      if (out.value)
        value = pair ? *out.value : (in.d64 & ~0xffffffffull) | (*out.value & 0xffffffff);
      ASSERT_EQ(wave.pair(6), value) << std::hex << host_isa.name << " a " << in.a64 << " b "
                                     << in.b64 << " d " << in.d64 << " scc " << in.scc;
      ASSERT_EQ(wave.scc, out.scc.value_or(in.scc))
          << std::hex << host_isa.name << " a " << in.a64 << " b " << in.b64 << " d " << in.d64;
    }
  }
}

// --- definitions ------------------------------------------------------------------------------

u64 field(u64 x, unsigned bits, unsigned offset, unsigned width, bool is_signed) {
  u64 r = 0;
  if (width > bits) width = bits;
  for (unsigned i = 0; i < width; ++i) {
    const unsigned from = offset + i;
    const bool bit = from < bits ? x >> from & 1 : is_signed && (x >> (bits - 1) & 1);
    r |= u64{bit} << i;
  }
  if (is_signed && width > 0 && (r >> (width - 1) & 1))
    for (unsigned i = width; i < bits; ++i) r |= 1ull << i;
  return r;
}
u64 reversed(u64 x, int bits) {
  u64 r = 0;
  for (int i = 0; i < bits; ++i) r |= (x >> i & 1) << (bits - 1 - i);
  return r;
}
u64 count(u64 x, int bits, bool what) {
  u64 r = 0;
  for (int i = 0; i < bits; ++i) r += (x >> i & 1) == what;
  return r;
}
u64 from_bottom(u64 x, int bits, bool what) {
  for (int i = 0; i < bits; ++i)
    if ((x >> i & 1) == what) return static_cast<u64>(i);
  return ~0ull;
}
u64 from_top(u64 x, int bits) {
  for (int i = 0; i < bits; ++i)
    if (x >> (bits - 1 - i) & 1) return static_cast<u64>(i);
  return ~0ull;
}
u64 sign_run(u64 x, int bits) {
  for (int i = 1; i < bits; ++i)
    if ((x >> (bits - 1 - i) & 1) != (x >> (bits - 1) & 1)) return static_cast<u64>(i);
  return ~0ull;
}
u64 whole_quads(u64 x, int bits) {
  u64 r = 0;
  for (int i = 0; i < bits; ++i)
    if (x >> (i & ~3) & 15) r |= 1ull << i;
  return r;
}
u64 quad_mask(u64 x, int bits) {
  u64 r = 0;
  for (int i = 0; i < bits / 4; ++i)
    if (x >> (4 * i) & 15) r |= 1ull << i;
  return r;
}
u64 replicated(u32 x) {
  u64 r = 0;
  for (int i = 0; i < 32; ++i)
    if (x >> i & 1) r |= 3ull << (2 * i);
  return r;
}
Out sum(u64 a, u64 b, u64 carry = 0) {
  return {a + b + carry, a + b + carry > 0xffffffff};
}
Out signed_result(i64 exact) {
  return {static_cast<u64>(exact), exact != static_cast<i32>(exact)};
}
Out decide(bool scc) {
  return {std::nullopt, scc};
}

constexpr const char *mi200 = "gfx90a", *mi300 = "gfx942", *rdna3 = "gfx1100", *rdna4 = "gfx1201";

const Case arithmetic[] = {
    {mi200, "s_add_u32 s6, s0, s2", [](const In& i) { return sum(i.a(), i.b()); }},
    {rdna4, "s_add_co_u32 s6, s0, s2", [](const In& i) { return sum(i.a(), i.b()); }},
    {mi200, "s_addc_u32 s6, s0, s2", [](const In& i) { return sum(i.a(), i.b(), i.scc); }},
    {mi200, "s_sub_u32 s6, s0, s2", [](const In& i) { return Out{i.a() - i.b(), i.b() > i.a()}; }},
    {rdna4, "s_sub_co_ci_u32 s6, s0, s2",
     [](const In& i) { return Out{i.a() - i.b() - i.scc, u64{i.b()} + i.scc > i.a()}; }},
    {mi200, "s_add_i32 s6, s0, s2",
     [](const In& i) { return signed_result(i64{i.sa()} + i.sb()); }},
    {mi200, "s_sub_i32 s6, s0, s2",
     [](const In& i) { return signed_result(i64{i.sa()} - i.sb()); }},
    {mi200, "s_addk_i32 s6, 0x8001",
     [](const In& i) { return signed_result(i64{i.sd()} + (0x8001 - 0x10000)); }},
    {rdna4, "s_addk_co_i32 s6, 0x7fff",
     [](const In& i) { return signed_result(i64{i.sd()} + 0x7fff); }},
    {mi200, "s_mulk_i32 s6, 0xfff3",
     [](const In& i) { return Out{static_cast<u64>(i64{i.sd()} * -13), {}}; }},
    {mi200, "s_movk_i32 s6, 0x8000", [](const In&) { return Out{0xffff8000u, {}}; }},
    {mi200, "s_cmovk_i32 s6, 0x8000",
     [](const In& i) { return Out{i.scc ? 0xffff8000u : i.d(), {}}; }},
    {rdna4, "s_add_nc_u64 s[6:7], s[0:1], s[2:3]",
     [](const In& i) { return Out{i.a64 + i.b64, {}}; }},
    {rdna4, "s_sub_nc_u64 s[6:7], s[0:1], s[2:3]",
     [](const In& i) { return Out{i.a64 - i.b64, {}}; }},
    {rdna4, "s_mul_u64 s[6:7], s[0:1], s[2:3]", [](const In& i) { return Out{i.a64 * i.b64, {}}; }},
    {mi200, "s_min_i32 s6, s0, s2",
     [](const In& i) { return Out{i.sa() < i.sb() ? i.a() : i.b(), i.sa() < i.sb()}; }},
    {mi200, "s_max_i32 s6, s0, s2",
     [](const In& i) { return Out{i.sa() >= i.sb() ? i.a() : i.b(), i.sa() >= i.sb()}; }},
    {mi200, "s_min_u32 s6, s0, s2",
     [](const In& i) { return Out{i.a() < i.b() ? i.a() : i.b(), i.a() < i.b()}; }},
    {mi200, "s_max_u32 s6, s0, s2",
     [](const In& i) { return Out{i.a() >= i.b() ? i.a() : i.b(), i.a() >= i.b()}; }},
    {mi200, "s_mul_i32 s6, s0, s2", [](const In& i) { return Out{u64{i.a()} * i.b(), {}}; }},
    {mi200, "s_mul_hi_u32 s6, s0, s2",
     [](const In& i) { return Out{u64{i.a()} * i.b() >> 32, {}}; }},
    {mi200, "s_mul_hi_i32 s6, s0, s2",
     [](const In& i) { return Out{static_cast<u64>(i64{i.sa()} * i.sb()) >> 32, {}}; }},
    {mi200, "s_lshl1_add_u32 s6, s0, s2", [](const In& i) { return sum(u64{i.a()} << 1, i.b()); }},
    {mi200, "s_lshl4_add_u32 s6, s0, s2", [](const In& i) { return sum(u64{i.a()} << 4, i.b()); }},
    {mi200, "s_abs_i32 s6, s0",
     [](const In& i) { return nonzero(i.sa() < 0 ? 0 - i.a() : i.a()); }},
    {mi200, "s_absdiff_i32 s6, s0, s2",
     [](const In& i) {
       const u32 d = i.a() - i.b();
       return nonzero(d >> 31 ? 0 - d : d);
     }},
    {mi200, "s_sext_i32_i8 s6, s0",
     [](const In& i) { return Out{static_cast<u32>(static_cast<std::int8_t>(i.a())), {}}; }},
    {mi200, "s_sext_i32_i16 s6, s0",
     [](const In& i) { return Out{static_cast<u32>(static_cast<i16>(i.a())), {}}; }},
};

const Case bits[] = {
    {mi200, "s_mov_b32 s6, s0", [](const In& i) { return Out{i.a(), {}}; }},
    {mi200, "s_mov_b64 s[6:7], s[0:1]", [](const In& i) { return Out{i.a64, {}}; }},
    {mi200, "s_mov_b64 s[6:7], -1.0", [](const In&) { return Out{0xbff0000000000000ull, {}}; }},
    {mi200, "s_mov_b64 s[6:7], -3", [](const In&) { return Out{~2ull, {}}; }},
    {mi200, "s_cselect_b32 s6, s0, s2", [](const In& i) { return Out{i.scc ? i.a() : i.b(), {}}; }},
    {mi200, "s_cselect_b64 s[6:7], s[0:1], s[2:3]",
     [](const In& i) { return Out{i.scc ? i.a64 : i.b64, {}}; }},
    {mi200, "s_cmov_b32 s6, s0", [](const In& i) { return Out{i.scc ? i.a() : i.d(), {}}; }},
    {mi200, "s_cmov_b64 s[6:7], s[0:1]",
     [](const In& i) { return Out{i.scc ? i.a64 : i.d64, {}}; }},
    {mi200, "s_and_b32 s6, s0, s2", [](const In& i) { return nonzero(i.a() & i.b()); }},
    {mi200, "s_or_b64 s[6:7], s[0:1], s[2:3]", [](const In& i) { return nonzero(i.a64 | i.b64); }},
    {mi200, "s_xor_b32 s6, s0, s2", [](const In& i) { return nonzero(i.a() ^ i.b()); }},
    {mi200, "s_andn2_b64 s[6:7], s[0:1], s[2:3]",
     [](const In& i) { return nonzero(i.a64 & ~i.b64); }},
    {rdna3, "s_and_not1_b32 s6, s0, s2", [](const In& i) { return nonzero(i.a() & ~i.b()); }},
    {mi200, "s_orn2_b32 s6, s0, s2", [](const In& i) { return nonzero(i.a() | ~i.b()); }},
    {mi200, "s_nand_b64 s[6:7], s[0:1], s[2:3]",
     [](const In& i) { return nonzero(~(i.a64 & i.b64)); }},
    {mi200, "s_nor_b32 s6, s0, s2", [](const In& i) { return nonzero(~(i.a() | i.b())); }},
    {mi200, "s_xnor_b32 s6, s0, s2", [](const In& i) { return nonzero(~(i.a() ^ i.b())); }},
    {mi200, "s_not_b64 s[6:7], s[0:1]", [](const In& i) { return nonzero(~i.a64); }},
    {mi200, "s_lshl_b32 s6, s0, s2", [](const In& i) { return nonzero(i.a() << (i.b() % 32)); }},
    {mi200, "s_lshr_b32 s6, s0, s2", [](const In& i) { return nonzero(i.a() >> (i.b() % 32)); }},
    {mi200, "s_ashr_i32 s6, s0, s2",
     [](const In& i) { return nonzero(static_cast<u32>(i.sa() >> (i.b() % 32))); }},
    {mi200, "s_lshl_b64 s[6:7], s[0:1], s2",
     [](const In& i) { return nonzero(i.a64 << (i.b() % 64)); }},
    {mi200, "s_lshr_b64 s[6:7], s[0:1], s2",
     [](const In& i) { return nonzero(i.a64 >> (i.b() % 64)); }},
    {mi200, "s_ashr_i64 s[6:7], s[0:1], s2",
     [](const In& i) {
       return nonzero(static_cast<u64>(static_cast<i64>(i.a64) >> (i.b() % 64)));
     }},
    {mi200, "s_bfe_u32 s6, s0, s2",
     [](const In& i) { return nonzero(field(i.a(), 32, i.b() % 32, i.b() >> 16 & 127, false)); }},
    {mi200, "s_bfe_i32 s6, s0, s2",
     [](const In& i) { return nonzero(field(i.a(), 32, i.b() % 32, i.b() >> 16 & 127, true)); }},
    {mi200, "s_bfe_u64 s[6:7], s[0:1], s2",
     [](const In& i) { return nonzero(field(i.a64, 64, i.b() % 64, i.b() >> 16 & 127, false)); }},
    {mi200, "s_bfe_i64 s[6:7], s[0:1], s2",
     [](const In& i) { return nonzero(field(i.a64, 64, i.b() % 64, i.b() >> 16 & 127, true)); }},
    {mi200, "s_bfe_u32 s6, s0, 0x50003", [](const In& i) { return nonzero(i.a() >> 3 & 31); }},
    {mi200, "s_bfm_b32 s6, s0, s2",
     [](const In& i) { return Out{((1u << (i.a() % 32)) - 1) << (i.b() % 32), {}}; }},
    {mi200, "s_bfm_b64 s[6:7], s0, s2",
     [](const In& i) { return Out{((1ull << (i.a() % 64)) - 1) << (i.b() % 64), {}}; }},
    {mi200, "s_brev_b32 s6, s0", [](const In& i) { return Out{reversed(i.a(), 32), {}}; }},
    {mi200, "s_brev_b64 s[6:7], s[0:1]", [](const In& i) { return Out{reversed(i.a64, 64), {}}; }},
    {mi200, "s_bcnt1_i32_b32 s6, s0", [](const In& i) { return nonzero(count(i.a(), 32, true)); }},
    {mi200, "s_bcnt1_i32_b64 s6, s[0:1]",
     [](const In& i) { return nonzero(count(i.a64, 64, true)); }},
    {mi200, "s_bcnt0_i32_b32 s6, s0", [](const In& i) { return nonzero(count(i.a(), 32, false)); }},
    {mi200, "s_bcnt0_i32_b64 s6, s[0:1]",
     [](const In& i) { return nonzero(count(i.a64, 64, false)); }},
    {mi200, "s_ff1_i32_b32 s6, s0",
     [](const In& i) { return Out{from_bottom(i.a(), 32, true), {}}; }},
    {mi200, "s_ff1_i32_b64 s6, s[0:1]",
     [](const In& i) { return Out{from_bottom(i.a64, 64, true), {}}; }},
    {rdna3, "s_ctz_i32_b32 s6, s0",
     [](const In& i) { return Out{from_bottom(i.a(), 32, true), {}}; }},
    {mi200, "s_ff0_i32_b32 s6, s0",
     [](const In& i) { return Out{from_bottom(i.a(), 32, false), {}}; }},
    {mi200, "s_ff0_i32_b64 s6, s[0:1]",
     [](const In& i) { return Out{from_bottom(i.a64, 64, false), {}}; }},
    {mi200, "s_flbit_i32_b32 s6, s0", [](const In& i) { return Out{from_top(i.a(), 32), {}}; }},
    {rdna4, "s_clz_i32_u64 s6, s[0:1]", [](const In& i) { return Out{from_top(i.a64, 64), {}}; }},
    {mi200, "s_flbit_i32 s6, s0", [](const In& i) { return Out{sign_run(i.a(), 32), {}}; }},
    {mi200, "s_flbit_i32_i64 s6, s[0:1]", [](const In& i) { return Out{sign_run(i.a64, 64), {}}; }},
    {mi200, "s_bitset0_b32 s6, s0",
     [](const In& i) { return Out{i.d() & ~(1u << (i.a() % 32)), {}}; }},
    {mi200, "s_bitset1_b32 s6, s0",
     [](const In& i) { return Out{i.d() | 1u << (i.a() % 32), {}}; }},
    {mi200, "s_bitset0_b64 s[6:7], s0",
     [](const In& i) { return Out{i.d64 & ~(1ull << (i.a() % 64)), {}}; }},
    {mi200, "s_bitset1_b64 s[6:7], s0",
     [](const In& i) { return Out{i.d64 | 1ull << (i.a() % 64), {}}; }},
    {mi200, "s_wqm_b32 s6, s0", [](const In& i) { return nonzero(whole_quads(i.a(), 32)); }},
    {mi200, "s_wqm_b64 s[6:7], s[0:1]",
     [](const In& i) { return nonzero(whole_quads(i.a64, 64)); }},
    {mi200, "s_quadmask_b32 s6, s0", [](const In& i) { return nonzero(quad_mask(i.a(), 32)); }},
    {mi200, "s_quadmask_b64 s[6:7], s[0:1]",
     [](const In& i) { return nonzero(quad_mask(i.a64, 64)); }},
    {mi200, "s_bitreplicate_b64_b32 s[6:7], s0",
     [](const In& i) { return Out{replicated(i.a()), {}}; }},
    {mi200, "s_pack_ll_b32_b16 s6, s0, s2",
     [](const In& i) { return Out{(i.a() & 0xffff) | i.b() << 16, {}}; }},
    {mi200, "s_pack_lh_b32_b16 s6, s0, s2",
     [](const In& i) { return Out{(i.a() & 0xffff) | (i.b() & 0xffff0000u), {}}; }},
    {rdna3, "s_pack_hl_b32_b16 s6, s0, s2",
     [](const In& i) { return Out{i.a() >> 16 | i.b() << 16, {}}; }},
    {mi200, "s_pack_hh_b32_b16 s6, s0, s2",
     [](const In& i) { return Out{i.a() >> 16 | (i.b() & 0xffff0000u), {}}; }},
};

const Case compares[] = {
    {mi200, "s_cmp_eq_i32 s0, s2", [](const In& i) { return decide(i.sa() == i.sb()); }},
    {mi200, "s_cmp_lg_i32 s0, s2", [](const In& i) { return decide(i.sa() != i.sb()); }},
    {mi200, "s_cmp_gt_i32 s0, s2", [](const In& i) { return decide(i.sa() > i.sb()); }},
    {mi200, "s_cmp_ge_i32 s0, s2", [](const In& i) { return decide(i.sa() >= i.sb()); }},
    {mi200, "s_cmp_lt_i32 s0, s2", [](const In& i) { return decide(i.sa() < i.sb()); }},
    {mi200, "s_cmp_le_i32 s0, s2", [](const In& i) { return decide(i.sa() <= i.sb()); }},
    {mi200, "s_cmp_eq_u32 s0, s2", [](const In& i) { return decide(i.a() == i.b()); }},
    {mi200, "s_cmp_lg_u32 s0, s2", [](const In& i) { return decide(i.a() != i.b()); }},
    {mi200, "s_cmp_gt_u32 s0, s2", [](const In& i) { return decide(i.a() > i.b()); }},
    {mi200, "s_cmp_ge_u32 s0, s2", [](const In& i) { return decide(i.a() >= i.b()); }},
    {mi200, "s_cmp_lt_u32 s0, s2", [](const In& i) { return decide(i.a() < i.b()); }},
    {mi200, "s_cmp_le_u32 s0, s2", [](const In& i) { return decide(i.a() <= i.b()); }},
    {mi200, "s_cmp_eq_u64 s[0:1], s[2:3]", [](const In& i) { return decide(i.a64 == i.b64); }},
    {mi200, "s_cmp_lg_u64 s[0:1], s[2:3]", [](const In& i) { return decide(i.a64 != i.b64); }},
    {mi200, "s_cmpk_gt_i32 s0, 0x8000", [](const In& i) { return decide(i.sa() > -32768); }},
    {mi200, "s_cmpk_le_i32 s0, 0xffff", [](const In& i) { return decide(i.sa() <= -1); }},
    {rdna3, "s_cmpk_lt_u32 s0, 0xffff", [](const In& i) { return decide(i.a() < 0xffff); }},
    {mi300, "s_cmpk_ge_u32 s0, 0x8000", [](const In& i) { return decide(i.a() >= 0x8000); }},
    {mi200, "s_cmpk_lg_u32 s0, 0xffff", [](const In& i) { return decide(i.a() != 0xffff); }},
    {mi200, "s_bitcmp0_b32 s0, s2",
     [](const In& i) { return decide(!(i.a() >> (i.b() % 32) & 1)); }},
    {mi200, "s_bitcmp1_b32 s0, s2", [](const In& i) { return decide(i.a() >> (i.b() % 32) & 1); }},
    {mi200, "s_bitcmp0_b64 s[0:1], s2",
     [](const In& i) { return decide(!(i.a64 >> (i.b() % 64) & 1)); }},
    {mi200, "s_bitcmp1_b64 s[0:1], s2",
     [](const In& i) { return decide(i.a64 >> (i.b() % 64) & 1); }},
};

std::string name_of(const testing::TestParamInfo<Case>& info) {
  std::string name = std::string(info.param.processor) + "_" + info.param.text;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}
INSTANTIATE_TEST_SUITE_P(Arithmetic, Scalar, testing::ValuesIn(arithmetic), name_of);
INSTANTIATE_TEST_SUITE_P(Bits, Scalar, testing::ValuesIn(bits), name_of);
INSTANTIATE_TEST_SUITE_P(Compares, Scalar, testing::ValuesIn(compares), name_of);

}  // namespace
}  // namespace hipsight::test
