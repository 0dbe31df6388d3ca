#include "timing/predict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <tuple>

#include "profile/footprint.h"
#include "support/quantity.h"
#include "timing/assumed.h"
#include "timing/family.h"
#include "timing/power.h"
#include "timing/schedule.h"
#include "timing/validated.h"

namespace hipsight::timing {
namespace {

/// A unit that works for this share of the time is what bounds.
constexpr double busy_enough = 0.7;
/// Compute units that have a workgroup for less of the time than this are too few; and more waves
/// are worth having if they save this share of the time. Of neither is there anything to measure.
constexpr double filled_enough = 0.7, worth_more_waves = 0.95;
/// How workgroups that differ are spread among compute units matters in so many rounds.
constexpr std::uint64_t rounds_that_matter = 64;

/// DRAM that turns between reads and writes is slower: by this much where it moves as many bytes of
/// either. Fitted on MI210's gpu-stream.
constexpr double turning = 0.17;

/// What an XCD gets from the MALL: sixteen channels of 64 bytes (AMD CDNA3 white paper), of which
/// so much is reached. Fitted on MI300A's gpu-l2-stream, read.
constexpr double mall_bytes_per_cycle = 1024, mall_reached = 0.42;
/// What is reached of the L2's peak. Fitted on MI210's gpu-l2-cache (0.73) and MI300X's gpu-cache
/// (0.80).
constexpr double l2_reached = 0.77;
/// Cycles for which a shader engine starts a wave, by lanes (it fills a register with numbers of
/// work-items, 16 lanes a cycle), and an XCD a workgroup. Fitted on gpu-l2-stream of MI210 and
/// MI300A, and on MI210's gpu-small-kernels with graphs.
constexpr double wave_start = 4.25 / 64, group_start = 2.05;

/// So often a launch is simulated at most until its clock is the one that its power allows.
constexpr int clock_rounds = 3;

constexpr std::string_view path_to_l2 = "L1-L2 path";

/// Of the bytes that go to and come from memory, the share that is written.
double written_share(const gpus::Gpu& gpu, const profile::LaunchTrace& trace) {
  double bytes[2] = {0, 0};
  for (const profile::GroupTrace& group : trace.neighbours()) {
    for (const profile::WaveTrace& wave : group.waves) {
      for (const profile::Request& request : wave.requests) {
        if (request.space == engine::Access::Space::Scalar) continue;
        bytes[request.stores] += double(profile::request_bytes(gpu, request.stores)) *
                                 (request.count - request.from_l1 - request.reused);
      }
    }
  }
  return bytes[1] > 0 ? bytes[1] / (bytes[0] + bytes[1]) : 0;
}

/// Of one of `active` compute units, or groups of `units` that a workgroup takes together. It gets
/// a part in `alike` of what all share.
Rates rates_of(const gpus::Gpu& gpu, double active, double alike, double units, double clock_ghz,
               double written, double lanes, const profile::Footprint& footprint, Caches caches,
               const Scales& scales) {
  constexpr double of_one = assumed::l2_bytes_per_clock_per_cu;
  const double l2 =
      l2_reached * gpu.l2_gb_per_s.value_or(of_one * gpu.compute_units * gpu.clock_ghz);
  const double memory =
      gpu.dram_gb_per_s_measured.value_or(assumed::dram_reached * gpu.dram_gb_per_s) /
      (1 + turning * 4 * written * (1 - written));
  const double links = mall_bytes_per_cycle * gpu.xcds * gpu.clock_ghz,
               mall = std::min(links, gpu.mall_gb_per_s.value_or(links)),
               mall_bytes = double(gpu.mall_bytes.value_or(0));
  Rates rates{.l2_bytes = scales.bandwidths * std::min(of_one * units, l2 / clock_ghz / alike),
              .mall_bytes = scales.bandwidths * mall_reached * mall / clock_ghz / alike,
              .memory_bytes = scales.bandwidths * memory / clock_ghz / alike,
              .clock_ghz = clock_ghz,
              .active = active * units / gpu.compute_units,
              .units = units,
              .scales = scales};
  rates.l2_of_its_share = std::min(1.0, of_one * units * alike * clock_ghz / l2);
  if (footprint.launch > 0) rates.kept_by_mall = profile::kept_share(footprint.launch, mall_bytes);
  if (caches == Caches::InMall) rates.in_mall = mall_bytes > 0;
  if (caches == Caches::Warm) {
    rates.in_l2 = profile::kept_share(footprint.xcd, double(gpu.l2_bytes) / gpu.xcds);
    rates.in_mall = profile::kept_share(footprint.launch, mall_bytes);
  }
  if (gpu.shader_engines) {
    rates.wave_begins = wave_start * lanes * std::max(1.0, active / *gpu.shader_engines);
    rates.group_begins = group_start * std::max(1.0, active / gpu.xcds);
  }
  return rates;
}

}  // namespace

std::string text(const Bound& bound) {
  const std::string waiting = bound.of.empty() ? "" : ": waves wait for " + bound.of;
  switch (bound.kind) {
    case Bound::Kind::Launch:
      return "launch";
    case Bound::Kind::Unit:
      return bound.of;
    case Bound::Kind::Grid:
      return fmt::format("grid: {} workgroup{} for {:.0f} {}", bound.workgroups,
                         bound.workgroups == 1 ? "" : "s", bound.units,
                         bound.wgps ? "WGPs" : "compute units");
    case Bound::Kind::Tail:
      return fmt::format("tail: {:.0f} % of the compute units' time is left without work",
                         100 * bound.idle);
    case Bound::Kind::Occupancy:
      return "occupancy" + waiting;
    case Bound::Kind::Latency:
      return "latency" + waiting;
  }
  return "";
}

std::array<double, 2> Prediction::seconds_between() const {
  const double off = error ? error->p90 / 100 : 0;
  return {seconds / (1 + off), off < 1 ? seconds / (1 - off) : INFINITY};
}

namespace {

constexpr std::string_view links = "links to other GPUs";

/// How long the links take for what a launch does to other GPUs' memory: each of them as much.
double link_seconds(const gpus::Gpu& gpu, const profile::Peers& peers) {
  if (peers.bytes == 0) return 0;
  const double working = std::min(peers.gpus, gpu.peer_links.value_or(1));
  return peers.bytes / (working * assumed::link_gb_per_s(gpu) * 1e9);
}

/// A launch, and how long it takes with so many workgroups at a time.
struct Launch {
  const gpus::Gpu& gpu;
  const profile::LaunchTrace& trace;
  const engine::Result& result;
  const Occupancy& occupancy;
  std::uint32_t wavefront_size;
  Assumptions assumptions;

