#include "check/racecheck.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <set>
#include <string_view>
#include <utility>

#include "code/code_object.h"
#include "code/readable_name.h"
#include "engine/engine.h"
#include "isa/scope.h"
#include "isa/waits.h"

namespace hipsight::check {
namespace {

using engine::Access;
using Does = Access::Does;
using Atomic = Touch::Atomic;
using Fate = analysis::ValueFate::Fate;

Atomic atomic_of(const isa::Instruction& in, const Access& access) {
  if (access.space == Access::Space::Lds)
    return access.does == Does::Atomic ? Atomic::Yes : Atomic::No;
  const bool wide = access.scope >= isa::Scope::Agent;
  if (access.does == Does::Atomic) return wide ? Atomic::Yes : Atomic::Narrow;
  if (access.does == Does::Load) return access.synchronises ? Atomic::Yes : Atomic::No;
  const bool may_be = wide || !isa::stores_say_scope(in.gfx);
  return may_be && access.bytes <= 8 ? Atomic::Maybe : Atomic::No;
}

/// Whether both are made for this: neither of them is torn, and each sees the other's value.
/// `asked_for`: what is stored there is a flag.
bool agree(Atomic a, Atomic b, bool same_workgroup, bool asked_for) {
  const auto counts = [&](Atomic one) {
    return one == Atomic::Yes || (same_workgroup && one == Atomic::Narrow);
  };
  const auto may = [&](Atomic one) { return counts(one) || one == Atomic::Maybe; };
  return may(a) && may(b) && (asked_for || counts(a) || counts(b));
}

/// Whether a load comes to nothing where the other one has changed what it loaded: it is what a
/// compare-and-swap expects.
bool is_tried_again(const isa::Instruction& a, const isa::Instruction& b) {
  const isa::MemoryAccess &one = a.row->memory, &other = b.row->memory;
  return (!one.stores() && other.atomic() && other.operands == 2) ||
         (!other.stores() && one.atomic() && one.operands == 2);
}

}  // namespace

class Racecheck::Group final : public engine::GroupObserver {
 public:
  Group(Racecheck& all, std::uint64_t number)
      : all_(all),
        number_(static_cast<std::uint32_t>(number)),
        order_(all.launch_, number_),
        lds_(std::move(all.free_lds_)) {
    lds_.assign((all.lds_bytes_ + 3) / 4, {});
  }
  engine::Wants wants() const override { return {.ordering = true}; }

  void wave_begins(unsigned wave, std::uint64_t) override { order_.time(wave); }
  void wave_ends(unsigned wave) override {
    settle();
    std::erase_if(unused_, [&](const Unused& one) { return one.wave == wave; });
  }
  void workgroup_ends() override {
    settle();
    all_.free_lds_ = std::exchange(lds_, {});
    paths_ = {};
    order_.ends();
  }
  void enters(unsigned wave, std::uint32_t region, std::uint64_t) override {
    order_.advances(wave);
    path(wave).taken.push_back({order_.time(wave), region});
    if (unused_.empty()) return;
    const auto [begin, end] = all_.region(region);
    std::erase_if(unused_, [&](Unused& one) {
      if (one.wave != wave) return false;
      const Fate fate = all_.fates_->follow(one.held, begin, end);
      if (fate == Fate::Used) tell(one.race);
      return fate != Fate::Unknown;
    });
  }
  void signals(unsigned wave, const engine::Signal& signal) override {
    settle();
    order_.signals(wave, signal.barrier);
    // A load may race with what others do before the next barrier, too.
    Path& path = this->path(wave);
    path.taken.erase(path.taken.begin(), path.taken.begin() + path.before_barrier);
    path.before_barrier = std::max<std::ptrdiff_t>(0, std::ssize(path.taken) - 1);
  }
  void completes(unsigned barrier) override { order_.completes(barrier); }
  void passes(unsigned wave, unsigned barrier) override { order_.passes(wave, barrier); }
  void orders(unsigned wave, const isa::Instruction& in,
              const engine::Ordering& ordering) override {
    if (ordering.waits && isa::wait_of(in)[stores_of(in)] == 0) order_.drains(wave);
    if (ordering.caches.invalidates && ordering.caches.scope >= isa::Scope::Agent)
      order_.acquires(wave);
  }

