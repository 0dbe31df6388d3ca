#include "isa/registers.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <vector>

#include "isa/decode.h"
#include "isa/entry.h"
#include "isa/llvm_target.h"
#include "support/error.h"

namespace hipsight::isa {
namespace {

using File = VectorRegisters::File;
using Half = VectorRegisters::Half;

constexpr std::uint8_t preserve = 2;  // Instruction::dst_unused

/// Where the register stands that LLVM calls "VGPR17_LO16" or "AGPR3_HI16".
std::optional<unsigned> half_named(std::string_view name) {
  const bool vgpr = name.starts_with("VGPR"), agpr = name.starts_with("AGPR");
  const bool low = name.ends_with("_LO16"), high = name.ends_with("_HI16");
  if (!(vgpr || agpr) || !(low || high)) return std::nullopt;
  const std::string_view number = name.substr(4, name.size() - 9);
  unsigned index = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), index);
  if (error != std::errc{} || end != number.data() + number.size()) return std::nullopt;
  if (index >= VectorRegisters::per_file) return std::nullopt;
  return VectorRegisters::place(agpr ? File::Agpr : File::Vgpr, index,
                                high ? Half::High : Half::Low);
}

/// The one half of its result that an instruction writes; none: all of it.
std::optional<Half> written_half(const Instruction& in, bool tied) {
  using Layout = MemoryAccess::Layout;
  if (in.row->kind == Kind::Memory) {
    const Layout layout = in.row->memory.layout;
    if (layout == Layout::High || layout == Layout::FormattedHigh) return Half::High;
    // Formatted loads fill registers with pairs of components.
    if (layout == Layout::Low) return Half::Low;
    return std::nullopt;
  }
  if (in.dst_unused == preserve && in.dst_select == 4) return Half::Low;
  if (in.dst_unused == preserve && in.dst_select == 5) return Half::High;
  if (in.dst_unused == preserve && in.dst_select < 4) return std::nullopt;
  if (in.dst.high) return Half::High;
  if (tied && in.variant == Variant::Plain &&
      (in.name().starts_with("V_CVT_") || in.is(Opcode::V_FMA_MIXLO_F16)))
    return Half::Low;
  return std::nullopt;
}

/// Whether a result that is tied to a source is so only for what is not written of it.
bool ties_to_keep(const Instruction& in) {
  const Shape* const shape = in.row->shape;
  const bool is_operand = shape && std::ranges::count(shape->old, true);
  return !is_operand && !in.row->registers.swaps;
}

/// DPP whose result is written in every lane that is on.
bool writes_all_lanes(const Instruction& in) {
  return in.variant == Variant::Dpp8 || (in.variant == Variant::Dpp16 && in.bound_ctrl &&
                                         in.row_mask == 0xf && in.bank_mask == 0xf);
}

bool narrows(const Row& row) {
  switch (row.logic) {
    case Logic::And:
    case Logic::AndNot1:
    case Logic::AndNot2:
    case Logic::Xor:
      return true;
    default:
      return row.shape && row.writes.exec;  // v_cmpx
  }
}

}  // namespace

const VectorRegisters& VectorRegisters::all(Half half) {
  static const auto both = [] {
    std::array<VectorRegisters, 2> sets;
    for (const Half each : {Half::Low, Half::High})
      for (const File file : {File::Vgpr, File::Agpr})
        for (unsigned i = 0; i < per_file; ++i) sets[std::size_t(each)].add(place(file, i, each));
    return sets;
  }();
  return both[std::size_t(half)];
}

unsigned VectorRegisters::count(File file) const {
  auto any = (halves_ | halves_ >> 1) & all(Half::Low).halves_;
  // The other file is shifted out.
  if (file == File::Vgpr)
    any <<= 2 * std::size_t{per_file};
  else
    any >>= 2 * std::size_t{per_file};
  return static_cast<unsigned>(any.count());
}

struct RegisterUses::Impl {
  explicit Impl(std::string_view processor) : target(processor, gfx_of(processor)) {
    const llvm::MCRegisterInfo& registers = *target.registers;
    const unsigned units = registers.getNumRegUnits();
    half_of_unit.resize(units);
    exec_unit.resize(units);
    for (unsigned id = 1; id < registers.getNumRegs(); ++id) {
      const std::string_view name = registers.getName(id);
      const std::optional<unsigned> half = half_named(name);
      const bool exec = name == "EXEC_LO" || name == "EXEC_HI";
      if (!half && !exec) continue;
      for (const auto unit : registers.regunits(id)) {
        if (half) half_of_unit[static_cast<unsigned>(unit)] = half;
        if (exec) exec_unit[static_cast<unsigned>(unit)] = true;
      }
    }
  }

