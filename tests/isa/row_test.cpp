// Each opcode of each GPU has a row, complete, and rows agree with LLVM's descriptions of
// instructions (MCInstrDesc) where those say something.
#include "isa/row.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <string>

#include "isa/crash_guard.h"
#include "isa/decode.h"
#include "isa/entry.h"
#include "isa/llvm_target.h"
#include "isa/opcodes.h"

namespace hipsight::test {
namespace {

using isa::Control;
using isa::Kind;
using isa::MemoryAccess;
using isa::Opcode;
using isa::Row;

/// Of a processor, an instruction of each opcode that LLVM knows, and LLVM's number of it.
struct Decoded {
  isa::LlvmTarget target;
  std::vector<std::pair<isa::Instruction, unsigned>> instructions;
};
const Decoded& decoded(const std::string& processor) {
  static std::map<std::string, Decoded> known;
  const auto [at, fresh] =
      known.try_emplace(processor, isa::LlvmTarget(processor, isa::gfx_of(processor)));
  auto& [target, instructions] = at->second;
  if (!fresh) return at->second;
  isa::Decoder decoder(processor);
  const isa::CrashGuard guard;
  std::mt19937 random(3);
  std::set<unsigned> seen;
  constexpr unsigned tries = 100;  // enough for every opcode (Row.IsOfAnOpcodeThatSomeGpuHas)
  isa::for_every_opcode(decoder, tries, random, [&](const isa::Words& words) {
    const auto in = decoder.decode(isa::bytes_of(words), 0);
    llvm::MCInst inst;
    std::uint64_t size = 0;
    if (in && target.decode(isa::bytes_of(words), 0, inst, size) &&
        seen.insert(inst.getOpcode()).second)
      instructions.emplace_back(*in, inst.getOpcode());
    return true;
  });
  return at->second;
}
template <class Use>
void for_every_description(const std::string& processor, Use use) {
  const Decoded& all = decoded(processor);
  for (const auto& [in, opcode] : all.instructions) use(in, all.target.instructions->get(opcode));
}

class Rows : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Processors, Rows, testing::ValuesIn(isa::instruction_sets),
                         [](const auto& info) { return std::string(info.param); });

/// What a row lacks; "" when it is complete.
std::string lack(const Row& row) {
  const MemoryAccess& memory = row.memory;
  const bool accesses = memory.space != MemoryAccess::Space::None &&
                        memory.does != MemoryAccess::Does::Nothing && memory.bytes != 0;
  switch (row.kind) {
    case Kind::None:
      return "a kind";
    case Kind::Entry:
      return row.shape ? "" : "its entry";
    case Kind::Control:
      return row.control == Control::None ? "where control goes" : "";
    case Kind::Memory:
      return accesses ? "" : "its access";
    case Kind::ExecMask:
      return row.logic == isa::Logic::None || !row.width ? "its logic" : "";
    case Kind::Matrix: {
      const bool scales = row.opcode == Opcode::V_MFMA_LD_SCALE_B32;
      return scales || (row.tile.blocks && row.number != isa::Number::None) ? "" : "its tile";
    }
    default:
      return accesses ? "a kind that accesses memory" : "";
  }
}

TEST_P(Rows, AreThereForEveryOpcodeAndComplete) {
  for_every_description(GetParam(), [&](const isa::Instruction& in, const auto&) {
    for (const Row* row : {in.row, in.row_y})
      if (row) EXPECT_EQ(lack(*row), "") << row->name;
  });
}

TEST(Row, IsOfAnOpcodeThatSomeGpuHas) {
  std::set<Opcode> met{Opcode::NONE, Opcode::OTHER, Opcode::END_OF_FUNCTION,
                       Opcode::WAIT_FOR_WAVES};
  for (const char* processor : isa::instruction_sets) {
    for_every_description(processor, [&](const isa::Instruction& in, const auto&) {
      met.insert(in.row->opcode);
      if (in.row_y) met.insert(in.row_y->opcode);
    });
  }
  for (const Row& row : isa::rows()) {
    EXPECT_TRUE(met.contains(row.opcode)) << row.name;
    EXPECT_EQ(&isa::row_of(row.name), &row);
    EXPECT_EQ(&isa::row_of(row.opcode), &row);
  }
}

TEST(Row, OfANameThatIsNoneOfOursHasThatName) {
  const Row& row = isa::row_of("IMAGE_LOAD");
  EXPECT_EQ(row.opcode, Opcode::OTHER);
  EXPECT_EQ(row.name, "IMAGE_LOAD");
  EXPECT_EQ(&isa::row_of("IMAGE_LOAD"), &row);
}

// --- against LLVM -------------------------------------------------------------------------------

/// Where LLVM says "loads and stores" of what does neither: so it keeps its place among accesses.
bool only_keeps_its_place(const Row& row) {
  using enum Opcode;
  switch (row.opcode) {
    case S_WAITCNT_EXPCNT:
    case S_WAITCNT_LGKMCNT:
    case S_WAITCNT_VMCNT:
    case S_WAITCNT_VSCNT:
    case S_WAKEUP:
      return true;
    default:  // prefetches; the semaphores of GWS are no memory
      return row.kind == Kind::Cache || row.kind == Kind::Semaphore;
  }
}

TEST_P(Rows, SayOfMemoryWhatLlvmSays) {
  for_every_description(GetParam(), [&](const isa::Instruction& in, const auto& llvm) {
    const Row& row = *in.row;
    if (row.kind == Kind::Graphics || only_keeps_its_place(row)) return;
    // Straight from memory to LDS, or back: a load of one and a store of the other.
    const bool both = row.memory.with_lds();
    EXPECT_EQ(row.memory.loads() || both, llvm.mayLoad()) << row.name;
    EXPECT_EQ(row.memory.stores() || both, llvm.mayStore()) << row.name;
  });
}

TEST_P(Rows, SayOfControlWhatLlvmSays) {
  for_every_description(GetParam(), [&](const isa::Instruction& in, const auto& llvm) {
    const Row& row = *in.row;
    // LLVM makes no code with GFX9's forks, and says nothing of them. It ends functions with
    // padding (s_code_end) as with s_endpgm.
    if (row.control == Control::Fork || row.control == Control::Join ||
        row.opcode == Opcode::S_CODE_END)
      return;
    const bool branch = row.control == Control::Branch || row.control == Control::Halves;
    const bool sometimes = branch && !row.ends_path();
    EXPECT_EQ(branch || row.control == Control::Jump, llvm.isBranch()) << row.name;
    EXPECT_EQ(sometimes, llvm.isConditionalBranch()) << row.name;
    EXPECT_EQ(row.control == Control::Call, llvm.isCall()) << row.name;
    EXPECT_EQ(row.control == Control::End, llvm.isReturn()) << row.name;
    if (row.kind != Kind::Graphics) EXPECT_EQ(row.ends_path(), llvm.isBarrier()) << row.name;
  });
}

std::string names(const isa::Implied& registers) {
  std::string out;
  if (registers.scc) out += " SCC";
  if (registers.vcc) out += " VCC";
  if (registers.exec) out += " EXEC";
  if (registers.m0) out += " M0";
  return out;
}
template <class Ids>
isa::Implied implied(const llvm::MCRegisterInfo& registers, const Ids& ids) {
  isa::Implied found;
  for (const auto id : ids) {
    const std::string_view name = registers.getName(id);
    found.scc |= name == "SCC";
    found.vcc |= name.starts_with("VCC");
    found.exec |= name.starts_with("EXEC");
    found.m0 |= name == "M0";
  }
  return found;
}
/// A scalar register that an operand names: an operand of ours where LLVM implies it.
void add(isa::Implied& registers, const isa::Instruction& in, const isa::Operand& operand) {
  if (operand.where != isa::Where::Sgpr) return;
  registers.vcc |= operand.index == 106 || operand.index == 107;
  registers.m0 |= operand.index == (isa::is_rdna(in.gfx) ? 125 : 124);
}

/// What LLVM says and the manuals do not.
struct Exception {
  isa::Implied reads, writes;
};
Exception exception_of(const Row& row, isa::Gfx gfx) {
  using enum Opcode;
  switch (row.opcode) {
    case S_SETVSKIP:  // not a comparison, but encoded as one
      return {.writes = {.scc = true}};
    case S_BARRIER_SIGNAL_ISFIRST:  // gives SCC, whatever it was
      return {.reads = {.scc = true}};
    case S_SENDMSG:  // of messages of graphics
      return {.reads = {.exec = true}};
    case V_MOVRELSD_2_B32:  // LLVM leaves out that lanes which are off stay as they are
    case V_SWAPREL_B32:
      return {.reads = {.exec = true}};
    case DS_BPERMUTE_FI_B32:  // moves words between lanes: no memory
      return {.reads = {.m0 = true}};
    default:
      break;
  }
  // Nothing is done to lanes.
  if (row.kind == Kind::Cache || row.control == Control::Hint)
    return {.reads = {.exec = true, .m0 = true}};
  // They ignore it (MI300 ISA, "Matrix instructions"); on RDNA all lanes are to be on.
  if (row.kind == Kind::Matrix) return {.reads = {.exec = true}};
  // V_S_RCP_F32 and the like: of scalars, once, whatever EXEC is.
  if (row.shape && row.shape->form == isa::Form::Scalar && row.pipe != isa::Pipe::Scalar)
    return {.reads = {.exec = true}};
  // M0 bounds LDS before GFX9, whose descriptions LLVM shares with GFX8 (AMDGPUUsage, "LDS").
  if (row.pipe == isa::Pipe::Lds && !isa::is_rdna(gfx)) return {.reads = {.m0 = true}};
  return {};
}
isa::Implied without(isa::Implied all, const isa::Implied& some) {
  return {.scc = all.scc && !some.scc,
          .vcc = all.vcc && !some.vcc,
          .exec = all.exec && !some.exec,
          .m0 = all.m0 && !some.m0};
}

TEST_P(Rows, ImplyTheRegistersThatLlvmImplies) {
  const auto& registers = decoded(GetParam()).target.registers;
  for_every_description(GetParam(), [&](const isa::Instruction& in, const auto& llvm) {
    const Row& row = *in.row;
    if (row.kind == Kind::Graphics) return;
    isa::Implied reads = row.reads, writes = row.writes;
    const isa::Implied their_reads = implied(*registers, llvm.implicit_uses());
    const isa::Implied their_writes = implied(*registers, llvm.implicit_defs());
    isa::Implied named;
    for (const isa::Operand& source : in.src) add(named, in, source);
    for (const isa::Operand& source : in.src_y) add(named, in, source);
    reads.vcc |= named.vcc && their_reads.vcc;
    reads.m0 |= named.m0 && their_reads.m0;
    named = {};
    add(named, in, in.sdst);
    writes.vcc |= named.vcc && their_writes.vcc;
    const Exception except = exception_of(row, in.gfx);
    EXPECT_EQ(names(without(reads, except.reads)), names(without(their_reads, except.reads)))
        << "read by " << row.name;
    EXPECT_EQ(names(without(writes, except.writes)), names(without(their_writes, except.writes)))
        << "written by " << row.name;
  });
}

}  // namespace
}  // namespace hipsight::test
