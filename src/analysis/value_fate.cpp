#include "analysis/value_fate.h"

#include <utility>

namespace hipsight::analysis {
namespace {

/// Whether all that an instruction does with vector registers is to write others. Carries go the
/// way of the sums that they belong to.
bool is_arithmetic(const isa::Instruction& in, const isa::RegisterUse& use) {
  return in.row->memory.does == isa::MemoryAccess::Does::Nothing && !use.may_write.empty() &&
         !use.writes_exec;
}

}  // namespace

ValueFate::ValueFate(std::string processor, bool sram_ecc, Counts counts)
    : processor_(std::move(processor)), uses_(processor_, sram_ecc), counts_(counts) {}

const isa::RegisterUse& ValueFate::use_of(const isa::Instruction& instruction) {
  const auto [known, is_new] = known_.try_emplace(&instruction);
  if (is_new) known->second = uses_.of(instruction);
  return known->second;
}

const isa::VectorRegisters& ValueFate::results(const isa::Instruction& instruction) {
  return use_of(instruction).may_write;
}

ValueFate::Fate ValueFate::follow(isa::VectorRegisters& held, const isa::Instruction* begin,
                                  const isa::Instruction* end) {
  for (const isa::Instruction* in = begin; in != end; ++in) {
    const isa::RegisterUse& use = use_of(*in);
    isa::VectorRegisters read = use.reads;
    read &= held;
    const bool counts = counts_ == Counts::ByRead || !is_arithmetic(*in, use);
    if (!read.empty() && counts) return Fate::Used;
    held -= use.writes;
    if (!read.empty()) held |= use.may_write;
    if (held.empty()) return Fate::Lost;
  }
  return Fate::Unknown;
}

}  // namespace hipsight::analysis