  const std::uint32_t units_of_group = std::max(1u, occupancy.simds / gpu.simds_per_cu);
  const double units = double(gpu.compute_units) / units_of_group;
  const std::uint64_t workgroups_per_cu =
      static_cast<std::uint64_t>(std::ceil(double(result.workgroups) / units));
  /// The share of the time of all compute units in which they have a workgroup.
  const double filled = double(result.workgroups) / (double(workgroups_per_cu) * units);
  const double written = written_share(gpu, trace);
  /// Wave-instructions of a workgroup.
  const double instructions = [&] {
    double all = 0;
    for (const engine::InstructionCount& count : result.counts) all += double(count.executions);
    return std::max(1.0, all / double(std::max<std::uint64_t>(1, result.workgroups)));
  }();

  struct Time {
    UnitRun run;
    std::uint64_t simulated = 0;
    double cycles = 0, clock_ghz = 0, seconds = 0, launch_seconds = 0;
    double slower = 1;    ///< by links: so much longer than the compute units alone
    double of_links = 0;  ///< the share of the cycles in which links to other GPUs work
    double of_l2 = 1;  ///< the share of the L2 that is busy where a compute unit's share of it is
  };
  Time with(unsigned resident) const;
  Activity activity(const UnitRun& run, const Rates& rates) const;

