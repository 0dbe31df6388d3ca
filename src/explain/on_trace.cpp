#include "explain/on_trace.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace hipsight::explain {
namespace {

using profile::GroupTrace;
using profile::LaunchTrace;
using profile::Request;
using Space = engine::Access::Space;

/// Neighbours are simulated; of the others only the work counts.
template <class Change>
void for_each_request(GroupTrace& group, Change&& change) {
  for (profile::WaveTrace& wave : group.waves)
    for (Request& request : wave.requests) change(request);
}

bool may_be_contiguous(const Request& request) {
  return request.space == Space::Global && request.count > 0 &&
         !request.instruction->row->memory.atomic();
}

constexpr unsigned widest = 16;  // bytes of a lane in one access

/// Of a workgroup, the lines that one instruction touches.
struct Lines {
  double now = 0, first = 0;      ///< in all; and those that the workgroup had not touched
  double least = 0;               ///< in all, were each request contiguous
  double from_l1 = 0, again = 0;  ///< of those touched before: where they were found
};

/// The whole part of a sum that grows by shares; the rest is for the next one.
std::uint16_t whole(double& rest, double share, unsigned most) {
  rest += share;
  const double now = std::clamp(std::floor(rest + 1e-9), 0.0, double(most));
  rest -= now;
  return static_cast<std::uint16_t>(now);
}

}  // namespace

static void with_least_cycles(LaunchTrace& trace, bool of_atomics) {
  for (GroupTrace& group : trace.neighbours())
    for_each_request(group, [&](Request& request) {
      if (request.space == Space::Lds && request.instruction->row->memory.atomic() == of_atomics)
        request.lds_cycles = std::min(request.lds_cycles, request.least);
    });
}
void without_bank_conflicts(LaunchTrace& trace) {
  with_least_cycles(trace, false);
}
void without_contention(LaunchTrace& trace) {
  with_least_cycles(trace, true);
}

void made_contiguous(LaunchTrace& trace) {
  for (GroupTrace& group : trace.neighbours()) {
    std::unordered_map<const isa::Instruction*, Lines> all;
    for_each_request(group, [&](const Request& request) {
      if (!may_be_contiguous(request)) return;
      Lines& lines = all[request.instruction];
      lines.now += request.count;
      lines.first += request.first_touches;
      lines.least += std::min<unsigned>(request.count, request.least);
      lines.from_l1 += request.from_l1;
      lines.again += request.count - request.from_l1 - request.first_touches;
    });
    struct Rests {
      double first = 0, from_l1 = 0, reused = 0;
    };
    std::unordered_map<const isa::Instruction*, Rests> rests;
    for_each_request(group, [&](Request& request) {
      if (!may_be_contiguous(request)) return;
      const Lines& lines = all[request.instruction];
      if (lines.least >= lines.now) return;
      Rests& rest = rests[request.instruction];
      const auto count = std::min<unsigned>(request.count, request.least);
      // Of the lines that are left the share that is touched first; the rest is found in the L1 or
      // beyond it as before.
      const double first = std::min(lines.first, lines.least) / lines.least;
      const double before = lines.from_l1 + lines.again;
      const double in_l1 = before > 0 ? lines.from_l1 / before : 0;
      const double beyond = request.count - request.from_l1 - request.first_touches;
      const double kept = beyond > 0 ? request.reused / beyond : 1;  // of those, in the L2
      request.first_touches = whole(rest.first, first * count, count);
      unsigned left = count - request.first_touches;
      request.from_l1 = whole(rest.from_l1, in_l1 * (1 - first) * count, left);
      left -= request.from_l1;
      request.reused = whole(rest.reused, kept * left, left);
      request.from_l2 = std::min<std::uint16_t>(
          request.from_l2, static_cast<std::uint16_t>(count - request.from_l1));
      request.pages = std::min<std::uint16_t>(request.pages, 1);
      request.count = count;
    });
  }
}