  void add(VectorRegisters& set, llvm::MCRegister id) const {
    if (!id.isValid()) return;
    for (const auto unit : target.registers->regunits(id))
      if (const auto half = half_of_unit[static_cast<unsigned>(unit)]) set.add(*half);
  }
  bool is_exec(llvm::MCRegister id) const {
    if (!id.isValid()) return false;
    for (const auto unit : target.registers->regunits(id))
      if (exec_unit[static_cast<unsigned>(unit)]) return true;
    return false;
  }

  LlvmTarget target;
  std::vector<std::optional<unsigned>> half_of_unit;  ///< VectorRegisters::place
  std::vector<bool> exec_unit;
};

RegisterUses::RegisterUses(std::string_view processor, bool sram_ecc)
    : impl_(std::make_unique<Impl>(processor)), sram_ecc_(sram_ecc) {}
RegisterUses::~RegisterUses() = default;

RegisterUse RegisterUses::of(const Instruction& in) const {
  RegisterUse use;
  llvm::MCInst inst;
  std::uint64_t size = 0;
  if (!impl_->target.decode(bytes_of(in), in.address, inst, size)) return use;
  const llvm::MCInstrDesc& description = impl_->target.instructions->get(inst.getOpcode());
  const auto tie_of = [&](unsigned operand) {
    return description.getOperandConstraint(operand, llvm::MCOI::TIED_TO);
  };

  VectorRegisters tied;
  const auto writes = [&](llvm::MCRegister id) {
    impl_->add(use.writes, id);
    use.writes_exec |= impl_->is_exec(id);
  };
  // The disassembler says twice what DS d16 loads keep.
  const unsigned operands = std::min<unsigned>(inst.getNumOperands(), description.getNumOperands());
  for (unsigned i = 0; i < operands; ++i) {
    const llvm::MCOperand& operand = inst.getOperand(i);
    if (!operand.isReg()) continue;
    if (i < description.getNumDefs()) writes(operand.getReg());
    // What the disassembler puts into a tied operand is not always what it is tied to (VOPD).
    else if (const int tie = tie_of(i); tie >= 0)
      impl_->add(tied, inst.getOperand(static_cast<unsigned>(tie)).getReg());
    else
      impl_->add(use.reads, operand.getReg());
  }
  for (const auto id : description.implicit_defs()) writes(id);
  for (const auto id : description.implicit_uses()) impl_->add(use.reads, id);
  use.narrows_exec = use.writes_exec && narrows(*in.row);

  const bool keeps = ties_to_keep(in);
  if (sram_ecc_ && is_d16_load(in)) {
    tied = {};
  } else if (const auto half = written_half(in, !tied.empty())) {
    use.writes &= VectorRegisters::all(*half);
    if (keeps) tied = {};
  } else if (in.dst_unused == preserve && in.dst_select < 4) {
    tied |= use.writes;  // SDWA: bytes of a half are kept
  } else if (keeps && writes_all_lanes(in)) {
    tied = {};
  }
  use.reads |= tied;
  use.may_write = use.writes;
  if (in.row->kind == Kind::Relative && in.row->pipe == Pipe::Vector) {
    // LLVM has the first of v_movreld's possible results as a source.
    if (in.dst.where == Where::Vgpr) use.may_write.add(File::Vgpr, in.dst.index);
    return indexed(use, !in.is(Opcode::V_MOVRELD_B32), !in.is(Opcode::V_MOVRELS_B32));
  }
  return use;
}

RegisterUse indexed(RegisterUse use, bool sources, bool results) {
  const auto and_above = [](VectorRegisters& set) {
    unsigned index = 0;
    while (index < VectorRegisters::per_file && !set.has(File::Vgpr, index)) ++index;
    for (; index < VectorRegisters::per_file; ++index) set.add(File::Vgpr, index);
  };
  if (sources) and_above(use.reads);
  if (results) use.writes = {}, and_above(use.may_write);
  return use;
}

}  // namespace hipsight::isa
