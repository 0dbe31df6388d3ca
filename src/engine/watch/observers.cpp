#include "engine/watch/observers.h"

#include <algorithm>
#include <bit>

#include "engine/launch/workgroup.h"
#include "engine/watch/observe.h"
#include "isa/waits.h"

namespace hipsight::engine {

void Observers::clear() {
  all_.clear();
  positions_.clear();
  sort_out();
}

void Observers::add(GroupObserver& one) {
  all_.push_back(&one);
  sort_out();
}

void Observers::sort_out() {
  of_regions_.clear();
  of_accesses_.clear();
  of_ordering_.clear();
  for (GroupObserver* one : all_) {
    const Wants wants = one->wants();
    if (wants.regions) of_regions_.push_back(one);
    if (wants.accesses) of_accesses_.push_back(one);
    if (wants.ordering) of_ordering_.push_back(one);
  }
}

void Observers::wave_begins(unsigned wave, std::uint64_t exec) {
  for (GroupObserver* one : all_) one->wave_begins(wave, exec);
}

void Observers::wave_ends(unsigned wave) {
  come_to(wave, nullptr);
  for (GroupObserver* one : all_) one->wave_ends(wave);
}

void Observers::workgroup_ends() {
  for (GroupObserver* one : all_) one->workgroup_ends();
}

void Observers::enters(unsigned wave, std::uint32_t region, std::uint64_t exec) {
  if (!of_ordering_.empty()) {
    come_to(wave, nullptr);
    if (region >= regions_.size()) regions_ = program_->regions();
    if (wave >= positions_.size()) positions_.resize(wave + 1);
    const Region& now = regions_[region];
    positions_[wave] = {now.first, now.first + now.count};
  }
  for (GroupObserver* one : of_regions_) one->enters(wave, region, exec);
}

void Observers::accesses(unsigned wave, const isa::Instruction& instruction, const Access& access) {
  come_to(wave, &instruction);
  for (GroupObserver* one : of_accesses_) one->accesses(wave, instruction, access);
}

void Observers::come_to(unsigned wave, const isa::Instruction* instruction) {
  if (wave >= positions_.size()) return;
  auto& [next, end] = positions_[wave];
  // What is told of may lie before, as an instruction with two accesses does.
  if (instruction && (instruction < next || instruction >= end)) return;
  for (const isa::Instruction* const until = instruction ? instruction : end; next < until;
       ++next) {
    const Ordering ordering{.waits = next->row->control == isa::Control::Wait,
                            .caches = isa::cache_work(*next)};
    if (!ordering.waits && !ordering.caches.writes_back && !ordering.caches.invalidates) continue;
    for (GroupObserver* one : of_ordering_) one->orders(wave, *next, ordering);
  }
}

void Observers::signals(unsigned wave, const Signal& signal) {
  come_to(wave, &signal.instruction);
  for (GroupObserver* one : all_) one->signals(wave, signal);
}
void Observers::completes(unsigned barrier) {
  for (GroupObserver* one : all_) one->completes(barrier);
}
void Observers::passes(unsigned wave, unsigned barrier) {
  for (GroupObserver* one : all_) one->passes(wave, barrier);
}

bool Observers::forgives(const Fault& fault) {
  bool forgiven = false;
  for (GroupObserver* one : all_) forgiven |= one->forgives(fault);
  return forgiven;
}

bool Observers::steps(unsigned wave) const {
  return std::ranges::any_of(all_, [&](const GroupObserver* one) { return one->steps(wave); });
}
void Observers::step(unsigned wave, const Step& step) {
  for (GroupObserver* one : all_)
    if (one->steps(wave)) one->step(wave, step);
}

bool Observers::have_enough() {
  if (std::erase_if(all_, [](const GroupObserver* one) { return one->enough(); })) sort_out();
  return all_.empty();
}

bool Observers::spins(unsigned wave) {
  bool any = false;
  for (GroupObserver* one : all_) any |= one->spins(wave);
  return any;
}

std::string ProgramListing::text(const isa::Instruction& instruction) const {
  return program_.text(instruction);
}
std::optional<code::SourceLine> ProgramListing::line(const isa::Instruction& instruction) const {
  const Program::Place place = program_.place_of(instruction);
  return place.object->line(place.address);
}

std::vector<RegionOfCode> ProgramListing::regions() const {
  const std::vector<Region> all = program_.regions();
  return {all.begin(), all.end()};
}
const code::Target& ProgramListing::target() const {
  return program_.object().target();
}

void observe_region(const Wave& w, const Op* op) {
  w.observers->enters(w.index_in_group, op->counter, w.exec() & w.full);
}

void observe_access(const Wave& w, const Op* op, Access access) {
  const isa::Instruction& in = *op->instruction;
  access.lanes = w.lanes;
  access.does = in.row->memory.does;
  access.scope = access.space == Access::Space::Lds ? isa::Scope::Workgroup : isa::scope_of(in);
  access.synchronises = isa::is_synchronising(in);
  std::uint64_t offsets[64];
  if (access.space == Access::Space::Scratch) {
    const auto begin = reinterpret_cast<std::uintptr_t>(w.group->waves.front()->scratch);
    for (std::uint64_t left = access.mask; left; left &= left - 1) {
      const int lane = std::countr_zero(left);
      offsets[lane] = access.at[lane] - begin;
    }
    access.at = offsets;
  }
  w.observers->accesses(w.index_in_group, in, access);
}

void observe_lds_half(const Wave& w, const Op* op, unsigned bytes, std::uint64_t mask,
                      std::uint64_t first, unsigned stride) {
  std::uint64_t at[64];
  Access access{.space = Access::Space::Lds,
                .bytes = bytes,
                .lanes = w.lanes,
                .mask = mask,
                .at = at,
                .does = Access::Does::Store,
                .scope = isa::Scope::Workgroup};
  if (op->instruction->row->memory.stores()) access.does = Access::Does::Load;
  for (unsigned lane = 0; lane < w.lanes; ++lane) {
    at[lane] = first + lane * stride;
    if (at[lane] + bytes > w.lds_bytes) access.faults |= mask & 1ull << lane;
  }
  w.observers->accesses(w.index_in_group, *op->instruction, access);
}

}  // namespace hipsight::engine
