#include "profile/cache.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "profile/footprint.h"

namespace hipsight::profile {
namespace {

constexpr unsigned l2_line = 128;  // AMD CDNA3 and CDNA4 white papers; RDNA ISA guides
// Pages whose addresses a compute unit knows: fitted on MI300X's gpu-latency, which rises from 64
// MiB on.
constexpr std::uint64_t page_bytes = 2 << 20;
constexpr unsigned known_pages = 32;

/// Gives `send` the requests to vector memory of the groups' waves in turn, one of each: the
/// group's number, the request and the turn. Of each group no more than `lines`.
template <class Send>
void take_turns(const std::vector<GroupTrace*>& groups, std::uint64_t lines, Send&& send) {
  std::vector<std::vector<std::size_t>> next(groups.size());
  for (std::size_t g = 0; g < groups.size(); ++g) next[g].resize(groups[g]->waves.size());
  std::uint64_t turn = 0;
  for (bool more = true; more; ++turn) {
    more = false;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      for (std::size_t w = 0; w < groups[g]->waves.size(); ++w) {
        std::vector<Request>& requests = groups[g]->waves[w].requests;
        std::size_t& at = next[g][w];
        while (at < requests.size() && !requests[at].in_vector_memory()) ++at;
        if (at == requests.size() || requests[at].first >= lines) continue;
        send(g, requests[at++], turn);
        more = true;
      }
    }
  }
}

/// What an XCD's workgroups find in its L2 and in the MALL.
struct Shared {
  Cache l2, mall;
  bool has_mall;
};

/// How the workgroups before the neighbours leave the caches: as many at a time as the XCD has at
/// once, each line of each once.
Shared simulate_before(const gpus::Gpu& gpu, LaunchTrace& trace) {
  const std::uint64_t mall = trace.before().empty() ? 0 : gpu.mall_bytes.value_or(0);
  // Other XCDs bring as much to the MALL.
  Shared shared{Cache(gpu.l2_bytes / gpu.xcds, l2_line), Cache(mall / gpu.xcds, l2_line), mall > 0};
  std::vector<GroupTrace>& before = trace.before();
  for (std::size_t at = 0; at < before.size();) {
    std::vector<GroupTrace*> groups;
    for (; at < before.size() && groups.size() < trace.at_once_of_xcd(); ++at)
      groups.push_back(&before[at]);
    std::vector<std::unordered_set<std::uint64_t>> touched(groups.size());
    take_turns(groups, ~0ull, [&](std::size_t g, const Request& request, std::uint64_t) {
      for (std::uint32_t i = 0; i < request.count; ++i) {
        const std::uint64_t line =
            groups[g]->lines[request.first + i] * request_bytes(gpu, request.stores) / l2_line;
        if (!touched[g].insert(line).second) continue;
        shared.l2.touch(line, request.streams);
        if (shared.has_mall) shared.mall.touch(line, request.streams);
      }
    });
  }
  return shared;
}

/// Requests of the neighbours that are of one XCD, so many at once: what caches have. `l2`: the
/// XCD's.
void simulate_neighbours(const gpus::Gpu& gpu, const std::vector<GroupTrace*>& groups,
                         std::size_t at_once, Cache l2) {
  const std::size_t units = std::max(1u, gpu.compute_units / gpu.xcds);
  std::vector<Cache> l1(std::min(units, groups.size()),
                        Cache(gpu.l1_bytes_per_cu.value_or(16384), request_bytes(gpu, false)));
  std::vector<Cache> pages(l1.size(), Cache(known_pages * page_bytes, page_bytes, known_pages));
  // What was stored goes to memory once, however often it is: when it leaves the L2, or at the end.
  Cache dirty(gpu.l2_bytes / gpu.xcds, request_bytes(gpu, true));
  std::vector<std::unordered_set<std::uint64_t>> touched(groups.size());
  const auto send = [&](std::size_t g, Request& request) {
    for (std::uint32_t i = 0; i < request.count; ++i) {
      const std::uint64_t line = groups[g]->lines[request.first + i];
      if (!request.stores && l1[g % l1.size()].touch(line)) {
        ++request.from_l1;
        continue;
      }
      const std::uint64_t at = line * request_bytes(gpu, request.stores);
      request.pages += !pages[g % pages.size()].touch(at / page_bytes);
      const bool in_l2 = l2.touch(at / l2_line, request.streams);
      const bool is_there = request.stores ? dirty.touch(line) : in_l2;
      // Lines of loads and of stores have different sizes: told apart by the lowest bit.
      const bool first = touched[g].insert(line * 2 + request.stores).second;
      request.from_l2 += is_there;
      request.first_touches += first;
      request.reused += is_there && !first;
    }
  };
  for (std::size_t at = 0; at < groups.size(); at += at_once) {
    const auto round = std::span(groups).subspan(at, std::min(at_once, groups.size() - at));
    take_turns({round.begin(), round.end()}, ~0ull,
               [&](std::size_t g, Request& request, std::uint64_t) { send(at + g, request); });
  }
}

/// How the workgroups that begin at the same time share what they touch for the first time, with
/// each other and with those before them, which left `shared`.
void simulate_sharing(const gpus::Gpu& gpu, LaunchTrace& trace, Shared shared) {
  // A line that was asked for so few turns ago is still on its way: a turn is a request of each
  // wave. Assumed.
  constexpr std::uint64_t turns_to_arrive = 8;
  const std::uint64_t near = trace.neighbours().empty() ? 0 : trace.neighbours()[0].workgroup,
                      end = near + trace.at_once_of_xcd() * gpu.xcds;
  std::vector<GroupTrace*> groups;
  for (std::vector<GroupTrace>* some : {&trace.neighbours(), &trace.openings()})
    for (GroupTrace& group : *some)
      if (group.workgroup < end) groups.push_back(&group);
  std::ranges::sort(groups, {}, &GroupTrace::workgroup);
  std::vector<std::unordered_map<std::uint64_t, std::uint64_t>> l2(gpu.xcds);  // turns
  std::unordered_set<std::uint64_t> mall;
  std::vector<std::unordered_set<std::uint64_t>> touched(groups.size());
  struct Count {
    double all = 0, l2 = 0, arriving = 0, mall = 0;
  };
  std::map<const isa::Instruction*, Count> counts;
  const bool first_ones = trace.before().empty();
  const auto send = [&](std::size_t g, Request& request, std::uint64_t turn) {
    const std::uint64_t number = groups[g]->workgroup % gpu.xcds;
    auto& xcd = l2[number];
    // What was before is known of the neighbours' XCD only.
    const bool knows_before = !first_ones && number == near % gpu.xcds;
    Count others;
    Count& count = first_ones || knows_before ? counts[request.instruction] : others;
    for (std::uint32_t i = 0; i < request.count; ++i) {
      const std::uint64_t at = groups[g]->lines[request.first + i];
      if (!touched[g].insert(at * 2 + request.stores).second) continue;
      ++count.all;
      // Loads fetch lines of the L2; stores bring their own.
      const std::uint64_t unit = request.stores ? 1 : l2_line / request_bytes(gpu, false),
                          line = at / unit * 2 + request.stores;
      const auto [known, is_new] = xcd.try_emplace(line, turn);
      bool in_l2 = false, in_mall = false;
      if (knows_before) {
        const std::uint64_t whole = at * request_bytes(gpu, request.stores) / l2_line;
        in_l2 = shared.l2.touch(whole, request.streams) && !request.stores;
        in_mall = shared.has_mall && shared.mall.touch(whole, request.streams) && !request.stores;
      }
      if (!is_new)
        ++(turn - known->second <= turns_to_arrive ? count.arriving : count.l2);
      else if (in_l2)
        ++count.l2;
      else
        count.mall += !mall.insert(line).second || in_mall;
    }
  };
  take_turns(groups, LaunchTrace::opening_lines, send);
  const auto add = [&] {
    for (const auto& [instruction, count] : counts)
      if (count.all > 0)
        trace.sharing.try_emplace(instruction, Sharing{.l2 = count.l2 / count.all,
                                                       .arriving = count.arriving / count.all,
                                                       .mall = count.mall / count.all});
  };
  add();
  // Instructions that only follow later: from the neighbours, which were observed whole.
  counts.clear();
  l2.assign(gpu.xcds, {});
  mall.clear();
  groups.clear();
  for (GroupTrace& group : trace.neighbours())
    if (group.workgroup < end) groups.push_back(&group);
  touched.assign(groups.size(), {});
  take_turns(groups, ~0ull, send);
  add();
}

/// What workgroups hand to each other: of the loads that see what others wrote, those of what
/// another one stores, and such stores.
void find_handovers(const gpus::Gpu& gpu, LaunchTrace& trace) {
  constexpr unsigned flag_bytes = l2_line;  // what the longest requests are of
  const auto for_each = [&](auto& groups, auto&& f) {
    for (auto& group : groups)
      for (auto& wave : group.waves)
        for (auto& request : wave.requests)
          if (request.in_vector_memory() &&
              (request.stores || isa::is_coherent(*request.instruction)))
            for (std::uint32_t i = 0; i < request.count; ++i)
              f(group.workgroup, request,
                group.lines[request.first + i] * request_bytes(gpu, request.stores) / flag_bytes);
  };
  std::unordered_map<std::uint64_t, std::set<std::uint64_t>> asked, stored;  // by workgroups
  for (const auto* groups : {&std::as_const(trace).neighbours(), &std::as_const(trace).others()})
    for_each(*groups, [&](std::uint64_t group, const Request& request, std::uint64_t flag) {
      if (!request.stores) asked[flag].insert(group);
    });
  if (asked.empty()) return;
  for (const auto* groups : {&std::as_const(trace).neighbours(), &std::as_const(trace).others()})
    for_each(*groups, [&](std::uint64_t group, const Request& request, std::uint64_t flag) {
      if (request.stores && asked.contains(flag)) stored[flag].insert(group);
    });
  const auto by_another = [](const auto& some, std::uint64_t flag, std::uint64_t group) {
    const auto at = some.find(flag);
    return at != some.end() && at->second.size() > at->second.contains(group);
  };
  for_each(trace.neighbours(), [&](std::uint64_t group, Request& request, std::uint64_t flag) {
    if (request.stores)
      request.hands_over |= by_another(asked, flag, group);
    else
      request.awaits |= by_another(stored, flag, group);
  });
}

/// What an earlier simulation has found.
void forget_caches(LaunchTrace& trace) {
  trace.sharing.clear();
  for (GroupTrace& group : trace.neighbours())
    for (WaveTrace& wave : group.waves)
      for (Request& request : wave.requests) {
        request.from_l1 = request.from_l2 = request.first_touches = request.reused = 0;
        request.pages = 0;
        request.awaits = request.hands_over = false;
      }
}

}  // namespace

