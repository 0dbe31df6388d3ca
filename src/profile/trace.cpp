#include "profile/trace.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <ranges>
#include <span>
#include <utility>

namespace hipsight::profile {
namespace {

constexpr double golden_ratio = 0.6180339887498949;
/// Workgroups of an XCD whose begin is observed, at most.
constexpr std::uint64_t most_openings = 64;

/// What is kept of those before the neighbours, from the nearest on: so many workgroups each.
/// Enough to fill an L2, whether they touch 4 KB or 250; less of the many, which in large launches
/// do little.
struct Before {
  std::uint64_t workgroups;
  GroupTrace::Kept kept;
};
constexpr Before before_them[]{{64, {LaunchTrace::opening_lines, 2048, true}},
                               {448, {LaunchTrace::opening_lines, 256, true}},
                               {3584, {512, 64, true}}};

/// Where scratch lies: behind all that the host can address.
constexpr std::uint64_t scratch_begin = std::uint64_t{1} << 48;

/// Numbers of the sectors that the active lanes touch, in order, each once. The workgroup's scratch
/// begins at `scratch`.
unsigned touched(const engine::Access& access, std::uint64_t scratch, std::uint64_t* out) {
  unsigned count = 0;
  bool in_order = true;  // as they mostly are
  const auto add = [&](std::uint64_t number) {
    if (count && out[count - 1] == number) return;
    in_order &= !count || out[count - 1] < number;
    out[count++] = number;
  };
  const bool dwords_apart = access.space == engine::Access::Space::Scratch;
  for (std::uint64_t left = access.touching(); left; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    const std::uint64_t at = access.at[lane] + (dwords_apart ? scratch : 0);
    const unsigned bytes = access.bytes_of(lane);
    if (dwords_apart) {
      for (unsigned k = 0; k < (bytes + 3) / 4; ++k)
        add((at + std::uint64_t{k} * access.lanes * 4) / kSectorBytes);
    } else {
      const std::uint64_t last = (at + bytes - 1) / kSectorBytes;
      for (std::uint64_t n = at / kSectorBytes; n <= last; ++n) add(n);
    }
  }
  if (in_order) return count;
  std::sort(out, out + count);
  return static_cast<unsigned>(std::unique(out, out + count) - out);
}

constexpr std::size_t most_sectors = 64 * 33;  // 128 bytes of a lane at the most

}  // namespace

unsigned request_bytes(const gpus::Gpu& gpu, bool stores) {
  return stores ? 64 : gpu.l1_line_bytes.value_or(128);
}

Use& Use::operator+=(const Use& other) {
  stores |= other.stores;
  requests += other.requests;
  lanes += other.lanes;
  bytes += other.bytes;
  sectors += other.sectors;
  lines += other.lines;
  lds_cycles += other.lds_cycles;
  lds_least += other.lds_least;
  return *this;
}

void WaveTrace::drop(const std::vector<bool>& steps) {
  std::vector<std::uint32_t> left, now(path.size());
  for (std::size_t i = 0; i < path.size(); ++i) {
    now[i] = static_cast<std::uint32_t>(left.size());
    if (!steps[i]) left.push_back(path[i]);
  }
  std::erase_if(requests, [&](const Request& r) { return steps[r.step]; });
  for (Request& request : requests) request.step = now[request.step];
  path = std::move(left);
}

void GroupTrace::enters(unsigned wave, std::uint32_t region, std::uint64_t exec) {
  if (executions.size() <= region) executions.resize(region + 1);
  ++executions[region].count;
  executions[region].lanes += static_cast<unsigned>(std::popcount(exec));
  if (waves.size() <= wave) waves.resize(wave + 1);
  WaveTrace& trace = waves[wave];
  if (++steps_ > kept_.steps)
    cut = true;
  else
    trace.path.push_back(region);
  constexpr std::size_t most = 1 << 13;
  if (trace.recent.size() == most)
    trace.recent.erase(trace.recent.begin(), trace.recent.begin() + most / 2);
  trace.recent.push_back({region});
}

void GroupTrace::accesses(unsigned wave, const isa::Instruction& in, const engine::Access& access) {
  // What goes between memory and LDS is counted as the access to memory that it is; what lies
  // beyond a buffer costs nothing.
  const std::uint64_t mask = access.touching();
  const bool in_lds = access.space == engine::Access::Space::Lds;
  if (!mask || (in_lds && (in.row->memory.with_lds() || kept_.only_begin))) return;
  const auto [at, is_new] = uses.try_emplace(&in);
  Use& use = at->second;
  if (is_new) use.stores = in.row->memory.stores();
  const auto lanes = static_cast<unsigned>(std::popcount(mask));
  ++use.requests;
  use.lanes += lanes;
  use.bytes += static_cast<double>(lanes) * access.bytes;
  Request request{.instruction = &in,
                  .stores = use.stores,
                  .streams = isa::is_streaming(in),
                  .space = access.space};
  if (in_lds) {
    request.pattern = lds.add(in, access.bytes, mask, access.at);
  } else {
    std::uint64_t sectors[most_sectors];
    const unsigned count = touched(access, scratch_, sectors);
    use.sectors += count;
    request.first = static_cast<std::uint32_t>(lines.size());
    request.count = add_lines({sectors, count}, use.stores);
    if (waves.size() > wave && !waves[wave].recent.empty())
      for (const std::uint64_t sector : std::span(sectors, count)) {
        std::uint64_t& sum = waves[wave].recent.back().lines;
        sum = (sum + sector) * 0x9e3779b97f4a7c15u;
      }
    use.lines += request.count;
    const unsigned line = line_bytes(use.stores);
    request.least = static_cast<std::uint16_t>((lanes * access.bytes + line - 1) / line);
  }
  if (cut || lines.size() > kept_.lines || waves.size() <= wave) {
    cut = true;
    return;
  }
  request.step = static_cast<std::uint32_t>(waves[wave].path.size() - 1);
  waves[wave].requests.push_back(request);
}

/// A wave spins when it asks the same lines of memory again and again, and does nothing else. A
/// loop that asks nothing computes. All but the first time is forgotten.
bool GroupTrace::spins(unsigned wave) {
  constexpr std::size_t longest = 16, least = 64;  // regions of the loop; times
  WaveTrace& trace = waves.at(wave);
  const std::vector<WaveTrace::Step>& steps = trace.recent;
  std::vector<std::uint32_t>& path = trace.path;
  for (std::size_t period = 1; period <= longest; ++period) {
    std::size_t same = 0;
    bool asks = false;
    while (same + period < steps.size()) {
      const WaveTrace::Step& now = steps[steps.size() - 1 - same];
      const WaveTrace::Step& before = steps[steps.size() - 1 - same - period];
      // The last time has not ended.
      if (now.region != before.region || (same >= period && now.lines != before.lines)) break;
      asks |= now.lines != 0;
      ++same;
    }
    if (same < period * least || !asks) continue;
    for (std::size_t i = steps.size() - same; i < steps.size(); ++i) {
      Executions& all = executions[steps[i].region];
      all.lanes -= all.lanes / all.count;
      --all.count;
    }
    trace.recent.resize(steps.size() - same);
    if (cut) return true;  // what it did last was not kept
    path.resize(path.size() - same);
    std::erase_if(trace.requests, [&](const Request& r) { return r.step >= path.size(); });
    return true;
  }
  return false;
}

double GroupTrace::instructions(std::span<const engine::RegionOfCode> regions) const {
  double all = 0;
  for (std::size_t r = 0; r < std::min(executions.size(), regions.size()); ++r)
    all += double(executions[r].count) * regions[r].count;
  return all;
}

bool GroupTrace::awaits() const {
  return std::ranges::any_of(
      waves, [](const WaveTrace& w) { return std::ranges::any_of(w.requests, &Request::awaits); });
}

std::uint32_t GroupTrace::add_lines(std::span<const std::uint64_t> sectors, bool stores) {
  const unsigned sectors_of_line = std::max(1u, line_bytes(stores) / kSectorBytes);
  std::uint32_t count = 0;
  std::uint64_t last = ~std::uint64_t{0};
  for (const std::uint64_t sector : sectors) {
    const std::uint64_t line = sector / sectors_of_line;
    if (line == std::exchange(last, line)) continue;
    ++count;
    if (!cut) lines.push_back(line);
  }
  return count;
}

LaunchTrace::LaunchTrace(const gpus::Gpu& gpu, std::uint64_t workgroups, unsigned sample,
                         std::uint64_t at_once, std::uint64_t scratch_bytes)
    : workgroups_(workgroups),
      at_once_of_xcd_(at_once ? (at_once + gpu.xcds - 1) / gpu.xcds
                              : std::max<std::uint64_t>(1, workgroups)) {
  // A workgroup gets the scratch of one that has ended.
  const std::uint64_t places = std::max<std::uint64_t>(at_once ? at_once : workgroups, 1);
  const auto scratch_of = [=](std::uint64_t workgroup) {
    return scratch_begin + workgroup % places * scratch_bytes;
  };
  // Workgroups are dealt to the XCDs in turn. A launch that is small enough is observed whole.
  const bool whole = workgroups <= sample;
  const std::uint64_t step = whole ? 1 : gpu.xcds;
  const std::uint64_t near = whole ? workgroups
                                   : std::min({(std::uint64_t{sample} + 1) / 2,
                                               (workgroups + step - 1) / step, at_once_of_xcd_});
  const std::uint64_t first =
      !whole && at_once && workgroups > at_once ? (workgroups - at_once) / 2 / step * step : 0;
  const auto is_near = [&](std::uint64_t at) {
    return at >= first && (at - first) % step == 0 && (at - first) / step < near;
  };
  for (std::uint64_t i = 0; i < near; ++i) {
    const std::uint64_t at = first + i * step;
    if (at < workgroups) neighbours_.emplace_back(gpu, at, scratch_of(at));
  }
  for (std::uint64_t i = 0, far = whole ? 0 : sample / 2; i < far; ++i) {
    // One in each of so many parts of the grid, not in the same place of each: grids have rhythms.
    const double place = double(i) + std::fmod(golden_ratio * double(i + 1), 1);
    const auto at = static_cast<std::uint64_t>(place * double(workgroups) / double(far));
    if (is_near(at)) continue;  // is one of them
    if (others_.empty() || others_.back().workgroup != at)
      others_.emplace_back(gpu, at, scratch_of(at));
  }
  const auto is_other = [&](std::uint64_t at) {
    return std::ranges::binary_search(others_, at, {}, &GroupTrace::workgroup);
  };
  const std::uint64_t end =
      first + std::min({at_once, workgroups - first, most_openings * gpu.xcds});
  for (std::uint64_t at = first; at < end; ++at)
    if (!is_near(at) && !is_other(at))
      openings_.emplace_back(gpu, at, scratch_of(at),
                             GroupTrace::Kept{.lines = opening_lines, .only_begin = true});
  std::vector<std::pair<std::uint64_t, GroupTrace::Kept>> before;
  std::uint64_t at = first;
  for (const Before& some : before_them)
    for (std::uint64_t i = 0; i < some.workgroups && at >= step; ++i)
      if (at -= step; !is_other(at)) before.emplace_back(at, some.kept);
  for (const auto& [workgroup, kept] : before | std::views::reverse)
    before_.emplace_back(gpu, workgroup, scratch_of(workgroup), kept);
}

engine::GroupObserver* LaunchTrace::begins(std::uint64_t workgroup) {
  for (std::vector<GroupTrace>* traces : {&neighbours_, &others_, &openings_, &before_}) {
    const auto at = std::ranges::lower_bound(*traces, workgroup, {}, &GroupTrace::workgroup);
    if (at != traces->end() && at->workgroup == workgroup) return &*at;
  }
  return nullptr;
}

std::uint64_t LaunchTrace::next_choice(std::uint64_t workgroup) const {
  std::uint64_t next = workgroups_;
  for (const std::vector<GroupTrace>* traces : {&neighbours_, &others_, &openings_, &before_}) {
    const auto at = std::ranges::lower_bound(*traces, workgroup, {}, &GroupTrace::workgroup);
    if (at != traces->end()) next = std::min(next, at->workgroup);
  }
  return next;
}

void LaunchTrace::forget_addresses() {
  openings_ = std::vector<GroupTrace>();
  before_ = std::vector<GroupTrace>();
  for (std::vector<GroupTrace>* traces : {&neighbours_, &others_})
    for (GroupTrace& group : *traces) group.lines = {}, group.lds = {};
}

void LaunchTrace::count(engine::Result& result) const {
  struct Sum {
    double count = 0, lanes = 0;
  };
  std::vector<Sum> sum(result.regions.size());
  double waves = 0;
  for_each_whole([&](const GroupTrace& group, double each) {
    waves += each * double(group.waves.size());
    for (std::size_t r = 0; r < group.executions.size(); ++r) {
      sum[r].count += each * double(group.executions[r].count);
      sum[r].lanes += each * double(group.executions[r].lanes);
    }
  });
  const auto whole = [](double part) { return static_cast<std::uint64_t>(std::llround(part)); };
  result.executed = neighbours_.size() + others_.size();
  result.waves = whole(waves);
  result.counts.clear();
  for (std::size_t r = 0; r < sum.size(); ++r)
    for (std::uint32_t i = 0; sum[r].count > 0 && i < result.regions[r].count; ++i)
      result.counts.push_back({result.regions[r].first + i,
                               std::max<std::uint64_t>(1, whole(sum[r].count)),
                               whole(sum[r].lanes)});
  std::ranges::sort(result.counts, {},
                    [](const engine::InstructionCount& c) { return c.instruction->address; });
}

}  // namespace hipsight::profile
