#include "explain/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "explain/transforms.h"
#include "support/quantity.h"

namespace hipsight::explain {
namespace {

using profile::LaunchTrace;
using Space = engine::Access::Space;

/// What transforms are simulated of. Of 28 kernels a million instructions were 0.0 % off, median
/// (docs/timing.md).
constexpr std::uint64_t instructions_enough = 1'000'000;
/// Of several steps of one kind the least is told that gains nearly as much as the best one.
constexpr double nearly = 0.95;

/// What instructions ask for beyond the least, and the one that does most.
struct Waste {
  double all = 0, least = 0;
  std::map<const isa::Instruction*, std::pair<double, double>> by_instruction;  ///< all, least

  void add(const isa::Instruction* instruction, double now, double least_of_it) {
    all += now;
    least += least_of_it;
    by_instruction[instruction].first += now;
    by_instruction[instruction].second += least_of_it;
  }
  /// Several alike: the first by address, on every host.
  const isa::Instruction* worst() const {
    const auto waste = [](const auto& one) { return one.second.first - one.second.second; };
    const auto before = [&](const auto& a, const auto& b) {
      return waste(a) < waste(b) || (waste(a) == waste(b) && a.first->address > b.first->address);
    };
    const auto most = std::max_element(by_instruction.begin(), by_instruction.end(), before);
    return most == by_instruction.end() ? nullptr : most->first;
  }
  double share() const { return all > 0 ? 1 - least / all : 0; }
};

template <class Wasted>
Waste waste_of(const LaunchTrace& trace, Wasted&& add) {
  Waste waste;
  for (const profile::GroupTrace& group : trace.neighbours())
    for (const profile::WaveTrace& wave : group.waves)
      for (const profile::Request& request : wave.requests) add(waste, request);
  return waste;
}

class Adviser {
 public:
  Adviser(const Launch& launch, const timing::Prediction& now, std::uint32_t spilled)
      : launch_(launch), now_(now), spilled_(spilled), seconds_(now.seconds) {
    launch_.assumptions.more_waves = false;
    if (launch_.assumptions.instructions > instructions_enough) {
      launch_.assumptions.instructions = instructions_enough;
      seconds_ = launch_.predict().seconds;
    }
  }

  std::vector<Advice> all() {
    if (now_.cycles == 0) return {};
    bank_conflicts();
    uncoalesced();
    spills();
    occupancy();
    grid();
    launch_overhead();
    std::erase_if(found_, [](const Advice& a) { return a.gain < worth_telling; });
    std::ranges::stable_sort(found_, std::ranges::greater(), &Advice::gain);
    return std::move(found_);
  }

 private:
  double gain_of(Changed& then) const { return 1 - then.predict().seconds / seconds_; }
  double gain_of(std::string_view id) const {
    const Transform& change = *transform(id);
    Changed then(launch_);
    change.apply(then, *change.usual);
    return gain_of(then);
  }

  void bank_conflicts() {
    const Waste waste = waste_of(*launch_.trace, [](Waste& w, const profile::Request& r) {
      if (r.space == Space::Lds)
        w.add(r.instruction, r.lds_cycles, std::min(r.lds_cycles, r.least));
    });
    if (waste.share() <= 0) return;
    found_.push_back({.id = explain::bank_conflicts,
                      .change = "pad or swizzle the rows in LDS: its lanes meet in banks",
                      .evidence = fmt::format("{:.0f} % of the cycles of LDS are bank conflicts",
                                              100 * waste.share()),
                      .at = waste.worst(),
                      .gain = gain_of(explain::bank_conflicts)});
  }

  void uncoalesced() {
    const Waste waste = waste_of(*launch_.trace, [](Waste& w, const profile::Request& r) {
      if (r.space == Space::Global && !r.instruction->row->memory.atomic())
        w.add(r.instruction, r.count, std::min<unsigned>(r.count, r.least));
    });
    if (waste.share() <= 0) return;
    const isa::Instruction* const worst = waste.worst();
    const auto& [lines, least] = waste.by_instruction.at(worst);
    found_.push_back(
        {.id = explain::uncoalesced,
         .change = "let adjacent lanes access adjacent addresses",
         .evidence = fmt::format("its requests touch {:.1f} times the lines of memory that their "
                                 "bytes fill",
                                 lines / std::max(1.0, least)),
         .at = worst,
         .gain = gain_of(explain::uncoalesced)});
  }

