#include "profile/fidelity.h"

namespace hipsight::profile {

void FidelitySummary::add(const engine::Result& result) {
  const bool exact_matrix = result.matrix == engine::MatrixMode::Exact;
  for (const engine::InstructionCount& count : result.counts) {
    executions += count.executions;
    const isa::FidelityNote note = isa::fidelity_of(*count.instruction, exact_matrix);
    if (note.fidelity == isa::Fidelity::Exact) continue;
    Inexact& sum = inexact[count.instruction->name()];
    sum.note = note;
    sum.executions += count.executions;
  }
}

void FidelitySummary::add(const FidelitySummary& other) {
  executions += other.executions;
  for (const auto& [name, of] : other.inexact) {
    Inexact& sum = inexact[name];
    sum.note = of.note;
    sum.executions += of.executions;
  }
}

std::uint64_t FidelitySummary::executions_of(isa::Fidelity fidelity) const {
  std::uint64_t sum = 0, others = 0;
  for (const auto& [name, of] : inexact) {
    others += of.executions;
    if (of.note.fidelity == fidelity) sum += of.executions;
  }
  return fidelity == isa::Fidelity::Exact ? executions - others : sum;
}

}  // namespace hipsight::profile
