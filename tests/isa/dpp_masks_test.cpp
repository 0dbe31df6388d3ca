// Masks of lanes that DPP instructions make. Comparisons write whole masks: lanes that may not be
// written, by the masks of rows and banks or because nothing is read for them, get a zero (RDNA3
// ISA, 7.7). Carries keep their bit where nothing is read, and know nothing of rows and banks
// (ROCm/rocm-systems#10318, "hardware-confirmed").
#include <gtest/gtest.h>

#include <string>

#include "assembly_text.h"
#include "machine.h"

namespace hipsight::test {
namespace {

TEST(DppCompare, WritesZerosWhereNothingIsRead) {
  for (const HostIsa& host_isa : host_isas())
    for (const char* processor : {"gfx1100", "gfx1201"}) {
      Machine machine(processor, host_isa);
      const auto run = [&](const char* text) {
        for (unsigned lane = 0; lane < 32; ++lane)
          machine.vgpr(1, lane) = machine.vgpr(2, lane) = 0;
        machine.sgpr(8) = machine.sgpr(engine::reg::vcc) = ~0u;
        machine.run(*machine.lower(text));
        return has(text, "s8") ? machine.sgpr(8) : machine.sgpr(engine::reg::vcc);
      };
      // Lanes 0 and 16 would read lanes of another row.
      const std::string shifted = " row_shr:1 row_mask:0xf bank_mask:0xf";
      for (const std::string text :
           {"v_cmp_eq_u32_dpp vcc_lo, v1, v2", "v_cmp_eq_u32_e64_dpp s8, v1, v2"}) {
        EXPECT_EQ(run((text + shifted).c_str()), 0xfffefffeu) << processor << " " << text;
        EXPECT_EQ(run((text + shifted + " bound_ctrl:1").c_str()), 0xffffffffu) << text;
        EXPECT_EQ(run((text + " row_shr:1 row_mask:0x1 bank_mask:0xe").c_str()), 0x0000fff0u)
            << text;
      }
    }
}

struct Carry {
  std::uint64_t mask;     ///< in VCC
  std::uint32_t results;  ///< lanes whose register changed
};

/// Adds 1 to all ones, so that each lane has a carry, with VCC as it is told before.
Carry carry_of(const char* processor, const HostIsa& host_isa, const std::string& text,
               std::uint64_t vcc, std::uint64_t exec) {
  Machine machine(processor, host_isa);
  const unsigned lanes = std::string_view(processor).starts_with("gfx9") ? 64 : 32;
  for (unsigned lane = 0; lane < lanes; ++lane) {
    machine.vgpr(0, lane) = 77;
    machine.vgpr(1, lane) = ~0u;
    machine.vgpr(2, lane) = 1;
  }
  machine.sgpr(engine::reg::exec) = static_cast<std::uint32_t>(exec);
  machine.sgpr(engine::reg::exec + 1) = static_cast<std::uint32_t>(exec >> 32);
  machine.sgpr(engine::reg::vcc) = static_cast<std::uint32_t>(vcc);
  machine.sgpr(engine::reg::vcc + 1) = static_cast<std::uint32_t>(vcc >> 32);
  machine.run(*machine.lower(text.c_str()));
  Carry carry{machine.sgpr(engine::reg::vcc), 0};
  if (lanes == 64) carry.mask |= std::uint64_t{machine.sgpr(engine::reg::vcc + 1)} << 32;
  for (unsigned lane = 0; lane < 32; ++lane)
    carry.results |= std::uint32_t{machine.vgpr(0, lane) != 77} << lane;
  return carry;
}

TEST(DppCarry, KeepsBitsWhereNothingIsRead) {
  for (const HostIsa& host_isa : host_isas())
    for (const char* processor : {"gfx1100", "gfx1201", "gfx942"}) {
      const bool gfx9 = std::string_view(processor).starts_with("gfx9");
      const std::uint64_t all = gfx9 ? ~0ull : 0xffffffffull;
      const auto run = [&](const std::string& modifiers, std::uint64_t vcc, std::uint64_t exec) {
        const std::string add = gfx9 ? "v_add_co_u32_dpp v0, vcc, v1, v2 "
                                     : "v_add_co_ci_u32_dpp v0, vcc_lo, v1, v2, vcc_lo ";
        return carry_of(processor, host_isa, add + modifiers, vcc, exec);
      };
      SCOPED_TRACE(processor);
      // Lanes 0, 16, ... would read lanes of another row.
      const std::uint64_t edges = 0x0001000100010001ull & all;
      Carry carry = run("row_shr:1 row_mask:0xf bank_mask:0xf", 0, all);
      EXPECT_EQ(carry.mask, all & ~edges);
      EXPECT_EQ(carry.results, 0xfffefffeu);
      carry = run("row_shr:1 row_mask:0xf bank_mask:0xf", 0x10001, all);
      EXPECT_EQ(carry.mask, (all & ~edges) | 0x10001);
      // With bound_ctrl they read 0, and 0 + 1 has no carry.
      carry = run("row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:1", 0x10001, all);
      EXPECT_EQ(carry.mask, all & ~edges);
      EXPECT_EQ(carry.results, ~0u);
      // Rows and banks that are left out get no result, but a carry.
      carry = run("quad_perm:[1,0,3,2] row_mask:0x1 bank_mask:0xe", 0, all);
      EXPECT_EQ(carry.mask, all);
      EXPECT_EQ(carry.results, 0x0000fff0u);
      // Lane 4 is off: it gets a 0, and lane 5, which would read it, keeps what it had.
      for (const std::uint64_t before : {std::uint64_t{0}, all}) {
        carry = run("quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf", before, all & ~0x10ull);
        EXPECT_EQ(carry.mask, before ? all & ~0x10ull : all & ~0x30ull);
        EXPECT_EQ(carry.results, 0xffffffcfu);
      }
    }
}

}  // namespace
}  // namespace hipsight::test
