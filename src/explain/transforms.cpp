#include "explain/transforms.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "support/error.h"
#include "timing/assumed.h"

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

std::optional<timing::Resources> for_more_waves(const gpus::Gpu& gpu,
                                                const timing::Resources& resources) {
  timing::Resources less = resources;
  if (const auto fewer = timing::with_fewer_vgprs(gpu, resources))
    less.vgprs = fewer->vgprs;
  else if (const auto little = timing::with_less_lds(gpu, resources))
    less.lds_bytes = little->bytes;
  else
    return std::nullopt;
  return less;
}

namespace {

void set(Changed& launch, std::string_view key, double value) {
  gpus::set(launch.gpu(), key, value, "what if");
}

/// Another number of a GPU, and, of those that its file has, others in proportion.
void scale(Changed& launch, std::string_view key, std::optional<double> now, double by) {
  if (now) set(launch, key, *now * by);
}

std::string with_clock(Changed& launch, double ghz) {
  const gpus::Gpu was = *launch.launch().gpu;
  const double by = ghz / was.clock_ghz;
  set(launch, "clock_ghz", ghz);
  // The L2 has the engine's clock. Files have latencies in cycles of it, and what lies beyond the
  // L2 takes as long as ever.
  scale(launch, "l2_gb_per_s", was.l2_gb_per_s, by);
  scale(launch, "mall_latency", was.mall_latency, by);
  set(launch, "dram_latency", was.dram_latency.value_or(timing::assumed::dram_latency) * by);
  return {};
}

std::string with_compute_units(Changed& launch, double count) {
  const gpus::Gpu& was = *launch.launch().gpu;
  // A GPU whose file has no rate of the L2 has one for each compute unit.
  set(launch, "compute_units", count);
  gpus::check(launch.gpu());
  if (was.shader_engines && *was.shader_engines > count) set(launch, "shader_engines", count);
  return {};
}

std::string with_caches(Changed& launch, std::string_view key, double bytes) {
  set(launch, key, bytes);
  launch.simulate_caches();
  return {};
}

std::string with_lds(Changed& launch, double bytes) {
  const gpus::Gpu& was = *launch.launch().gpu;
  const double of_workgroup = double(was.max_lds_per_workgroup) / was.lds_bytes_per_cu;
  set(launch, "lds_bytes_per_cu", bytes);
  set(launch, "max_lds_per_workgroup", std::max(1.0, std::floor(of_workgroup * bytes)));
  return {};
}

std::string with_bandwidth(Changed& launch, double gb_per_s) {
  const gpus::Gpu was = *launch.launch().gpu;
  set(launch, "dram_gb_per_s", gb_per_s);
  scale(launch, "dram_gb_per_s_measured", was.dram_gb_per_s_measured, gb_per_s / was.dram_gb_per_s);
  return {};
}

std::string with_matrix_rate(Changed& launch, double by) {
  for (gpus::Gpu::Rate& rate : launch.gpu().rates)
    if (rate.matrix) *rate.matrix *= by;
  return {};
}

std::string with_lds_rate(Changed& launch, double by) {
  for (GroupTrace& group : launch.trace().neighbours())
    for_each_request(group, [&](Request& request) {
      if (request.space != Space::Lds) return;
      for (std::uint16_t* cycles : {&request.lds_cycles, &request.least})
        *cycles = static_cast<std::uint16_t>(std::min(std::ceil(*cycles / by), 65535.0));
    });
  return {};
}

/// `waves` of a SIMD, or more; 0: the next step.
std::string with_more_waves(Changed& launch, double waves) {
  const gpus::Gpu& gpu = *launch.launch().gpu;
  timing::Resources& resources = launch.resources();
  const timing::Occupancy now = timing::occupancy(gpu, resources);
  if (waves > now.max_waves_per_simd)
    return fmt::format("a SIMD takes {} waves at most", now.max_waves_per_simd);
  if (waves > 0 && now.waves_per_simd() >= waves)
    return fmt::format("it has {:.3g} waves a SIMD", now.waves_per_simd());
  do {
    const auto less = for_more_waves(gpu, resources);
    if (!less)
      return "fewer VGPRs or less LDS do not help: " +
             timing::text(timing::occupancy(gpu, resources));
    resources = *less;
  } while (timing::occupancy(gpu, resources).waves_per_simd() < waves);
  return {};
}

std::string in_parts(Changed& launch, double parts) {
  const bool done = split(launch.trace(), launch.result(), static_cast<unsigned>(parts));
  return done ? "" : "its waves do too little for so many parts";
}

std::string without_launch(Changed& launch, double) {
  launch.gpu().launch_us = 0;
  launch.gpu().launch_interval_us = 0;
  return {};
}

std::string on_trace(Changed& launch, void (*change)(LaunchTrace&)) {
  change(launch.trace());
  return {};
}

constexpr Transform table[]{
    {"clock", "the engine's clock, and the L2's", "GHZ", {}, with_clock},
    {"compute-units",
     "compute units; caches and memory stay as they are",
     "N",
     {},
     with_compute_units},
    {"memory-bandwidth", "what memory gives", "GB/S", {}, with_bandwidth},
    {"lds", "LDS of a compute unit", "BYTES", {}, with_lds},
    {"matrix-rate", "matrix units that are so many times as fast", "FACTOR", {}, with_matrix_rate},
    {"l1",
     "the L1 of a compute unit",
     "BYTES",
     {},
     [](Changed& launch, double bytes) { return with_caches(launch, "l1_bytes_per_cu", bytes); },
     true},
    {"l2",
     "the L2 of the whole GPU",
     "BYTES",
     {},
     [](Changed& launch, double bytes) { return with_caches(launch, "l2_bytes", bytes); },
     true},
    {"mall",
     "the MALL of the whole GPU",
     "BYTES",
     {},
     [](Changed& launch, double bytes) { return with_caches(launch, "mall_bytes", bytes); },
     true},
    {"lds-rate", "LDS that is so many times as fast", "FACTOR", {}, with_lds_rate},
    {bank_conflicts, "no bank conflicts in LDS", "", 0,
     [](Changed& launch, double) { return on_trace(launch, without_bank_conflicts); }},
    {uncoalesced, "adjacent lanes access adjacent addresses", "", 0,
     [](Changed& launch, double) { return on_trace(launch, made_contiguous); }},
    {spills, "no access to scratch memory", "", 0,
     [](Changed& launch, double) { return on_trace(launch, without_scratch); }},
    {occupancy, "VGPRs and LDS for so many waves a SIMD", "WAVES", 0, with_more_waves},
    {small_grid, "each workgroup's work shared among so many", "PARTS", 2, in_parts},
    {launch_overhead, "a launch that takes no time of its own", "", 0, without_launch},
};

}  // namespace

std::span<const Transform> transforms() {
  return table;
}

const Transform* transform(std::string_view id) {
  const auto at = std::ranges::find(table, id, &Transform::id);
  return at == std::end(table) ? nullptr : &*at;
}

}  // namespace hipsight::explain
