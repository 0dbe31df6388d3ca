// Comparisons with DPP write whole masks: lanes that may not be written, by the masks of rows and
// banks or because nothing is read for them, get a zero (RDNA3 ISA, 7.7).
#include <gtest/gtest.h>

#include <string>

#include "assembly_text.h"
#include "machine.h"

namespace hipsight::test {
namespace {

TEST(DppCompare, WritesZerosWhereNothingIsRead) {
  for (const Level& level : levels())
    for (const char* processor : {"gfx1100", "gfx1201"}) {
      Machine machine(processor, level);
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

}  // namespace
}  // namespace hipsight::test