  void accesses(unsigned wave, const isa::Instruction& in, const Access& access) override {
    settle();
    const bool lds = access.space == Access::Space::Lds;
    if (access.space == Access::Space::Scratch) return;
    const Atomic atomic = atomic_of(in, access);
    if (!lds) {
      order_.accesses(wave);
      if (atomic != Atomic::No && access.stores()) order_.publishes(wave);
    }
    if (access.does == Does::Atomic)
      for (std::uint64_t left = access.touching(); left; left &= left - 1)
        order_.meets(wave, lds, access.at[std::countr_zero(left)]);
    Touch now{.instruction = reinterpret_cast<std::uintptr_t>(&in) & ((1ull << 48) - 1),
              .wave = wave,
              .atomic = static_cast<std::uint64_t>(atomic),
              .workgroup = number_,
              .time = order_.time(wave)};
    std::uint64_t last_begin = ~0ull, last_end = 0;
    for (std::uint64_t left = access.touching(); left; left &= left - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(left));
      const std::uint64_t begin = access.at[lane], end = begin + access.bytes_of(lane);
      if (begin == last_begin && end == last_end && access.does == Does::Load) continue;
      last_begin = begin, last_end = end;
      for (std::uint64_t at = begin & ~3ull; at < end; at += 4) {
        const std::uint64_t from = std::max(begin, at), to = std::min(end, at + 4);
        now.bytes = ((1u << (to - from)) - 1) << (from - at);
        if (lds && at / 4 < lds_.size()) touch(lds_[at / 4], now, access.does, true, at);
        if (lds) continue;
        if (Dword* dword = all_.shadow_.at(at)) touch(*dword, now, access.does, false, at);
      }
    }
  }

 private:
  static std::size_t stores_of(const isa::Instruction& in) {
    return static_cast<std::size_t>(isa::counter_of(in.gfx, isa::Counter::Store));
  }

  void touch(Dword& dword, const Touch& now, Does does, bool lds, std::uint64_t at) {
    // Lanes of one instruction that load the same.
    if (does == Does::Load && (dword.loads[0] == now || dword.loads[1] == now)) return;
    const auto wave = static_cast<unsigned>(now.wave);
    const auto races = [&](const Touch& before) {
      return (before.bytes & now.bytes) && !before.of_same_wave(now) &&
             !agree(before.is_atomic(), now.is_atomic(), before.workgroup == number_,
                    dword.store.asked_for) &&
             !order_.is_over(wave, before.workgroup, static_cast<unsigned>(before.wave),
                             before.time) &&
             !is_tried_again(before.in(), now.in());
    };
    if (races(dword.store)) {
      if (!lds && does == Does::Store && !dword.store.in().row->memory.atomic())
        both_store(dword.store, now, at);
      else if (does == Does::Load)
        loaded({dword.store, now, lds, at}, now);
      else
        tell({dword.store, now, lds, at});
    }
    if (!lds && now.is_atomic() == Atomic::Yes) {
      if (dword.store.bytes && dword.store.is_atomic() != Atomic::No &&
          dword.store.workgroup != number_)
        order_.sees(wave, dword.store.time);
      dword.store.asked_for = 1;
    }
    if (does == Does::Load) {
      Touch& first = dword.loads[0];
      (first.bytes == 0 || first.of_same_wave(now) ? first : dword.loads[1]) = now;
      return;
    }
    for (const Touch& load : dword.loads)
      if (races(load)) loaded({load, now, lds, at}, load);
    const bool asked_for = dword.store.asked_for;
    dword.store = now;
    dword.store.asked_for = asked_for;
    dword.loads = {};
  }

