// What inline constants are as 16-bit sources, against LLVM's assembler: it takes a number for an
// inline constant just where it is the bits that the hardware makes of it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <deque>
#include <map>
#include <optional>
#include <random>
#include <set>

#include "assemble.h"
#include "assembly_text.h"
#include "isa/crash_guard.h"
#include "isa/decode.h"
#include "isa/entry.h"
#include "isa/opcodes.h"
#include "machine.h"
#include "support/error.h"

namespace hipsight::test {
namespace {

constexpr std::uint32_t one_code = 242, first_vgpr = 256;

/// The instruction with 1.0 as its first source, registers as the others, and no modifiers but
/// those of the result; none where it has no such source.
std::optional<isa::Instruction> with_one(isa::Decoder& decoder, const isa::Instruction& drawn) {
  using isa::Format;
  const auto is_same = [&](const isa::Words& words) {
    const auto in = decoder.decode(isa::bytes_of(words), 0);
    const bool same = in && in->name() == drawn.name() && in->src[0].where == isa::Where::Constant;
    return same ? in : std::nullopt;
  };
  isa::Words words = drawn.words;
  if (drawn.format == Format::Vop1 || drawn.format == Format::Vop2 ||
      drawn.format == Format::Vopc) {
    words[0] = (words[0] & ~0x1ffu) | one_code;
    return is_same(words);
  }
  if (drawn.format != Format::Vop3 && drawn.format != Format::Vop3p) return std::nullopt;
  words[0] &= ~0x7f00u;  // abs or neg_hi, op_sel
  words[1] &= 0x18000000u;
  if (drawn.format == Format::Vop3p) words[0] |= 1 << 14, words[1] |= 3 << 27;  // op_sel_hi
  // Fields of sources that it does not have are zero.
  for (const auto& [second, third] :
       {std::pair(first_vgpr + 2, first_vgpr + 4), {first_vgpr + 2, 0u}, {0u, 0u}}) {
    words[1] = (words[1] & 0x18000000u) | one_code | second << 9 | third << 18;
    if (auto in = is_same(words)) return in;
  }
  return std::nullopt;
}

/// The first source as the engine reads it.
std::optional<std::uint32_t> lowered(const isa::Instruction& instruction, const HostIsa& host_isa) {
  engine::LoweringContext context{
      host_isa.table, instruction.gfx, {.lanes = 64, .vgprs = 256, .agprs = 256}};
  engine::ConstantPool constants(64);
  std::deque<isa::Instruction> extra;
  std::vector<engine::Op> ops;
  isa::Instruction copy = instruction;
  engine::lower(copy, context, constants, extra, ops);
  if (ops.front().base[0] != engine::Base::Constant) return std::nullopt;
  std::uint32_t word;
  std::memcpy(&word, reinterpret_cast<const void*>(ops.front().src[0]), sizeof word);
  return word;
}

/// What LLVM takes for the 1.0 in an instruction's text, of what it could be.
std::optional<std::uint32_t> by_assembler(const char* processor, isa::Decoder& decoder,
                                          const std::string& text) {
  const std::string one = " 1.0";
  const std::size_t at = text.find(one);
  if (at == std::string::npos || text.find(one, at + 1) != std::string::npos) return std::nullopt;
  const bool halves = has(text, ".l") || has(text, ".h");
  for (const std::uint32_t bits : {0x3c00u, 0x3f80u, 0x3f800000u, 0x3c003c00u}) {
    std::string numbered = text;
    numbered.replace(at, one.size(), fmt::format(" {:#x}", bits));
    try {
      const auto in =
          decoder.decode(assemble(processor, numbered, halves ? "+real-true16" : ""), 0);
      if (in && in->src[0].inline_float) return bits;
    } catch (const Exception&) {
    }
  }
  return std::nullopt;
}

/// Dot products of 16-bit floats, where RDNA's manuals have a constant in both halves and LLVM in
/// the low one (RDNA3 and RDNA4 ISA, 7.2).
bool fills_both(const isa::Instruction& in) {
  return isa::is_rdna(in.gfx) && in.name().starts_with("V_DOT2") &&
         !(in.name() == "V_DOT2_F32_F16" && in.gfx == isa::Gfx::Gfx11) &&
         in.name() != "V_DOT2_I32_I16";
}

class Constants : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Processors, Constants, testing::ValuesIn(isa::instruction_sets),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(Constants, AreWhatTheAssemblerTakesThemFor) {
  isa::Decoder decoder(GetParam());
  const isa::CrashGuard guard;
  std::mt19937 random(5);
  std::set<std::string> seen;
  std::map<std::uint32_t, unsigned> kinds;
  isa::for_every_opcode(decoder, 4, random, [&](const isa::Words& words) {
    const auto drawn = decoder.decode(isa::bytes_of(words), 0);
    if (!drawn || drawn->variant != isa::Variant::Plain || !has(drawn->name(), "16")) return true;
    const isa::Shape* shape = isa::find_shape(drawn->name());
    if (!shape || isa::is_64_bit(shape->operand[0])) return true;
    // These have a literal of their own.
    if (has(drawn->name(), "MK_") || has(drawn->name(), "AK_")) return true;
    const auto in = with_one(decoder, *drawn);
    if (!in) return true;
    const std::string text = decoder.text(*in);
    // What LLVM cannot write.
    if (has(text, "/*") || has(text, "(malformed)") ||
        !seen.insert(text.substr(0, text.find(' '))).second)
      return true;
    const auto ours = lowered(*in, host_isas().front());
    if (!ours) return true;
    const auto llvm = by_assembler(GetParam(), decoder, text);
    // An integer of 16 bits cannot be written in full: of the constant's f32 it has the low half.
    std::uint32_t expected = llvm.value_or(0x3f800000);
    if (fills_both(*in) && expected < 0x10000) expected *= 0x10001;
    EXPECT_EQ(*ours, expected) << text << fmt::format(": {:#x}, not {:#x}", *ours, expected);
    ++kinds[expected];
    return true;
  });
  EXPECT_GT(kinds[0x3c00], 40u);
  EXPECT_GT(kinds[0x3f800000], 30u);
}

/// A float as f16 or bf16 in a register's low half.
float result_of(Machine& machine, const char* text, std::uint32_t v2) {
  machine.vgpr(1, 0) = std::bit_cast<std::uint32_t>(3.0f);
  machine.vgpr(2, 0) = v2;
  machine.run(*machine.lower(text));
  return std::bit_cast<float>(machine.vgpr(0, 0));
}

TEST(MixedConstants, AreHalvesWhereOpSelHiIsSet) {
  constexpr std::uint32_t five = 0x4500;  // f16
  for (const HostIsa& host_isa : host_isas())
    for (const char* processor : isa::instruction_sets) {
      Machine machine(processor, host_isa);
      const auto run = [&](const char* text) { return result_of(machine, text, five); };
      EXPECT_EQ(run("v_fma_mix_f32 v0, v1, 1.0, v2 op_sel_hi:[0,1,1]"), 8) << processor;
      EXPECT_EQ(run("v_fma_mix_f32 v0, v1, 1.0, v2 op_sel_hi:[0,0,1]"), 8) << processor;
      EXPECT_EQ(run("v_fma_mix_f32 v0, v1, -2.0, 0.5 op_sel_hi:[0,1,1]"), -5.5f) << processor;
      EXPECT_EQ(run("v_fma_mix_f32 v0, v1, -2.0, 0.5 op_sel_hi:[0,0,0]"), -5.5f) << processor;
      // The high half is zero.
      EXPECT_EQ(run("v_fma_mix_f32 v0, v1, 4.0, v2 op_sel:[0,1,0] op_sel_hi:[0,1,1]"), 5)
          << processor;
      EXPECT_EQ(run("v_fma_mix_f32 v0, v1, |-4.0|, -v2 op_sel_hi:[0,1,1]"), 7) << processor;
    }
}

TEST(PackedConstants, AreInTheLowHalf) {
  for (const HostIsa& host_isa : host_isas())
    for (const char* processor : isa::instruction_sets) {
      Machine machine(processor, host_isa);
      const auto run = [&](const char* text, std::uint32_t v2) {
        result_of(machine, text, v2);
        return machine.vgpr(0, 0);
      };
      EXPECT_EQ(run("v_pk_add_f16 v0, v2, 1.0", 0x45004500), 0x45004600u) << processor;
      EXPECT_EQ(run("v_pk_add_f16 v0, v2, 1.0 op_sel_hi:[1,0]", 0x45004500), 0x46004600u);
      // Floats of integer instructions are f32.
      EXPECT_EQ(run("v_pk_add_u16 v0, v2, 1.0", 0x10001), 0x3f810001u) << processor;
      EXPECT_EQ(run("v_pk_add_u16 v0, v2, -1", 0x30003), 0x20002u) << processor;
      EXPECT_EQ(run("v_pk_add_u16 v0, v2, 1", 0x30003), 0x30004u) << processor;
      // v_pk_fmac_f16 has them in both halves from RDNA3 on.
      machine.vgpr(0, 0) = 0;
      const bool rdna = std::string_view(processor).starts_with("gfx1");
      const char* text = rdna ? "v_pk_fmac_f16 v0, 0x40004000, v2" : "v_pk_fmac_f16 v0, 2.0, v2";
      EXPECT_EQ(machine.lower(text)->instructions.front().size, 4) << processor;
      EXPECT_EQ(run(text, 0x45004500), rdna ? 0x49004900u : 0x4900u) << processor;
    }
}

}  // namespace
}  // namespace hipsight::test
