#include "engine/watch/order_watch.h"

#include <fmt/format.h>

#include <bit>

#include "engine/memory/overruns.h"

namespace hipsight::engine {

using Fate = analysis::ValueFate::Fate;

OrderWatch::Byte& OrderWatch::byte(std::uint64_t at) {
  if (at >= bytes_.size()) bytes_.resize(at + 1);
  Byte& byte = bytes_[at];
  if (byte.phase != phase_) byte = {.phase = phase_};
  return byte;
}

void OrderWatch::load(std::uint64_t at, unsigned wave, const isa::Instruction& instruction) {
  Byte& byte = this->byte(at);
  // A wave that loads it again sees what was stored meanwhile.
  if (byte.overwritten != none && overwrites_[byte.overwritten].first.wave == wave)
    overwrites_[byte.overwritten].first.wave = none;
  if (byte.loads[0].wave != wave) byte.loads[1] = byte.loads[0];
  const std::size_t regions = paths_[wave].size();  // none: the wave was not seen to enter one
  byte.loads[0] = {wave, &instruction, regions ? regions - 1 : 0};
  if (disputed_.empty()) return;
  if (const auto dispute = disputed_.find(at); dispute != disputed_.end()) {
    tell(dispute->second);
    disputed_.erase(dispute);
  }
}

void OrderWatch::store(std::uint64_t at, unsigned wave, const isa::Instruction& instruction) {
  Byte& byte = this->byte(at);
  dispute(byte, at, wave, instruction);
  if (byte.overwritten != none) return;
  for (const Byte::Use& load : byte.loads)
    if (load.wave != none && load.wave != wave) {
      byte.overwritten = static_cast<std::uint32_t>(overwrites_.size());
      overwrites_.push_back({at, group_.lds[at], load, wave, &instruction});
      return;
    }
}

void OrderWatch::dispute(Byte& byte, std::uint64_t at, unsigned wave,
                         const isa::Instruction& instruction) {
  if (!disputed_.empty()) disputed_.erase(at);
  const Byte::Use before = byte.stored;
  byte.stored = {wave, &instruction};
  const auto atomic = [](const isa::Instruction& in) { return in.row->memory.atomic(); };
  if (byte.disputed || before.wave == none || before.wave == wave ||
      before.instruction == &instruction || (atomic(*before.instruction) && atomic(instruction)))
    return;
  byte.disputed = true;
  disputes_.push_back({at, group_.lds[at], before, wave, &instruction});
}

void OrderWatch::accesses(unsigned wave, const isa::Instruction& instruction,
                          const Access& access) {
  if (access.space != Access::Space::Lds) return;
  if (phase_ != group_.phase) settle();
  ++accesses_;
  if (wave >= paths_.size()) paths_.resize(wave + 1);
  const auto [known, is_new] = uses_.try_emplace(&instruction);
  if (is_new) known->second = analysis::lds_use(instruction);
  for (std::uint64_t left = access.touching(); left; left &= left - 1) {
    const std::uint64_t first = access.at[std::countr_zero(left)];
    // What lies beyond the workgroup's LDS is told elsewhere.
    if (first >= group_.lds_bytes || access.bytes > group_.lds_bytes - first) continue;
    for (std::uint64_t at = first; at < first + access.bytes; ++at) {
      if (known->second.stores) store(at, wave, instruction);
      if (known->second.loads) load(at, wave, instruction);
    }
  }
}

void OrderWatch::enters(unsigned wave, std::uint32_t region, std::uint64_t) {
  if (phase_ != group_.phase) settle();
  ++accesses_;
  if (wave >= paths_.size()) paths_.resize(wave + 1);
  paths_[wave].push_back(region);
  if (suspects_.empty()) return;
  const auto regions = group_.launch->program->regions();
  const isa::Instruction* const begin = regions[region].first;
  std::erase_if(suspects_, [&](Suspect& suspect) {
    if (suspect.overwrite.first.wave != wave) return false;
    const Fate fate = fates().follow(suspect.held, begin, begin + regions[region].count);
    if (fate == Fate::Used) tell(suspect.overwrite);
    return fate != Fate::Unknown;
  });
}

void OrderWatch::settle() {
  if (!polls_) {
    for (const Overwrite& overwrite : overwrites_)
      if (overwrite.first.wave != none && group_.lds[overwrite.at] != overwrite.before)
        suspect(overwrite);
    for (const Overwrite& dispute : disputes_)
      if (group_.lds[dispute.at] != dispute.before) disputed_.insert_or_assign(dispute.at, dispute);
  }
  overwrites_.clear();
  disputes_.clear();
  for (auto& path : paths_)
    if (!path.empty()) path.erase(path.begin(), path.end() - 1);
  phase_ = group_.phase;
  polls_ = false;
}

void OrderWatch::suspect(const Overwrite& overwrite) {
  const Byte::Use& load = overwrite.first;
  if (!seen_.insert({load.instruction, overwrite.store, load.wave}).second) return;
  Suspect suspect{overwrite, fates().results(*load.instruction)};
  // What goes to memory is used at once.
  if (suspect.held.empty()) return tell(overwrite);
  const auto regions = group_.launch->program->regions();
  const auto& path = paths_[load.wave];
  Fate fate = Fate::Unknown;
  for (std::size_t i = load.region; i < path.size() && fate == Fate::Unknown; ++i) {
    const Region& region = regions[path[i]];
    fate = fates().follow(suspect.held, i == load.region ? load.instruction + 1 : region.first,
                          region.first + region.count);
  }
  if (fate == Fate::Used) tell(overwrite);
  if (fate == Fate::Unknown) suspects_.push_back(suspect);
}

analysis::ValueFate& OrderWatch::fates() {
  const code::Target& target = group_.launch->program->object().target();
  if (!fates_) fates_.emplace(target.processor, target.has_sram_ecc());
  return *fates_;
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
                                 place(*overwrite.first.instruction), place(*overwrite.store)))
             .second)
      return;
  }
  if (overruns.tell)
    overruns.tell(report_order(*group_.waves[overwrite.wave], *overwrite.first.instruction,
                               overwrite.first.wave, *overwrite.store, overwrite.at));
}

}  // namespace hipsight::engine