  struct Observed {
    const profile::GroupTrace* group;
    bool near;    ///< a neighbour
    double work;  ///< wave-instructions
    bool awaits;  ///< what others hand over
  };
  /// Those that were observed whole, in the grid's order.
  const std::vector<Observed> observed = [&] {
    std::vector<Observed> all;
    for (const auto* groups : {&trace.neighbours(), &trace.others()}) {
      for (const profile::GroupTrace& group : *groups)
        all.push_back({&group, groups == &trace.neighbours(), group.instructions(result.regions),
                       group.awaits()});
    }
    std::ranges::sort(all, {}, [](const Observed& o) { return o.group->workgroup; });
    return all;
  }();
  const bool uneven = [&] {
    std::vector<double> work;
    for (const Observed& o : observed) work.push_back(o.work);
    return differ(work, double(result.workgroups) <= units);
  }();
  std::vector<const profile::GroupTrace*> simulated(std::uint64_t count) const;
  Work work_of(std::vector<const profile::GroupTrace*> groups) const {
    return {.groups = std::move(groups),
            .regions = result.regions,
            .sharing = trace.sharing,
            .wave_lanes = wavefront_size,
            .rewrite = assumptions.rewrite};
  }
  struct Some {
    UnitRun run;
    double work = 0;  ///< wave-instructions, also what was not kept of them
  };
  std::optional<Some> last_unit(const gpus::Gpu& unit, const Rates& rates, unsigned resident,
                                const UnitRun& usual) const;
  double unevenness(const gpus::Gpu& unit, const Rates& rates, unsigned resident) const;
};

/// What a compute unit gets: neighbours. If they differ and not all of them are simulated, some of
/// all sizes.
std::vector<const profile::GroupTrace*> Launch::simulated(std::uint64_t count) const {
  std::vector<Observed> some;
  std::ranges::copy_if(observed, std::back_inserter(some), &Observed::near);
  if (uneven && count < some.size()) {
    std::ranges::stable_sort(some, {}, &Observed::work);
    for (std::size_t i = 0; i < count; ++i) some[i] = some[(2 * i + 1) * some.size() / (2 * count)];
    some.resize(count);
    std::ranges::sort(some, {}, [](const Observed& o) { return o.group->workgroup; });
  }
  std::vector<const profile::GroupTrace*> groups;
  for (const Observed& o : some) groups.push_back(o.group);
  return groups;
}

/// Where all workgroups run at once, and they differ or wait for each other: the compute unit that
/// has the longest of them, or of those that wait, beside usual ones. What they wait for is there
/// when a usual compute unit has handed it over.
std::optional<Launch::Some> Launch::last_unit(const gpus::Gpu& unit, const Rates& rates,
                                              unsigned resident, const UnitRun& usual) const {
  if (workgroups_per_cu > resident || (!uneven && usual.handed_over == 0)) return {};
  const auto rank = [](const Observed& o) { return std::tuple(o.near, o.awaits, o.work); };
  const auto last = std::ranges::max_element(observed, {}, rank);
  if (last == observed.end() || !last->near) return {};
  Work work = work_of(simulated(workgroups_per_cu));
  work.groups.front() = last->group;
  work.handed_over = usual.handed_over;
  Some some{run_compute_unit(unit, rates, work, workgroups_per_cu, resident)};
  for (std::uint64_t i = 0; i < workgroups_per_cu; ++i)
    some.work += work.groups[i % work.groups.size()]->instructions(result.regions);
  return some;
}

/// See schedule.h. Of the workgroups in between, those that were observed are taken to do what the
/// nearest of them does.
double Launch::unevenness(const gpus::Gpu& unit, const Rates& rates, unsigned resident) const {
  if (!uneven ||
      result.workgroups > rounds_that_matter * resident * static_cast<std::uint64_t>(units))
    return 1;
  std::vector<double> work(result.workgroups);
  for (std::size_t at = 0, i = 0; i < work.size(); ++i) {
    const auto distance = [&](std::size_t o) {
      return std::fabs(double(observed[o].group->workgroup) - double(i));
    };
    while (at + 1 < observed.size() && distance(at + 1) <= distance(at)) ++at;
    work[i] = observed[at].work;
  }
  // One of usual size, alone and among its like.
  const Work usual = work_of(simulated(1));
  return timing::unevenness(
      {.units = static_cast<std::uint64_t>(units),
       .at_once = resident,
       .alone = run_compute_unit(unit, rates, usual, 1, 1).cycles,
       .together = run_compute_unit(unit, rates, usual, resident, resident).cycles},
      work);
}

/// What the whole GPU does where its compute units do what was simulated of one: those that have
/// nothing to do leave their power to the others.
Activity Launch::activity(const UnitRun& run, const Rates& rates) const {
  const double working = filled * units / run.cycles;
  return {.pj_per_cycle = run.energy_pj * working,
          .memory_gb_per_s = run.busy.memory * rates.memory_bytes * rates.clock_ghz * working};
}

Launch::Time Launch::with(unsigned resident) const {
  const auto few = std::max<std::uint64_t>(
      3 * resident, static_cast<std::uint64_t>(double(assumptions.instructions) / instructions));
  Time t;
  t.simulated = std::min(workgroups_per_cu, few);
  t.clock_ghz = gpu.clock_ghz;
  const double active = std::min(units, double(result.workgroups));
  // Where all workgroups run at once, each gets the same part of what all share.
  const double alike = workgroups_per_cu <= resident ? filled * units : active;
  // The clock falls to hold the power, which follows from the run before.
  const gpus::Gpu unit = joined(gpu, units_of_group);
  Rates rates;
  for (int round = 0; round < clock_rounds; ++round) {
    rates = rates_of(gpu, active, alike, units_of_group, t.clock_ghz, written, wavefront_size,
                     trace.footprint, assumptions.caches, assumptions.scales);
    t.run = run_compute_unit(unit, rates, work_of(simulated(t.simulated)), t.simulated, resident);
    t.of_l2 = rates.l2_of_its_share;
    if (t.run.cycles == 0) break;
    const double next = clock_under(gpu, activity(t.run, rates));
    if (std::fabs(next - t.clock_ghz) < 0.01 * t.clock_ghz) break;
    t.clock_ghz = next;
  }
  // Workgroups that do more than those that are simulated, or less, take so much longer; and where
  // those did more than the trace keeps, the rest goes on like its begin.
  double all = instructions * double(t.simulated);
  const std::optional<Some> last = last_unit(unit, rates, resident, t.run);
  if (last && last->run.cycles > t.run.cycles) t.run = last->run, all = last->work;
  const double kept = double(t.run.instructions) / all;
  const double rest = kept > 0 ? 1 / kept : 1;
  // No launch ends before those that begin with it and are simulated, however short others are.
  const std::size_t round = std::min<std::size_t>(resident, t.run.ends.size());
  const double first_round = round ? t.run.ends[round - 1] : 0;
  t.cycles = std::max(t.run.cycles * rest, first_round);
  if (t.simulated < workgroups_per_cu && t.run.ends.size() > resident) {
    // Workgroups that follow take what those after the first round took.
    const double slope = (t.run.cycles - first_round) / double(t.run.ends.size() - resident);
    t.cycles += rest * slope * double(workgroups_per_cu - t.simulated);
  }
  if (!last) t.cycles *= unevenness(unit, rates, resident);
  // Links carry their part beside all else.
  const double linked = link_seconds(gpu, trace.peers) * t.clock_ghz * 1e9;
  t.slower = std::max(1.0, linked / std::max(t.cycles, 1.0));
  t.cycles *= t.slower;
  t.of_links = t.cycles > 0 ? linked / t.cycles : 0;
  const double work = t.cycles / (t.clock_ghz * 1e9);
  t.seconds = std::max(gpu.launch_us.value_or(assumed::launch_us) * 1e-6 + work,
                       gpu.launch_interval_us.value_or(0) * 1e-6);
  t.launch_seconds = t.seconds - work;
  return t;
}

/// What takes most of waves' time: a cause of waiting, or to go through instructions one by one.
std::string waits_for(const Prediction& p) {
  double issuing = 0;
  std::map<std::string_view, double> waiting;
  for (const Prediction::Hot& hot : p.hot)
    (hot.cause.empty() ? issuing : waiting[hot.cause]) += hot.share;
  if (p.stalls.empty() || issuing > waiting[p.stalls.front().name]) return "their own instructions";
  return p.stalls.front().name;
}

/// What bounds a launch whose units all have time to spare, or most of them no work: that the grid
/// leaves compute units without work, that more waves would help, or the waiting itself.
Bound bound_of(Prediction& p, const Launch& launch) {
  if (launch.filled < filled_enough) {
    if (launch.workgroups_per_cu > 1) return {.kind = Bound::Kind::Tail, .idle = 1 - launch.filled};
    return {.kind = Bound::Kind::Grid,
            .workgroups = launch.result.workgroups,
            .units = launch.units,
            .wgps = launch.units_of_group > 1};
  }
  const std::string waiting = waits_for(p);
  const Occupancy& o = launch.occupancy;
  const auto resident = std::max(1u, o.workgroups),
             slots = o.max_waves_per_simd * o.simds / std::max(1u, o.waves_per_workgroup);
  if (launch.assumptions.more_waves && resident < slots && resident < launch.workgroups_per_cu) {
    p.full_occupancy_seconds = launch.with(slots).seconds;
    if (p.full_occupancy_seconds < worth_more_waves * p.seconds)
      return {.kind = Bound::Kind::Occupancy, .of = waiting};
  }
  return {.kind = Bound::Kind::Latency, .of = waiting};
}

/// Whether a unit is one of many, most of which are idle where most compute units have no work.
bool is_of_compute_unit(std::string_view unit) {
  return unit != "L2" && unit != "MALL" && unit != "memory" && unit != links;
}

/// What few compute units fill is not the L2, but their own paths to it.
void tell_paths(Prediction& p, double of_l2) {
  const auto l2 = std::ranges::find(p.units, "L2", &Prediction::Unit::name);
  if (of_l2 >= 1 || l2 == p.units.end()) return;
  if (p.bound.kind == Bound::Kind::Unit && p.bound.of == "L2") p.bound.of = path_to_l2;
  const double busy = l2->busy;
  l2->busy *= of_l2;
  p.units.push_back({std::string(path_to_l2), busy});
  std::ranges::stable_sort(p.units, std::ranges::greater(), &Prediction::Unit::busy);
}

}  // namespace

Prediction predict(const gpus::Gpu& gpu, const profile::LaunchTrace& trace,
                   const engine::Result& result, const Occupancy& occupancy,
                   std::uint32_t wavefront_size, const Assumptions& assumptions) {
  const Launch launch{.gpu = gpu,
                      .trace = trace,
                      .result = result,
                      .occupancy = occupancy,
                      .wavefront_size = wavefront_size,
                      .assumptions = assumptions};
  const Launch::Time time = launch.with(std::max(1u, occupancy.workgroups));
  const UnitRun& run = time.run;
  Prediction p;
  p.seconds = time.seconds;
  p.launch_seconds = time.launch_seconds;
  p.cycles = time.cycles;
  p.clock_ghz = time.clock_ghz;
  p.workgroups_per_cu = launch.workgroups_per_cu;
  p.simulated = time.simulated;

  const double simd_cycles = run.cycles * gpu.simds_per_cu * launch.units_of_group;
  if (simd_cycles > 0)
    p.units = {{"vector unit", run.busy.vector / simd_cycles},
               {"matrix unit", run.busy.matrix / simd_cycles},
               {"scalar unit", run.busy.scalar / simd_cycles},
               {"LDS", run.busy.lds / run.cycles},
               {"L1", run.busy.l1 / run.cycles},
               {"L2", run.busy.l2 / run.cycles},
               {"MALL", run.busy.mall / run.cycles},
               {"memory", run.busy.memory / run.cycles}};
  for (Prediction::Unit& unit : p.units) unit.busy = std::min(unit.busy, 1.0) / time.slower;
  if (time.of_links > 0) p.units.push_back({std::string(links), time.of_links});
  std::ranges::sort(p.units, std::ranges::greater(), &Prediction::Unit::busy);
  double waited = 0;
  for (const double stall : run.stalls) waited += stall;
  for (std::size_t i = 0; i < kStalls; ++i)
    if (run.stalls[i] > 0)
      p.stalls.push_back({std::string(text(static_cast<Stall>(i))), run.stalls[i] / waited});
  std::ranges::sort(p.stalls, std::ranges::greater(), &Prediction::Cause::share);

  for (const Waited& w : run.waits)
    if (p.waits.size() < Prediction::longest_waits)
      p.waits.push_back({w.at, w.of, text(w.why), w.cycles / waited});

  double issuing = 0;
  for (const Issued& one : run.issued) issuing += one.cycles;
  for (const Issued& one : run.issued)
    p.hot.push_back({one.instruction, "", one.cycles / (waited + issuing)});
  for (const Waited& w : run.waits)
    p.hot.push_back({w.of ? w.of : w.at, text(w.why), w.cycles / (waited + issuing)});
  std::ranges::stable_sort(p.hot, std::ranges::greater(), &Prediction::Hot::share);

  if (p.launch_seconds > p.seconds / 2)
    p.bound = {.kind = Bound::Kind::Launch};
  else if (!p.units.empty() && p.units.front().busy >= busy_enough &&
           (launch.filled >= filled_enough || !is_of_compute_unit(p.units.front().name)))
    p.bound = {.kind = Bound::Kind::Unit, .of = p.units.front().name};
  else
    p.bound = bound_of(p, launch);
  const Doings doings =
      doings_of(trace, result, wavefront_size, launch.uneven || trace.unlike_others);
  p.family = family_of(gpu, trace, doings, result.workgroups, wavefront_size, p);
  // No kernel was compared that reads other GPUs' memory.
  p.error = trace.peers.bytes > 0 ? nullptr : error_of(gpu.name, p.family);
  tell_paths(p, time.of_l2);
  return p;
}

}  // namespace hipsight::timing