timing::Rewrite::Instructions without_scratch(LaunchTrace& trace) {
  timing::Rewrite::Instructions all;
  for (GroupTrace& group : trace.neighbours())
    for (profile::WaveTrace& wave : group.waves)
      std::erase_if(wave.requests, [&](const Request& r) {
        if (r.space != Space::Scratch) return false;
        all.insert(r.instruction);
        return true;
      });
  return all;
}

bool split(LaunchTrace& trace, engine::Result& result, unsigned parts) {
  for (std::vector<GroupTrace>* groups : {&trace.neighbours(), &trace.others()})
    for (GroupTrace& group : *groups) {
      for (profile::WaveTrace& wave : group.waves) {
        const std::size_t steps = wave.path.size(), kept = steps / parts;
        if (kept < 2) return false;
        const std::size_t begin = kept / 2, end = steps - (kept - begin);
        std::vector<bool> gone(steps);
        for (std::size_t i = begin; i < end; ++i) gone[i] = true;
        wave.drop(gone);
      }
      for (GroupTrace::Executions& region : group.executions) {
        region.count /= parts;
        region.lanes /= parts;
      }
    }
  result.workgroups *= parts;
  result.waves *= parts;
  return true;
}

void with_faster_lds(LaunchTrace& trace, double by) {
  for (GroupTrace& group : trace.neighbours())
    for_each_request(group, [&](Request& request) {
      if (request.space != Space::Lds) return;
      for (std::uint16_t* cycles : {&request.lds_cycles, &request.least})
        *cycles = static_cast<std::uint16_t>(std::min(std::ceil(*cycles / by), 65535.0));
    });
}

unsigned narrow_bytes(const Request& request) {
  const isa::MemoryAccess& access = request.instruction->row->memory;
  const unsigned bytes = access.all_bytes();
  const bool fits = request.space == Space::Global && !access.atomic() && !access.with_lds() &&
                    request.count > 0 && request.count <= request.least;
  return fits && bytes > 0 && bytes < widest ? bytes : 0;
}

namespace {

/// Puts what another request asked for into this one, as far as so many lines hold it.
void take_in(Request& request, const Request& other, unsigned most) {
  const unsigned count = std::min(request.count + other.count, most);
  unsigned left = count;
  const auto part = [&](std::uint16_t mine, std::uint16_t others) {
    const unsigned both = std::min<unsigned>(mine + others, left);
    left -= both;
    return static_cast<std::uint16_t>(both);
  };
  request.first_touches = part(request.first_touches, other.first_touches);
  request.reused = part(request.reused, other.reused);
  request.from_l1 = part(request.from_l1, other.from_l1);
  request.from_l2 = static_cast<std::uint16_t>(
      std::min<unsigned>(request.from_l2 + other.from_l2, count - request.from_l1));
  request.pages = std::max(request.pages, other.pages);
  request.least = static_cast<std::uint16_t>(std::min<unsigned>(request.least + other.least, most));
  request.count = count;
}

}  // namespace

void widen(LaunchTrace& trace, unsigned wave_lanes) {
  struct Open {
    std::size_t at;
    unsigned taken;  ///< executions
  };
  for (GroupTrace& group : trace.neighbours())
    for (profile::WaveTrace& wave : group.waves) {
      std::unordered_map<const isa::Instruction*, Open> open;
      std::vector<Request> kept;
      for (const Request& request : wave.requests) {
        const unsigned bytes = narrow_bytes(request);
        const auto known = open.find(request.instruction);
        if (bytes && known != open.end() && known->second.taken * bytes < widest) {
          const double line = std::max(1.0, std::floor(wave_lanes * bytes / double(request.least)));
          const auto most = static_cast<unsigned>(std::ceil(wave_lanes * widest / line));
          take_in(kept[known->second.at], request, most);
          ++known->second.taken;
          continue;
        }
        if (bytes) open[request.instruction] = {kept.size(), 1};
        kept.push_back(request);
      }
      wave.requests = std::move(kept);
    }
}

namespace {

/// Which of a workgroup's visits of a stretch of code are left: so many one after the other, wave
/// by wave. Other waves do less, as where lanes are sorted.
struct Thinned {
  std::uint64_t visits = 0, kept = 0, begin = 0;
  std::uint64_t seen = 0;

