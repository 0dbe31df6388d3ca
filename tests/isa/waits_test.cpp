// Fields of waits, as the assembler encodes them (llvm-mc 22).
#include "isa/waits.h"

#include <gtest/gtest.h>

namespace hipsight::isa {
namespace {

Wait wait(Gfx gfx, std::string_view name, std::int32_t imm) {
  Instruction in;
  in.gfx = gfx;
  in.row = &row_of(name);
  in.imm = {in.row->field, imm};
  return wait_of(in);
}

TEST(Waits, AreReadAsTheAssemblerWritesThem) {
  using enum Gfx;
  const auto none = std::nullopt;
  // Loads, stores, LDS, scalar memory.
  EXPECT_EQ(wait(Gfx942, "S_WAITCNT", 0x0273), (Wait{3, none, 2, none}));     // vmcnt(3) lgkmcnt(2)
  EXPECT_EQ(wait(Gfx90a, "S_WAITCNT", 0xc07f), (Wait{none, none, 0, none}));  // lgkmcnt(0)
  EXPECT_EQ(wait(Gfx942, "S_WAITCNT", 0x4f70), (Wait{16, none, none, none}));  // vmcnt(16)
  EXPECT_EQ(wait(Gfx11, "S_WAITCNT", 0x0c27), (Wait{3, none, 2, none}));
  EXPECT_EQ(wait(Gfx11, "S_WAITCNT", 0xfc07), (Wait{none, none, 0, none}));
  EXPECT_EQ(wait(Gfx11, "S_WAITCNT_VSCNT", 0), (Wait{none, 0, none, none}));
  EXPECT_EQ(wait(Gfx12, "S_WAIT_LOADCNT", 3), (Wait{3, none, none, none}));
  EXPECT_EQ(wait(Gfx12, "S_WAIT_LOADCNT_DSCNT", 0x301), (Wait{3, none, 1, none}));
  EXPECT_EQ(wait(Gfx12, "S_WAIT_KMCNT", 0), (Wait{none, none, none, 0}));
  EXPECT_EQ(wait(Gfx942, "S_NOP", 0), Wait{});
}

TEST(Waits, CountersWorkInStepUntilTheyAreSplit) {
  using enum Gfx;
  EXPECT_EQ(counter_of(Gfx942, Counter::Store), Counter::Load);
  EXPECT_EQ(counter_of(Gfx11, Counter::Store), Counter::Store);
  EXPECT_EQ(counter_of(Gfx11, Counter::Scalar), Counter::Lds);
  EXPECT_EQ(counter_of(Gfx12, Counter::Scalar), Counter::Scalar);
}

}  // namespace
}  // namespace hipsight::isa