Cache::Cache(std::uint64_t bytes, unsigned line, unsigned ways)
    : ways_(ways),
      sets_(std::max<std::uint64_t>(1, bytes / line / ways)),
      lines_(sets_ * ways, kNone) {}

bool Cache::touch(std::uint64_t line, bool streams) {
  const std::uint64_t set = (line ^ line / sets_ ^ line / sets_ / sets_) % sets_;
  const auto begin = lines_.begin() + static_cast<std::ptrdiff_t>(set * ways_);
  const auto end = begin + ways_;
  auto at = std::find(begin, end, line);
  const bool hit = at != end;
  if (!hit) *(at = end - 1) = line;
  if (!streams) std::rotate(begin, at, at + 1);
  return hit;
}

void simulate_caches(const gpus::Gpu& gpu, LaunchTrace& trace) {
  forget_caches(trace);
  Shared before = simulate_before(gpu, trace);
  for (unsigned xcd = 0; xcd < gpu.xcds; ++xcd) {
    std::vector<GroupTrace*> groups;
    for (GroupTrace& group : trace.neighbours())
      if (group.workgroup % gpu.xcds == xcd) groups.push_back(&group);
    if (!groups.empty()) simulate_neighbours(gpu, groups, trace.at_once_of_xcd(), before.l2);
  }
  simulate_sharing(gpu, trace, std::move(before));
  find_handovers(gpu, trace);
  trace.footprint = footprint(gpu, trace);
}

}  // namespace hipsight::profile