  bool keeps() {
    const std::uint64_t number = seen++ % std::max<std::uint64_t>(1, visits);
    return (number + visits - begin) % std::max<std::uint64_t>(1, visits) < kept;
  }
  double share() const { return visits ? double(kept) / double(visits) : 1; }
};

/// By region: what is left of a workgroup's visits. No lane can do at once what it does in several
/// trips of a loop: the most that one wave does is left.
/// `begin`: with which, as a share of all. It goes on, so that waves that do the one do not do the
/// other.
std::vector<Thinned> thinned(const GroupTrace& group, unsigned wave_lanes, double begin) {
  constexpr double worth = 0.9;  // above it all is left
  const std::size_t regions = group.executions.size();
  std::vector<std::uint64_t> most(regions), of_wave(regions);
  for (const profile::WaveTrace& wave : group.waves) {
    std::ranges::fill(of_wave, 0);
    for (const std::uint32_t region : wave.path)
      most[region] = std::max(most[region], ++of_wave[region]);
  }
  double fullest = 1;
  for (const GroupTrace::Executions& e : group.executions)
    if (e.count) fullest = std::max(fullest, double(e.lanes) / double(e.count));
  const double full = std::min(fullest, double(wave_lanes));
  std::vector<Thinned> all;
  for (std::size_t i = 0; i < regions; ++i) {
    const GroupTrace::Executions& e = group.executions[i];
    Thinned& region = all.emplace_back();
    region.visits = e.count;
    region.kept = std::max(static_cast<std::uint64_t>(std::ceil(double(e.lanes) / full)), most[i]);
    if (region.share() > worth) {
      region.kept = region.visits;
      continue;
    }
    begin -= std::floor(begin);
    region.begin = static_cast<std::uint64_t>(begin * double(region.visits));
    begin += region.share();
  }
  return all;
}

/// What a step that is gone asked of memory, the next one of the same code asks.
void thin(profile::WaveTrace& wave, std::vector<Thinned>& regions) {
  std::vector<bool> gone;
  for (const std::uint32_t region : wave.path) gone.push_back(!regions[region].keeps());
  std::vector<std::uint32_t> asks(wave.path.size());
  std::unordered_map<std::uint32_t, std::uint32_t> next;
  for (auto i = static_cast<std::uint32_t>(wave.path.size()); i-- > 0;) {
    if (!gone[i]) next[wave.path[i]] = i;
    const auto at = next.find(wave.path[i]);
    asks[i] = at == next.end() ? i : at->second;
  }
  for (Request& request : wave.requests) request.step = asks[request.step];
  wave.drop(gone);
  std::ranges::stable_sort(wave.requests, {}, [](const Request& r) {
    return std::tuple(r.step, r.instruction->address);
  });
}

}  // namespace

void regroup_lanes(LaunchTrace& trace, engine::Result& result, unsigned wave_lanes) {
  // Each time another wave first: all take their turn.
  constexpr double golden_ratio = 0.618;
  std::vector<double> before(result.regions.size()), after(result.regions.size());
  double begin = 0;
  for (std::vector<GroupTrace>* groups : {&trace.neighbours(), &trace.others()})
    for (GroupTrace& group : *groups) {
      std::vector<Thinned> regions = thinned(group, wave_lanes, begin += golden_ratio);
      for (profile::WaveTrace& wave : group.waves) thin(wave, regions);
      for (std::size_t i = 0; i < group.executions.size(); ++i) {
        GroupTrace::Executions& e = group.executions[i];
        before[i] += double(e.count);
        e.count = regions[i].kept;
        after[i] += double(e.count);
      }
    }
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (before[i] == after[i]) continue;
    const engine::RegionOfCode& region = result.regions[i];
    for (engine::InstructionCount& count : result.counts)
      if (count.instruction >= region.first && count.instruction < region.first + region.count)
        count.executions = static_cast<std::uint64_t>(
            std::llround(double(count.executions) * after[i] / before[i]));
  }
}

}  // namespace hipsight::explain
