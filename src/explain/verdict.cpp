#include "explain/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "support/quantity.h"

namespace hipsight::explain {
namespace {

using timing::Roof;

// Roofs that hold however good the caches are.
bool is_certain(Roof::Kind kind) {
  return kind != Roof::Kind::L2 && kind != Roof::Kind::Dram && kind != Roof::Kind::Launch;
}

// Below this share of busy compute units the grid is too small for the GPU.
constexpr double kFilled = 0.9;

std::string too_small(const gpus::Gpu& gpu, const timing::Roofs& roofs) {
  if (roofs.busy_compute_units >= kFilled * gpu.compute_units) return "";
  return fmt::format(" The grid is too small: {:.0f} of {} compute units have a workgroup.",
                     std::max(roofs.busy_compute_units, 1.0), gpu.compute_units);
}

}  // namespace

std::string_view caveat() {
  return "UNVALIDATED first-order roofs: the time of one resource alone, at peak clock. L2 and "
         "DRAM "
         "count every request as if no cache helped; coalescing, latency, LDS bank conflicts and "
         "clocks under load are not modelled.";
}

Verdict verdict(const gpus::Gpu& gpu, const timing::Launches& launches,
                const timing::Roofs& roofs) {
  Verdict result;
  const profile::Summary& summary = *launches.summary;
  if (const double bytes = summary.memory_bytes(); bytes > 0)
    result.arithmetic_intensity = summary.floating_operations() / bytes;

  std::vector<Roof> certain;  // longest first
  for (const Roof& roof : roofs.roofs)
    if (is_certain(roof.kind)) certain.push_back(roof);
  const Roof* launch = roofs.find(Roof::Kind::Launch);
  const Roof* requests = roofs.find(Roof::Kind::Dram);
  const double work =
      std::max(certain.empty() ? 0 : certain.front().seconds, requests ? requests->seconds : 0);

  const auto bind = [&](const Roof& roof) {
    result.bound = roof.name;
    result.seconds = roof.seconds;
  };
  if (launch && launch->seconds >= work) {
    bind(*launch);
    result.sentence = fmt::format(
        "Launch-bound: {} launch{} take{} {}, the longest roof of the work itself only {}.",
        summary.launches, summary.launches == 1 ? "" : "es", summary.launches == 1 ? "s" : "",
        duration(launch->seconds), duration(work));
  } else if (requests && (certain.empty() || requests->seconds > certain.front().seconds)) {
    bind(*requests);
    result.sentence =
        fmt::format("Memory-bound unless caches help: DRAM needs {} for all bytes requested",
                    duration(requests->seconds));
    if (certain.empty()) {
      result.sentence += ".";
    } else {
      result.sentence += fmt::format("; if caches caught all, {} would bind, at {}.",
                                     certain.front().name, duration(certain.front().seconds));
    }
  } else if (!certain.empty()) {
    bind(certain.front());
    result.sentence =
        fmt::format("Bound by {}: {}", certain.front().name, duration(certain.front().seconds));
    const Roof* next = certain.size() > 1 ? &certain[1] : nullptr;
    if (requests && (!next || requests->seconds > next->seconds)) next = requests;
    if (next)
      result.sentence +=
          fmt::format("; next is {} with {} ({:.0f} % of it)", next->name, duration(next->seconds),
                      100 * next->seconds / certain.front().seconds);
    result.sentence += ".";
  } else {
    result.sentence = "Nothing to bound: no instruction ran.";
    return result;
  }
  result.sentence += too_small(gpu, roofs);
  return result;
}

}  // namespace hipsight::explain
