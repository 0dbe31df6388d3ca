// What operands instructions without a shape take, beside registers of their own kind.

#include <gtest/gtest.h>

#include "assembly_text.h"
#include "isa/crash_guard.h"
#include "isa/decode.h"
#include "isa/opcodes.h"
#include "machine.h"
#include "values.h"

namespace hipsight::test {
namespace {

/// A wave with something else in each lane of each register, and in s0 to s31.
void fill(Machine& machine) {
  Values values{1};
  for (unsigned r = 0; r < 128; ++r)
    for (unsigned lane = 0; lane < machine.lanes(); ++lane)
      machine.vgpr(r, lane) = static_cast<std::uint32_t>(values.random());
  for (unsigned s = 0; s < 32; ++s) machine.sgpr(s) = static_cast<std::uint32_t>(values.random());
}

TEST(AnyOperand, ScalarPairsMayBeConstants) {
  for (const HostIsa& host_isa : host_isas()) {
    const struct {
      const char* source;
      std::uint64_t means;
    } cases[] = {{"0x80000001", 0x80000001},
                 {"-2", ~1ull},
                 {"1.0", 0x3ff0000000000000},
                 {"s[2:3]", 0x1234567890abcdef},
                 {"src_shared_base", engine::aperture::shared_base}};
    for (const auto& c : cases) {
      Machine machine("gfx942", host_isa);
      machine.wave().set_pair(2, 0x1234567890abcdef);
      machine.run(*machine.lower(std::string("s_xor_saveexec_b64 s[4:5], ") + c.source));
      EXPECT_EQ(machine.wave().exec(), ~c.means) << host_isa.name << ": " << c.source;
      EXPECT_EQ(machine.wave().pair(4), ~0ull);
    }
    Machine machine("gfx1100", host_isa);
    machine.run(*machine.lower("s_xor_saveexec_b32 s4, 1.0"));
    EXPECT_EQ(machine.wave().exec(), 0xffffffff ^ 0x3f800000) << host_isa.name;
  }
}

/// Whether an instruction leaves the same behind as another one after some moves.
void expect_same(const char* processor, const std::string& text, const std::string& other) {
  for (const HostIsa& host_isa : host_isas()) {
    Machine one(processor, host_isa), two(processor, host_isa);
    fill(one);
    fill(two);
    one.run(*one.lower(text));
    two.run(*two.lower(other));
    for (unsigned r = 0; r < 100; ++r)
      for (unsigned lane = 0; lane < one.lanes(); ++lane)
        ASSERT_EQ(one.vgpr(r, lane), two.vgpr(r, lane))
            << host_isa.name << ": v" << r << ", lane " << lane << "\n"
            << text;
  }
}

TEST(AnyOperand, VectorPairsMayBeUniform) {
  const std::string pair = "v_mov_b32 v110, s2\nv_mov_b32 v111, s3\n";
  for (const char* processor : {"gfx942", "gfx1100"}) {
    expect_same(processor, "v_mqsad_u32_u8 v[4:7], s[2:3], v10, v[12:15]",
                pair + "v_mqsad_u32_u8 v[4:7], v[110:111], v10, v[12:15]");
    expect_same(processor, "v_mqsad_u32_u8 v[4:7], v[20:21], s2, v[12:15]",
                pair + "v_mqsad_u32_u8 v[4:7], v[20:21], v110, v[12:15]");
    expect_same(processor, "v_mqsad_u32_u8 v[4:7], -2, v10, v[12:15]",
                "v_mov_b32 v110, -2\nv_mov_b32 v111, -1\n"
                "v_mqsad_u32_u8 v[4:7], v[110:111], v10, v[12:15]");
  }
  const std::string one = "v_mov_b32 v111, 0x3ff00000\nv_mov_b32 v110, 0\n";
  expect_same("gfx942", "v_mfma_f64_4x4x4_4b_f64 v[4:5], v[10:11], v[20:21], 1.0",
              one + "v_mfma_f64_4x4x4_4b_f64 v[4:5], v[10:11], v[20:21], v[110:111]");
  expect_same("gfx942", "v_mfma_f64_4x4x4_4b_f64 v[4:5], v[10:11], v[20:21], 1",
              "v_mov_b32 v110, 1\nv_mov_b32 v111, 0\n"
              "v_mfma_f64_4x4x4_4b_f64 v[4:5], v[10:11], v[20:21], v[110:111]");
}

/// Whether a lone wave can run it.
bool is_alone(const isa::Instruction& in) {
  const bool reserved = in.row->formats_vary && (in.cbsz > 4 || in.blgp > 4);
  const bool computes = in.format >= isa::Format::Vop1 && in.format <= isa::Format::Vopd;
  return (computes && !reserved) || in.row->kind == isa::Kind::ExecMask ||
         in.row->kind == isa::Kind::Relative;
}

// Encodings can name constants and scalar registers where an instruction has none: no code may take
// them for the places of registers. What it read then would mostly crash.
TEST(AnyOperand, NoEncodingReadsElsewhere) {
  const isa::CrashGuard guard;
  for (const char* processor : isa::instruction_sets) {
    Machine machine(processor, host_isas().front());
    fill(machine);
    isa::Decoder decoder(processor);
    std::mt19937 random(7);
    std::size_t count = 0;
    isa::for_every_opcode(decoder, 12, random, [&](const isa::Words& words) {
      const auto instruction = decoder.decode(isa::bytes_of(words), 0);
      if (!instruction || !is_alone(*instruction)) return true;
      if (const auto code = machine.lower(*instruction)) {
        machine.wave().set_pair(engine::reg::exec, machine.wave().full);
        machine.run(*code);
        ++count;
      }
      return true;
    });
    EXPECT_GT(count, 1000u) << processor;
  }
}

}  // namespace
}  // namespace hipsight::test
