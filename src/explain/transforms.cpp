#include "explain/transforms.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

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

void without_bank_conflicts(LaunchTrace& trace) {
  for (GroupTrace& group : trace.neighbours())
    for_each_request(group, [](Request& request) {
      if (request.space == Space::Lds)
        request.lds_cycles = std::min(request.lds_cycles, request.least);
    });
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

void without_scratch(LaunchTrace& trace) {
  for (GroupTrace& group : trace.neighbours())
    for (profile::WaveTrace& wave : group.waves)
      std::erase_if(wave.requests, [](const Request& r) { return r.space == Space::Scratch; });
}

bool split(LaunchTrace& trace, engine::Result& result, unsigned parts) {
  for (std::vector<GroupTrace>* groups : {&trace.neighbours(), &trace.others()})
    for (GroupTrace& group : *groups) {
      for (profile::WaveTrace& wave : group.waves) {
        const std::size_t steps = wave.path.size(), kept = steps / parts;
        if (kept < 2) return false;
        const std::size_t begin = kept / 2, end = steps - (kept - begin);
        wave.path.erase(wave.path.begin() + static_cast<std::ptrdiff_t>(begin),
                        wave.path.begin() + static_cast<std::ptrdiff_t>(end));
        std::erase_if(wave.requests,
                      [&](const Request& r) { return r.step >= begin && r.step < end; });
        for (Request& request : wave.requests)
          if (request.step >= end) request.step -= static_cast<std::uint32_t>(end - begin);
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

}  // namespace hipsight::explain
