#include "check/racecheck.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "code/code_object.h"
#include "code/readable_name.h"
#include "engine/engine.h"

namespace hipsight::check {
namespace {

using engine::Access;
using Does = Access::Does;

/// What each wave has come to, as far as one of them can know: accesses of wave w up to its time
/// clock[w] are over.
using Clock = std::vector<std::uint32_t>;

void join(Clock& to, const Clock& from) {
  if (to.size() < from.size()) to.resize(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) to[i] = std::max(to[i], from[i]);
}

/// The last access of a kind to some bytes of a dword.
struct Touch {
  const isa::Instruction* instruction = nullptr;
  std::uint32_t time = 0;
  std::uint16_t wave = 0;
  std::uint8_t bytes = 0;  ///< of the dword
  bool atomic = false;
};
/// What was done to a dword: the last store, and loads of two waves.
struct Dword {
  Touch store;
  std::array<Touch, 2> loads;
};

}  // namespace

class Racecheck::Group final : public engine::GroupObserver {
 public:
  Group(Racecheck& all, std::uint64_t number, std::uint32_t lds_bytes)
      : all_(all), number_(number), dwords_((lds_bytes + 3) / 4) {}
  engine::Wants wants() const override { return {.regions = false}; }

  void workgroup_ends() override {
    dwords_ = {};
    clocks_ = {};
    synchronised_ = {};
  }
  void wave_begins(unsigned wave, std::uint64_t) override { clock(wave); }
  void signals(unsigned wave, unsigned barrier) override {
    join(gathered_[barrier], clock(wave));
    ++clock(wave)[wave];
  }
  void completes(unsigned barrier) override {
    completed_[barrier] = std::exchange(gathered_[barrier], {});
  }
  void passes(unsigned wave, unsigned barrier) override { join(clock(wave), completed_[barrier]); }

  void accesses(unsigned wave, const isa::Instruction& in, const Access& access) override {
    if (access.does == Does::Atomic) order_by(wave, access);
    if (access.space != Access::Space::Lds) return;
    for (std::uint64_t left = access.touching(); left; left &= left - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(left));
      const std::uint64_t begin = access.at[lane], end = begin + access.bytes_of(lane);
      for (std::uint64_t at = begin; at < end; at = at / 4 * 4 + 4) {
        const std::uint64_t last = std::min(end, at / 4 * 4 + 4);
        const auto bytes = static_cast<std::uint8_t>(((1u << (last - at)) - 1) << at % 4);
        if (at / 4 < dwords_.size()) touch(wave, in, access.does, at, bytes);
      }
    }
  }

 private:
  Clock& clock(unsigned wave) {
    if (clocks_.size() <= wave) clocks_.resize(wave + 1);
    Clock& own = clocks_[wave];
    if (own.size() <= wave) own.resize(wave + 1);
    if (own[wave] == 0) own[wave] = 1;
    return own;
  }

  /// Atomics of one address come one after the other; what was before one is before what comes
  /// after the next.
  void order_by(unsigned wave, const Access& access) {
    Clock& own = clock(wave);
    const bool lds = access.space == Access::Space::Lds;
    for (std::uint64_t left = access.touching(); left; left &= left - 1) {
      Clock& sync = synchronised_[{lds, access.at[std::countr_zero(left)]}];
      join(own, sync);
      join(sync, own);
    }
    ++own[wave];
  }

  void touch(unsigned wave, const isa::Instruction& in, Does does, std::uint64_t at,
             std::uint8_t bytes) {
    Dword& dword = dwords_[at / 4];
    const Clock& own = clock(wave);
    const Touch now{&in, own[wave], static_cast<std::uint16_t>(wave), bytes, does == Does::Atomic};
    const auto races = [&](const Touch& before) {
      return before.instruction && before.wave != wave && (before.bytes & bytes) &&
             !(before.atomic && now.atomic) &&
             (before.wave >= own.size() || own[before.wave] < before.time);
    };
    if (races(dword.store)) tell(dword.store, now, at);
    if (does == Does::Load) {
      Touch& place = dword.loads[0].wave == wave || !dword.loads[0].instruction ? dword.loads[0]
                                                                                : dword.loads[1];
      place = now;
      return;
    }
    for (const Touch& load : dword.loads)
      if (races(load)) tell(load, now, at);
    dword.store = now;
  }

  void tell(const Touch& before, const Touch& now, std::uint64_t at) {
    const bool in_order = before.instruction->address <= now.instruction->address;
    const Cause cause = in_order ? Cause{before.instruction, now.instruction}
                                 : Cause{now.instruction, before.instruction};
    if (known_.insert({cause, true}).second)
      all_.add(number_, cause,
               fmt::format("waves {} and {}, byte {:#x} of LDS", before.wave, now.wave, at));
  }

  Racecheck& all_;
  const std::uint64_t number_;
  std::vector<Dword> dwords_;
  std::vector<Clock> clocks_;
  std::map<unsigned, Clock> gathered_, completed_;  ///< by barrier
  std::map<std::pair<bool, std::uint64_t>, Clock> synchronised_;
  std::map<Cause, bool> known_;
};

void Racecheck::launch_begins(const engine::LaunchFacts& launch) {
  lds_bytes_ = launch.lds_bytes;
  listing_ = &launch.listing;
  kernel_ = code::readable_name(launch.dispatch.kernel->name);
}

engine::GroupObserver* Racecheck::begins(std::uint64_t workgroup) {
  if (lds_bytes_ == 0) return nullptr;
  const std::lock_guard lock(mutex_);
  auto& group = groups_[workgroup];
  group = std::make_unique<Group>(*this, workgroup, lds_bytes_);
  return group.get();
}

void Racecheck::add(std::uint64_t workgroup, const Cause& cause, const std::string& where) {
  const std::lock_guard lock(mutex_);
  const auto [known, is_new] =
      found_.try_emplace({cause.first->address, cause.second->address}, First{});
  First& first = known->second;
  ++first.finding.count;
  if (!is_new && workgroup >= first.workgroup) return;
  first.workgroup = workgroup;
  first.finding.tool = "racecheck";
  first.finding.address = cause.first->address;
  first.finding.other = cause.second->address;
  first.finding.text = text(cause, workgroup, where);
}

std::string Racecheck::text(const Cause& cause, std::uint64_t workgroup,
                            const std::string& where) const {
  const auto side = [&](const isa::Instruction& in) {
    std::string text = fmt::format("{:#x} {}", in.address, listing_->text(in));
    if (const auto line = listing_->line(in))
      text = fmt::format("{}:{}: {}", line->file, line->line, text);
    return text;
  };
  const auto does = [](const isa::Instruction& in) {
    const isa::MemoryAccess& memory = in.row->memory;
    return memory.atomic() ? "atomic" : memory.stores() ? "store" : "load";
  };
  return fmt::format(
      "race in LDS: a {} and a {} of two waves, with no barrier between\n  kernel      {}\n"
      "  {:<12}{}\n  {:<12}{}\n  workgroup   {}, {}",
      does(*cause.first), does(*cause.second), kernel_, does(*cause.first), side(*cause.first),
      does(*cause.second), side(*cause.second), workgroup, where);
}

std::vector<Finding> Racecheck::findings() const {
  const std::lock_guard lock(mutex_);
  std::vector<Finding> all;
  for (const auto& [cause, first] : found_) all.push_back(first.finding);
  return all;
}

}  // namespace hipsight::check
