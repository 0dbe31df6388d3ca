// What the translator takes an op to read and write (effects_of) has all registers that the
// instruction uses (isa/operand_use.h), of every opcode that it moves.
#include "engine/translate/analysis/effects.h"

#include <gtest/gtest.h>

#include <deque>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "engine/launch/wave.h"
#include "engine/program/program.h"
#include "isa/crash_guard.h"
#include "isa/decode.h"
#include "isa/opcodes.h"
#include "isa/operand_use.h"

namespace hipsight::test {
namespace {

namespace place = engine::place;

class EffectsTest : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Processors, EffectsTest, testing::ValuesIn(isa::instruction_sets),
                         [](const auto& info) { return std::string(info.param); });

/// What is missing in the effects of a lone op; "" where nothing is.
std::string missing(const isa::Instruction& in, const engine::Op& op,
                    const engine::RegisterFile& file) {
  const engine::Effects effects = engine::effects_of(op, file);
  if (!effects.movable) return "";
  for (const isa::OperandUse& use : isa::operand_uses(in, file.lanes))
    for (unsigned i = 0; i < use.registers; ++i) {
      const unsigned index = use.operand.index + i;
      const bool scalar = use.operand.where == isa::Where::Sgpr;
      const unsigned at =
          scalar ? index
                 : place::vector + index + (use.operand.where == isa::Where::Agpr ? file.vgprs : 0);
      if (at >= place::count) continue;
      if (use.reads && !effects.reads.test(at)) return "reads " + std::to_string(at);
      if (use.writes && !effects.writes.test(at)) return "writes " + std::to_string(at);
    }
  if (in.row->reads.scc && !effects.reads.test(place::scc)) return "reads SCC";
  if (in.row->writes.scc && !effects.writes.test(place::scc)) return "writes SCC";
  if (in.row->reads.exec && !effects.reads.test(engine::reg::exec)) return "reads EXEC";
  if (in.row->writes.exec && !effects.writes.test(engine::reg::exec)) return "writes EXEC";
  return "";
}

TEST_P(EffectsTest, HaveAllRegistersThatAnInstructionUses) {
  isa::Decoder decoder(GetParam());
  const isa::CrashGuard guard;
  const unsigned lanes = isa::is_rdna(decoder.gfx()) ? 32 : 64;
  const engine::RegisterFile file{.lanes = lanes, .vgprs = 256, .agprs = 256};
  const engine::LoweringContext context{engine::host_table(), decoder.gfx(), file};
  std::mt19937 random(11);
  std::set<std::string> moved;
  isa::for_every_opcode(decoder, 24, random, [&](const isa::Words& words) {
    const auto in = decoder.decode(isa::bytes_of(words), 0);
    if (!in || in->row_y) return true;
    isa::Instruction copy = *in;
    engine::LoweringContext own = context;
    engine::ConstantPool constants(lanes);
    std::deque<isa::Instruction> extra;
    std::vector<engine::Op> ops;
    engine::lower(copy, own, constants, extra, ops);
    if (ops.size() != 1 ||
        ops.front().run == engine::host_table().find("unknown")->run(lanes, false))
      return true;
    moved.emplace(in->name());
    const std::string lacks = missing(*in, ops.front(), file);
    EXPECT_EQ(lacks, "") << decoder.text(*in);
    return true;
  });
  EXPECT_GT(moved.size(), 500u);
}

}  // namespace
}  // namespace hipsight::test
