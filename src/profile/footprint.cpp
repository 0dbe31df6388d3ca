#include "profile/footprint.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_set>
#include <utility>

namespace hipsight::profile {
namespace {

using Range = std::pair<double, double>;  // bytes, from and to

/// Calls `visit` for the request, and the first byte and the bytes of each line.
template <class Visit>
void visit_lines(const gpus::Gpu& gpu, const GroupTrace& group, Visit&& visit) {
  for (const WaveTrace& wave : group.waves)
    for (const Request& request : wave.requests) {
      if (!request.in_vector_memory()) continue;
      const std::uint64_t bytes = request_bytes(gpu, request.stores);
      for (std::uint32_t i = 0; i < request.count; ++i)
        visit(request, group.lines[request.first + i] * bytes, bytes);
    }
}

/// The bytes of all ranges together.
double merged(std::vector<Range> ranges) {
  std::ranges::sort(ranges);
  double bytes = 0, end = 0;
  for (const auto& [from, to] : ranges) {
    if (to <= end) continue;
    bytes += to - std::max(from, end);
    end = to;
  }
  return bytes;
}

}  // namespace

Footprint footprint(const gpus::Gpu& gpu, const LaunchTrace& trace) {
  std::map<const isa::Instruction*, std::pair<std::uint64_t, std::uint64_t>> spans;
  const auto extend = [&](const Request& request, std::uint64_t from, std::uint64_t bytes) {
    auto& span = spans.try_emplace(request.instruction, from, from).first->second;
    span.first = std::min(span.first, from);
    span.second = std::max(span.second, from + bytes);
  };
  // Of the groups that were observed whole: sectors of 64 bytes, all and of each.
  std::unordered_set<std::uint64_t> all;
  double of_each = 0, groups = 0;
  bool cut = false;
  for (const auto* traces : {&trace.neighbours(), &trace.others()})
    for (const GroupTrace& group : *traces) {
      cut |= group.cut;
      std::unordered_set<std::uint64_t> own;
      visit_lines(gpu, group, [&](const Request& request, std::uint64_t from, std::uint64_t bytes) {
        extend(request, from, bytes);
        for (std::uint64_t at = from; at < from + bytes; at += 64) own.insert(at / 64);
      });
      of_each += 64.0 * double(own.size());
      ++groups;
      all.merge(own);
    }
  if (groups == 0) return {};
  const double most = of_each / groups * double(trace.workgroups());
  // XCDs get workgroups in turn.
  const double turns = std::ceil(double(trace.workgroups()) / gpu.xcds),
               of_xcd = of_each / groups * turns;
  const auto made = [&](double bytes) {
    return Footprint{.launch = bytes, .xcd = cut ? bytes : std::min(bytes, of_xcd)};
  };
  if (double(trace.workgroups()) <= groups && !cut) return made(64.0 * double(all.size()));

  for (const GroupTrace& group : trace.openings()) visit_lines(gpu, group, extend);
  // Workgroups at n places all over the grid lie in (n - 1) / (n + 1) of it, on the average.
  const double places = double(trace.others().size()) + 1,
               wider = places > 1 ? 2 / (places - 1) : 0;
  std::vector<Range> ranges;
  for (const auto& [instruction, span] : spans) {
    const double from = double(span.first), to = double(span.second),
                 more = trace.workgroups() > groups ? (to - from) * wider / 2 : 0;
    ranges.emplace_back(from - more, to + more);
  }
  const double bytes = merged(std::move(ranges));
  return made(cut ? bytes : std::min(bytes, most));
}

Peers peers(const gpus::Gpu& gpu, const LaunchTrace& trace, std::span<const PeerMemory> memory) {
  if (memory.empty()) return {};
  Peers all;
  std::unordered_set<int> devices;
  trace.for_each_whole([&](const GroupTrace& group, double each) {
    std::unordered_set<std::uint64_t> own;
    visit_lines(gpu, group, [&](const Request&, std::uint64_t from, std::uint64_t bytes) {
      const auto at = std::ranges::upper_bound(memory, from, {}, &PeerMemory::end);
      if (at == memory.end() || from + bytes <= at->begin) return;
      devices.insert(at->device);
      for (std::uint64_t part = from; part < from + bytes; part += 64) own.insert(part / 64);
    });
    all.bytes += each * 64 * double(own.size());
  });
  all.gpus = static_cast<unsigned>(devices.size());
  return all;
}

double kept_share(double footprint, double capacity) {
  constexpr double ways = 16;
  if (footprint <= capacity) return 1;
  if (capacity <= 0) return 0;
  const double load = footprint / capacity;
  return std::clamp(1 + ways * (1 - load), 0.0, 1.0) / load;
}

}  // namespace hipsight::profile