  void spills() {
    if (!spilled_) return;
    const Waste waste = waste_of(*launch_.trace, [](Waste& w, const profile::Request& r) {
      if (r.space == Space::Scratch) w.add(r.instruction, r.count, 0);
    });
    if (waste.all == 0) return;
    found_.push_back({.id = explain::spills,
                      .change = "hold fewer values at a time, so that registers do not spill",
                      .evidence = fmt::format("the compiler spills {} VGPR{} to memory", spilled_,
                                              spilled_ == 1 ? "" : "s"),
                      .at = waste.worst(),
                      .gain = gain_of(explain::spills)});
  }

  /// Fewer VGPRs or less LDS, step by step, until something else limits.
  void occupancy() {
    const timing::Occupancy& held = launch_.occupancy;
    if (held.workgroups == 0 || now_.workgroups_per_cu <= held.workgroups) return;
    constexpr std::size_t most_steps = 3;
    std::vector<Advice> steps;
    Changed then(launch_);
    const timing::Resources &now = launch_.resources, &less = then.resources();
    while (steps.size() < most_steps && transform(explain::occupancy)->apply(then, 0).empty()) {
      std::vector<std::string> change;
      if (less.vgprs < now.vgprs)
        change.push_back(fmt::format("at most {} VGPRs, not {}", less.vgprs, now.vgprs));
      if (less.lds_bytes < now.lds_bytes)
        change.push_back(
            fmt::format("at most {} B of LDS a workgroup, not {}", less.lds_bytes, now.lds_bytes));
      const double gain = gain_of(then);
      const timing::Occupancy& waves = then.launch().occupancy;
      steps.push_back(
          {.id = explain::occupancy,
           .change = fmt::format("take {}: {:.3g} of {} waves a SIMD", fmt::join(change, " and "),
                                 waves.waves_per_simd(), waves.max_waves_per_simd),
           .evidence = timing::text(held),
           .gain = gain});
    }
    add_least(std::move(steps));
  }

  /// More and smaller workgroups, where compute units are left without.
  void grid() {
    using Kind = timing::Bound::Kind;
    const bool few = now_.bound.kind == Kind::Grid;
    if (!few && now_.bound.kind != Kind::Tail) return;
    std::vector<Advice> steps;
    for (const unsigned parts : {2u, 4u, 8u, 16u}) {
      Changed then(launch_);
      if (!transform(explain::small_grid)->apply(then, parts).empty()) break;
      steps.push_back(
          {.id = few ? explain::small_grid : explain::tail,
           .change = fmt::format("share its work among {} times as many workgroups", parts),
           .evidence = timing::text(now_.bound),
           .gain = gain_of(then)});
    }
    add_least(std::move(steps));
  }

  void launch_overhead() {
    if (now_.launch_seconds < worth_telling * now_.seconds) return;
    found_.push_back(
        {.id = explain::launch_overhead,
         .change = "do in one launch what several do",
         .evidence = fmt::format("{} of {} are the launch itself{}", duration(now_.launch_seconds),
                                 duration(now_.seconds),
                                 launch_.gpu->launch_us ? "" : ", which is not known of this GPU"),
         .gain = gain_of(explain::launch_overhead),
         .but_first = true});
  }

  void add_least(std::vector<Advice> steps) {
    if (steps.empty()) return;
    const double best = std::ranges::max(steps, {}, &Advice::gain).gain;
    if (!(best >= worth_telling)) return;
    found_.push_back(std::move(
        *std::ranges::find_if(steps, [&](const Advice& a) { return a.gain >= nearly * best; })));
  }

  Launch launch_;
  const timing::Prediction& now_;
  const std::uint32_t spilled_;
  double seconds_;  ///< as the model says with what is simulated here
  std::vector<Advice> found_;
};

}  // namespace

std::vector<Advice> advise(const Launch& launch, const timing::Prediction& now,
                           std::uint32_t spilled) {
  return Adviser(launch, now, spilled).all();
}

}  // namespace hipsight::explain
