#include "explain/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "explain/on_trace.h"
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

template <class Visit>
void for_each_request(const LaunchTrace& trace, Visit&& visit) {
  for (const profile::GroupTrace& group : trace.neighbours())
    for (const profile::WaveTrace& wave : group.waves)
      for (const profile::Request& request : wave.requests) visit(request);
}

template <class Wasted>
Waste waste_of(const LaunchTrace& trace, Wasted&& add) {
  Waste waste;
  for_each_request(trace, [&](const profile::Request& request) { add(waste, request); });
  return waste;
}

/// Of waves' time, and the instruction that takes most of it.
struct Share {
  double all = 0;
  const isa::Instruction* most = nullptr;
};
template <class Counts>
Share share_of(const timing::Prediction& prediction, Counts&& counts) {
  Share share;
  for (const timing::Prediction::Hot& hot : prediction.hot) {
    if (!counts(hot)) continue;
    share.all += hot.share;
    if (!share.most) share.most = hot.at;
  }
  return share;
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
    contended();
    uncoalesced();
    narrow();
    spills();
    occupancy();
    grid();
    lanes_apart();
    loads_late(waits());
    pairs();
    results();
    loops();
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
    return change.apply(then, *change.usual).empty() ? gain_of(then) : 0;
  }

  /// Cycles of LDS beyond the least.
  Waste lds_waste(bool of_atomics) const {
    return waste_of(*launch_.trace, [&](Waste& w, const profile::Request& r) {
      if (r.space == Space::Lds && r.instruction->row->memory.atomic() == of_atomics)
        w.add(r.instruction, r.lds_cycles, std::min(r.lds_cycles, r.least));
    });
  }

  void bank_conflicts() {
    const Waste waste = lds_waste(false);
    if (waste.share() <= 0) return;
    found_.push_back({.id = explain::bank_conflicts,
                      .change = "pad or swizzle the rows in LDS: its lanes meet in banks",
                      .evidence = fmt::format("{:.0f} % of the cycles of LDS are bank conflicts",
                                              100 * waste.share()),
                      .at = waste.worst(),
                      .gain = gain_of(explain::bank_conflicts)});
  }

  void contended() {
    const Waste waste = lds_waste(true);
    if (waste.share() <= 0) return;
    found_.push_back({.id = explain::contended,
                      .change = "keep several copies of what its lanes add to in LDS, or sum in "
                                "the wave first",
                      .evidence = fmt::format("in {:.0f} % of the cycles of LDS's atomics, lanes "
                                              "wait for others of their wave",
                                              100 * waste.share()),
                      .at = waste.worst(),
                      .gain = gain_of(explain::contended)});
  }

  void uncoalesced() {
    const Waste waste = waste_of(*launch_.trace, [](Waste& w, const profile::Request& r) {
      if (r.space == Space::Global && !r.instruction->row->memory.atomic())
        w.add(r.instruction, r.count, std::min<unsigned>(r.count, r.least));
    });
    if (waste.share() <= 0) return;
    const isa::Instruction* const worst = waste.worst();
    const auto& [lines, least] = waste.by_instruction.at(worst);
    // Neighbours that begin in the middle of a line touch one line more than they fill.
    bool only_shifted = true;
    for_each_request(*launch_.trace, [&](const profile::Request& r) {
      if (r.instruction == worst) only_shifted &= r.count <= r.least + 1u;
    });
    found_.push_back(
        {.id = explain::uncoalesced,
         .change = only_shifted ? fmt::format("align rows to {} bytes",
                                              profile::request_bytes(*launch_.gpu, false))
                                : "let adjacent lanes access adjacent addresses",
         .evidence = fmt::format("its requests touch {:.1f} times the lines of memory that their "
                                 "bytes fill",
                                 lines / std::max(1.0, least)),
         .at = worst,
         .gain = gain_of(explain::uncoalesced)});
  }

  /// Accesses of few bytes that loops repeat.
  void narrow() {
    const Waste requests = waste_of(*launch_.trace, [](Waste& w, const profile::Request& r) {
      if (narrow_bytes(r)) w.add(r.instruction, 1, 0);
    });
    const isa::Instruction* const most = requests.worst();
    if (!most) return;
    found_.push_back({.id = explain::narrow,
                      .change = "access 16 bytes a lane at a time",
                      .evidence = fmt::format("a lane accesses {} of 16 bytes at a time",
                                              most->row->memory.all_bytes()),
                      .at = most,
                      .gain = gain_of(explain::narrow)});
  }

  /// Code that waves run with some of their lanes only.
  void lanes_apart() {
    double all = 0, active = 0, worst_idle = 0;
    const isa::Instruction* worst = nullptr;
    for (std::size_t i = 0; i < launch_.result->regions.size(); ++i) {
      const engine::RegionOfCode& region = launch_.result->regions[i];
      double count = 0, lanes = 0;
      for (const profile::GroupTrace& group : launch_.trace->neighbours())
        if (i < group.executions.size()) {
          count += double(group.executions[i].count);
          lanes += double(group.executions[i].lanes) / launch_.wavefront_size;
        }
      all += count * region.count;
      active += lanes * region.count;
      if (const double idle = (count - lanes) * region.count; idle > worst_idle)
        worst_idle = idle, worst = region.first;
    }
    if (!worst) return;
    found_.push_back(
        {.id = explain::divergence,
         .change = "let the lanes of a wave go the same way: sort the work, or branch by wave",
         .evidence = fmt::format("{:.0f} % of its lanes are off", 100 * (1 - active / all)),
         .at = worst,
         .gain = gain_of(explain::divergence)});
  }

  /// Loads of a loop that are waited for in the trip that issues them. What exact waits gain is
  /// told by itself: of it, what is left.
  void loads_late(double by_exact_waits) {
    Changed then(launch_);
    then.rewrite().exact_waits = by_exact_waits >= worth_telling;
    if (!transform(explain::late_loads)->apply(then, 0).empty()) return;
    const timing::Rewrite::Instructions& loads = *then.rewrite().one_trip_earlier;
    const Share late = share_of(now_, [&](const timing::Prediction::Hot& hot) {
      return loads.contains(hot.at) && hot.cause == text(timing::Stall::Load);
    });
    if (late.all < worth_telling) return;
    found_.push_back(
        {.id = explain::late_loads,
         .change = "issue the loads of the next trip of the loop before the work of this one",
         .evidence = fmt::format("{:.0f} % of its waves' time they wait for loads that the same "
                                 "trip of a loop issued",
                                 100 * late.all),
         .at = late.most,
         .gain = gain_of(then) - (then.rewrite().exact_waits ? by_exact_waits : 0)});
  }

  /// Waits for more than what is used next. The gain.
  double waits() {
    const auto is_wait = [](const timing::Prediction::Wait& w) {
      return w.of && w.at->row->field == isa::Field::Counters;
    };
    const auto longest = std::ranges::find_if(now_.waits, is_wait);
    if (longest == now_.waits.end()) return 0;
    const double gain = gain_of(explain::strong_waits);
    found_.push_back(
        {.id = explain::strong_waits,
         .change = "wait for what the next instructions use, and leave the rest under way",
         .evidence = "the instructions after it need less than it waits for",
         .at = longest->at,
         .gain = gain});
    return gain;
  }

  /// Instructions that the ones before them could do, too.
  void pairs() {
    Changed then(launch_);
    if (!transform(explain::unpacked)->apply(then, 0).empty()) return;
    std::uint64_t all = 0;
    Waste second;
    for (const engine::InstructionCount& count : launch_.result->counts) {
      if (count.instruction->row->pipe == isa::Pipe::Vector) all += count.executions;
      if (then.rewrite().without->contains(count.instruction))
        second.add(count.instruction, double(count.executions), 0);
    }
    const isa::Instruction* const most = second.worst();
    if (!most) return;
    found_.push_back({.id = explain::unpacked,
                      .change = isa::is_rdna(most->gfx)
                                    ? "let the compiler pair instructions (v_dual_*): use "
                                      "independent values in different register banks"
                                    : "compute on float2: v_pk_fma_f32 and the like",
                      .evidence = fmt::format("{:.0f} % of its vector instructions could be done "
                                              "by the ones before them",
                                              100 * second.all / double(all)),
                      .at = most,
                      .gain = gain_of(then)});
  }

  /// Results that are waited for. Compilers put s_nop where hardware does not wait by itself.
  void results() {
    const Share late = share_of(now_, [](const timing::Prediction::Hot& hot) {
      return hot.cause == text(timing::Stall::Result) ||
             (hot.cause.empty() && hot.at->is(isa::Opcode::S_NOP));
    });
    if (late.all < worth_telling) return;
    found_.push_back({.id = explain::dependent,
                      .change = "do independent work between a result and its use: more sums at a "
                                "time",
                      .evidence = fmt::format("{:.0f} % of its waves' time they wait for results, "
                                              "here most",
                                              100 * late.all),
                      .at = late.most,
                      .gain = gain_of(explain::dependent)});
  }

  /// A loop over a wave's lanes, which compilers make of atomics: nobody can unroll it.
  static bool goes_by_lanes(const engine::RegionOfCode& region) {
    return std::any_of(region.first, region.first + region.count, [](const isa::Instruction& in) {
      return in.row->kind == isa::Kind::LaneAccess;
    });
  }

  /// Loops that branch back after a few instructions.
  void loops() {
    constexpr std::uint32_t few = 32;  // longer ones hide the branch
    Waste trips;
    const auto& regions = launch_.result->regions;
    for (const profile::GroupTrace& group : launch_.trace->neighbours())
      for (const profile::WaveTrace& wave : group.waves)
        for (std::size_t i = 1; i < wave.path.size(); ++i) {
          const engine::RegionOfCode& region = regions[wave.path[i]];
          if (wave.path[i] != wave.path[i - 1] || region.count >= few || goes_by_lanes(region))
            continue;
          trips.add(region.first, 1, 0);
        }
    const isa::Instruction* const most = trips.worst();
    if (!most) return;
    const auto count = std::ranges::find(regions, most, &engine::RegionOfCode::first)->count;
    found_.push_back(
        {.id = explain::short_loop,
         .change = fmt::format("unroll the loop {} times", *transform(explain::short_loop)->usual),
         .evidence = fmt::format("a trip of the loop has {} instructions, and a wave "
                                 "that branches back waits for the next ones",
                                 count),
         .at = most,
         .gain = gain_of(explain::short_loop)});
  }

  /// What goes to scratch: registers that are spilled, or arrays that were never in any.
  void spills() {
    const Waste waste = waste_of(*launch_.trace, [](Waste& w, const profile::Request& r) {
      if (r.space == Space::Scratch) w.add(r.instruction, r.count, 0);
    });
    if (waste.all == 0) return;
    Advice advice{.id = explain::scratch_arrays,
                  .change = "index a thread's arrays by constants, or keep them in LDS",
                  .evidence = "a thread's own arrays lie in memory",
                  .at = waste.worst(),
                  .gain = gain_of(explain::spills)};
    if (spilled_) {
      advice.id = explain::spills;
      advice.change = "hold fewer values at a time, so that registers do not spill";
      advice.evidence = fmt::format("the compiler spills {} VGPR{} to memory", spilled_,
                                    spilled_ == 1 ? "" : "s");
    }
    found_.push_back(std::move(advice));
  }

  /// Fewer VGPRs or less LDS: for the next workgroup, for twice as many waves, or for all.
  void occupancy() {
    const timing::Occupancy& held = launch_.occupancy;
    if (held.workgroups == 0 || now_.workgroups_per_cu <= held.workgroups) return;
    const double waves = held.waves_per_simd();
    std::vector<Advice> steps;
    double before = waves;
    for (const double target : {0.0, 2 * waves, double(held.max_waves_per_simd)}) {
      Changed then(launch_);
      if (!transform(explain::occupancy)->apply(then, target).empty()) continue;
      const double gain = gain_of(then);
      const timing::Occupancy& more = then.launch().occupancy;
      if (more.waves_per_simd() <= std::exchange(before, more.waves_per_simd())) continue;
      steps.push_back({.id = explain::occupancy,
                       .change = fmt::format("take {}: {:.3g} of {} waves a SIMD",
                                             resources_text(then.resources()),
                                             more.waves_per_simd(), more.max_waves_per_simd),
                       .evidence = timing::text(held),
                       .gain = gain});
    }
    add_least(std::move(steps));
  }

  std::string resources_text(const timing::Resources& less) const {
    std::vector<std::string> change;
    if (less.vgprs < launch_.resources.vgprs)
      change.push_back(
          fmt::format("at most {} VGPRs, not {}", less.vgprs, launch_.resources.vgprs));
    if (less.lds_bytes < launch_.resources.lds_bytes)
      change.push_back(fmt::format("at most {} B of LDS a workgroup, not {}", less.lds_bytes,
                                   launch_.resources.lds_bytes));
    return fmt::format("{}", fmt::join(change, " and "));
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
