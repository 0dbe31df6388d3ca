#include "engine/order_watch.h"

#include <fmt/format.h>

#include <bit>

#include "engine/overruns.h"

namespace hipsight::engine {

OrderWatch::Byte& OrderWatch::byte(std::uint64_t at) {
  if (at >= bytes_.size()) bytes_.resize(at + 1);
  Byte& byte = bytes_[at];
  if (byte.phase != phase_) byte = {.phase = phase_, .overwritten = none, .loads = {}};
  return byte;
}

void OrderWatch::load(std::uint64_t at, unsigned wave, const isa::Instruction& instruction) {
  Byte& byte = this->byte(at);
  // A wave that loads it again sees what was stored meanwhile.
  if (byte.overwritten != none && overwrites_[byte.overwritten].load.wave == wave)
    overwrites_[byte.overwritten].load.wave = none;
  if (byte.loads[0].wave != wave) byte.loads[1] = byte.loads[0];
  byte.loads[0] = {wave, &instruction};
}

void OrderWatch::store(std::uint64_t at, unsigned wave, const isa::Instruction& instruction) {
  Byte& byte = this->byte(at);
  if (byte.overwritten != none) return;
  for (const Byte::Load& load : byte.loads)
    if (load.wave != none && load.wave != wave) {
      byte.overwritten = static_cast<std::uint32_t>(overwrites_.size());
      overwrites_.push_back({at, group_.lds[at], load, wave, &instruction});
      return;
    }
}

void OrderWatch::accesses(unsigned wave, const isa::Instruction& instruction,
                          const Access& access) {
  if (access.space != Access::Space::Lds) return;
  if (phase_ != group_.phase) settle();
  ++accesses_;
  const auto [known, is_new] = uses_.try_emplace(&instruction);
  if (is_new) known->second = analysis::lds_use(instruction);
  for (std::uint64_t left = access.mask; left; left &= left - 1) {
    const std::uint64_t first = access.at[std::countr_zero(left)];
    // What lies beyond the workgroup's LDS is told elsewhere.
    if (first >= group_.lds_bytes || access.bytes > group_.lds_bytes - first) continue;
    for (std::uint64_t at = first; at < first + access.bytes; ++at) {
      if (known->second.stores) store(at, wave, instruction);
      if (known->second.loads) load(at, wave, instruction);
    }
  }
}

void OrderWatch::settle() {
  if (!polls_)
    for (const Overwrite& overwrite : overwrites_)
      if (overwrite.load.wave != none && group_.lds[overwrite.at] != overwrite.before) {
        tell(overwrite);
        break;
      }
  overwrites_.clear();
  phase_ = group_.phase;
  polls_ = false;
}

void OrderWatch::tell(const Overwrite& overwrite) {
  Overruns& overruns = *group_.launch->overruns;
  // A line of the source may have become many instructions.
  const auto place = [&](const isa::Instruction& in) {
    const Program::Place at = group_.launch->program->place_of(in);
    const auto line = at.object->line(at.address);
    return line ? fmt::format("{}:{}", line->file, line->line) : fmt::format("{:#x}", at.address);
  };
  {
    const std::lock_guard lock(overruns.mutex);
    if (!overruns.ordered
             .insert(fmt::format("{} {} {}", group_.launch->dispatch->kernel->name,
                                 place(*overwrite.load.instruction), place(*overwrite.store)))
             .second)
      return;
  }
  if (overruns.tell)
    overruns.tell(report_order(*group_.waves[overwrite.wave], *overwrite.load.instruction,
                               overwrite.load.wave, *overwrite.store, overwrite.at));
}

}  // namespace hipsight::engine