  /// Both may store the same, which harms nobody: that shows once the second one has stored.
  void both_store(const Touch& before, const Touch& now, std::uint64_t at) {
    std::uint32_t value = 0;
    std::memcpy(&value, reinterpret_cast<const void*>(at), sizeof value);
    suspects_.emplace_back(Race{before, now, false, at}, value);
  }
  void settle() {
    if (suspects_.empty()) return;
    for (const auto& [race, before] : suspects_) {
      std::uint32_t value = 0;
      std::memcpy(&value, reinterpret_cast<const void*>(race.at), sizeof value);
      const std::uint32_t changed = value ^ before;
      for (unsigned byte = 0; byte < 4; ++byte)
        if (race.before.bytes & race.now.bytes & 1u << byte && changed >> 8 * byte & 0xff) {
          tell(race);
          break;
        }
    }
    suspects_.clear();
  }

  /// A load that races harms nobody where its wave makes nothing of what it loads: a pipeline's
  /// last one, that reads a tile that is not there.
  void loaded(const Race& race, const Touch& load) {
    const auto wave = static_cast<unsigned>(load.wave);
    if (load.workgroup != number_ || known_.contains(cause_of(race))) return tell(race);
    int& followed = followed_[cause_of(race)];
    if (followed >= most_followed || unused_.size() >= most_at_once) return;
    if (!looked_at_.insert({cause_of(race), wave, load.time}).second) return;
    ++followed;
    Unused one{race, wave, all_.fates_->results(load.in())};
    // What goes to memory or scalar registers is used at once.
    if (one.held.empty()) return tell(race);
    const auto& taken = path(wave).taken;
    auto at = std::ranges::upper_bound(taken, load.time, {}, &Taken::time);
    if (at != taken.begin()) --at;
    Fate fate = Fate::Unknown;
    for (const isa::Instruction* from = &load.in() + 1; at != taken.end() && fate == Fate::Unknown;
         ++at) {
      const auto [begin, end] = all_.region(at->region);
      if (!from) from = begin;
      if (from < begin || from > end) return tell(race);  // a path that is not known so far back
      fate = all_.fates_->follow(one.held, std::exchange(from, nullptr), end);
    }
    if (fate == Fate::Used) tell(race);
    if (fate == Fate::Unknown) unused_.push_back(one);
  }

  using Cause = std::tuple<std::uint64_t, std::uint64_t, bool>;
  static Cause cause_of(const Race& race) {
    return {race.before.instruction, race.now.instruction, race.lds};
  }
  void tell(const Race& race) {
    if (known_.insert(cause_of(race)).second) all_.add(race);
  }

  /// What a wave has come through, since the barrier before its last one.
  struct Taken {
    Time time;
    std::uint32_t region;
  };
  struct Path {
    std::vector<Taken> taken;
    std::ptrdiff_t before_barrier = 0;  ///< of those
  };
  Path& path(unsigned wave) {
    if (paths_.size() <= wave) paths_.resize(wave + 1);
    return paths_[wave];
  }
  /// A race with a load whose registers nobody has read yet.
  struct Unused {
    Race race;
    unsigned wave;
    isa::VectorRegisters held;
  };
  static constexpr int most_followed = 1000;       ///< loads of a cause
  static constexpr std::size_t most_at_once = 64;  ///< of all

  Racecheck& all_;
  const std::uint32_t number_;
  Order order_;
  std::vector<Dword> lds_;
  std::vector<std::pair<Race, std::uint32_t>> suspects_;  ///< with the dword before the second one
  std::vector<Path> paths_;                               ///< of waves
  std::vector<Unused> unused_;
  std::set<Cause> known_;
  std::map<Cause, int> followed_;  ///< loads of it
  std::set<std::tuple<Cause, unsigned, Time>> looked_at_;
};

