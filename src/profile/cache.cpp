#include "profile/cache.h"

#include <algorithm>

namespace hipsight::profile {

Cache::Cache(std::uint64_t bytes, unsigned line, unsigned ways)
    : ways_(ways),
      sets_(std::max<std::uint64_t>(1, bytes / line / ways)),
      lines_(sets_ * ways, kNone) {}

bool Cache::touch(std::uint64_t line) {
  const std::uint64_t set = (line ^ line / sets_ ^ line / sets_ / sets_) % sets_;
  const auto begin = lines_.begin() + static_cast<std::ptrdiff_t>(set * ways_);
  const auto end = begin + ways_;
  auto at = std::find(begin, end, line);
  const bool hit = at != end;
  if (!hit) *(at = end - 1) = line;
  std::rotate(begin, at, at + 1);
  return hit;
}

void simulate_caches(const gpus::Gpu& gpu, LaunchTrace& trace) {
  constexpr unsigned l2_line = 128;  // AMD CDNA3 and CDNA4 white papers; RDNA ISA guides
  std::vector<GroupTrace>& groups = trace.neighbours();
  const std::size_t units = std::max(1u, gpu.compute_units / gpu.xcds);
  std::vector<Cache> l1(std::min(units, groups.size()),
                        Cache(gpu.l1_bytes_per_cu.value_or(16384), request_bytes(gpu, false)));
  Cache l2(gpu.l2_bytes / gpu.xcds, l2_line);
  // What was stored goes to memory once, however often it is: when it leaves the L2, or at the end.
  Cache dirty(gpu.l2_bytes / gpu.xcds, request_bytes(gpu, true));
  const auto send = [&](std::size_t g, Request& request) {
    for (std::uint32_t i = 0; i < request.count; ++i) {
      const std::uint64_t line = groups[g].lines[request.first + i];
      if (!request.stores && l1[g % l1.size()].touch(line)) {
        ++request.from_l1;
        continue;
      }
      const bool is_there = l2.touch(line * request_bytes(gpu, request.stores) / l2_line);
      if (request.stores ? dirty.touch(line) : is_there) ++request.from_l2;
    }
  };
  // The next request of each wave.
  std::vector<std::vector<std::size_t>> next(groups.size());
  for (std::size_t g = 0; g < groups.size(); ++g) next[g].resize(groups[g].waves.size());
  for (bool more = true; more;) {
    more = false;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      for (std::size_t w = 0; w < groups[g].waves.size(); ++w) {
        std::vector<Request>& requests = groups[g].waves[w].requests;
        std::size_t& at = next[g][w];
        while (at < requests.size() && requests[at].space != engine::Access::Space::Global &&
               requests[at].space != engine::Access::Space::Scratch)
          ++at;
        if (at == requests.size()) continue;
        send(g, requests[at++]);
        more = true;
      }
    }
  }
}

}  // namespace hipsight::profile