void Racecheck::launch_begins(const engine::LaunchFacts& launch) {
  lds_bytes_ = launch.lds_bytes;
  listing_ = &launch.listing;
  const code::Target& target = launch.listing.target();
  fates_.emplace(target.processor, target.has_sram_ecc(), analysis::ValueFate::Counts::ByEffect);
  kernel_ = code::readable_name(launch.dispatch.kernel->name);
}

std::pair<const isa::Instruction*, const isa::Instruction*> Racecheck::region(
    std::uint32_t number) {
  if (number >= regions_.size()) regions_ = listing_->regions();
  const engine::RegionOfCode& region = regions_[number];
  return {region.first, region.first + region.count};
}

engine::GroupObserver* Racecheck::begins(std::uint64_t workgroup) {
  auto& group = groups_[workgroup];
  group = std::make_unique<Group>(*this, workgroup);
  return group.get();
}

/// Whether it is memory of malloc in kernels: its allocator hands it from one workgroup to another
/// in its own ways.
bool Racecheck::in_heap(std::uint64_t address) const {
  const auto in = memory_ ? memory_->find(address) : std::nullopt;
  return in && (in->label == engine::Memory::kernels_heap ||
                in->label == engine::Memory::kernels_heap_head);
}

void Racecheck::add(const Race& race) {
  if (!race.lds && in_heap(race.at)) return;
  const auto [first, second] = std::minmax(race.before.in().address, race.now.in().address);
  const auto [known, is_new] = found_.try_emplace({first, second, race.lds});
  Finding& finding = known->second;
  ++finding.count;
  if (!is_new) return;
  // The first one of the program comes first.
  const bool in_order = race.before.in().address <= race.now.in().address;
  finding = {.tool = "racecheck",
             .text = text(race),
             .count = 1,
             .address = first,
             .other = second,
             .kernel = kernel_,
             .at = location_of(*listing_, (in_order ? race.before : race.now).in()),
             .second = location_of(*listing_, (in_order ? race.now : race.before).in())};
}

std::string Racecheck::text(const Race& race) const {
  const auto does = [](const Touch& touch) {
    const isa::MemoryAccess& memory = touch.in().row->memory;
    return memory.atomic() ? "an atomic" : memory.stores() ? "a store" : "a load";
  };
  const auto side = [&](const Touch& touch) {
    const std::string_view what = does(touch);
    return fmt::format("  {:<12}{}\n", what.substr(what.find(' ') + 1),
                       place_text(*listing_, touch.in()));
  };
  // The first one of the program comes first.
  const bool in_order = race.before.in().address <= race.now.in().address;
  const Touch& first = in_order ? race.before : race.now;
  const Touch& second = in_order ? race.now : race.before;
  const bool one = first.workgroup == second.workgroup;
  const std::uint64_t byte =
      race.at + static_cast<unsigned>(std::countr_zero(std::uint64_t{first.bytes} & second.bytes));
  std::string place = fmt::format("byte {:#x}", byte);
  if (race.lds) {
    place += " of LDS";
  } else if (const auto in = memory_ ? memory_->find(byte) : std::nullopt) {
    place = fmt::format("byte {} of {}, {} bytes", byte - in->begin, in->label, in->size);
  }
  return fmt::format(
      "race in {}: {} and {} of two {}\n  kernel      {}\n{}{}  {}",
      race.lds ? "LDS" : "global memory", does(first), does(second),
      one ? "waves, with no barrier between" : "workgroups, with nothing that orders them", kernel_,
      side(first), side(second),
      one ? fmt::format("workgroup   {}, waves {} and {}, {}", first.workgroup,
                        std::uint64_t{first.wave}, std::uint64_t{second.wave}, place)
          : fmt::format("workgroups  {} (wave {}) and {} (wave {}), {}", first.workgroup,
                        std::uint64_t{first.wave}, second.workgroup, std::uint64_t{second.wave},
                        place));
}

std::vector<Finding> Racecheck::findings() const {
  std::vector<Finding> all;
  for (const auto& [cause, finding] : found_) all.push_back(finding);
  return all;
}

}  // namespace hipsight::check
