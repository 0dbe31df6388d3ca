#include "explain/transforms.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "explain/on_code.h"
#include "explain/on_trace.h"
#include "support/error.h"
#include "timing/assumed.h"

namespace hipsight::explain {

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
  with_faster_lds(launch.trace(), by);
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

/// The VGPRs in which loads that are issued one trip earlier keep what they bring.
std::string with_early_loads(Changed& launch, double) {
  auto loads = may_go_earlier(*launch.launch().trace, *launch.launch().result,
                              launch.launch().wavefront_size);
  if (loads.empty()) return "no load of a loop can be issued one trip earlier";
  for (const isa::Instruction* load : loads)
    launch.resources().vgprs += load->row->memory.all_dwords();
  launch.rewrite().one_trip_earlier =
      std::make_shared<const timing::Rewrite::Instructions>(std::move(loads));
  return launch.why_none();
}

std::string without_accesses_to_scratch(Changed& launch, double) {
  launch.leave_out(without_scratch(launch.trace()));
  return {};
}

std::string with_packed_maths(Changed& launch, double) {
  auto second = packable(*launch.launch().result, launch.launch().wavefront_size);
  if (second.empty()) return "no two instructions can be one";
  launch.leave_out(std::move(second));
  return {};
}

std::string unrolled(Changed& launch, double trips) {
  launch.rewrite().unrolled = static_cast<unsigned>(trips);
  return {};
}

std::string without_divergence(Changed& launch, double) {
  regroup_lanes(launch.trace(), launch.result(), launch.launch().wavefront_size);
  return {};
}

std::string without_launch(Changed& launch, double) {
  launch.gpu().launch_us = 0;
  launch.gpu().launch_interval_us = 0;
  return {};
}

std::string on_trace(Changed& launch, void (*change)(profile::LaunchTrace&)) {
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
    {contended, "no lanes of an atomic to LDS wait for each other", "", 0,
     [](Changed& launch, double) { return on_trace(launch, without_contention); }},
    {uncoalesced, "adjacent lanes access adjacent addresses", "", 0,
     [](Changed& launch, double) { return on_trace(launch, made_contiguous); }},
    {spills, "no access to scratch memory", "", 0, without_accesses_to_scratch},
    {narrow, "16 bytes a lane and access, where adjacent lanes access adjacent addresses", "", 0,
     [](Changed& launch, double) {
       widen(launch.trace(), launch.launch().wavefront_size);
       return std::string();
     }},
    {divergence, "lanes that go the same way lie in the same wave", "", 0, without_divergence},
    {late_loads, "loads of a loop that are issued one trip earlier", "", 0, with_early_loads},
    {strong_waits, "waves wait for what they use next, not for more", "", 0,
     [](Changed& launch, double) {
       launch.rewrite().exact_waits = true;
       return std::string();
     }},
    {unpacked, "packed (CDNA) or dual (RDNA) instructions where two can be one", "", 0,
     with_packed_maths},
    {dependent, "enough independent work between a result and its use", "", 0,
     [](Changed& launch, double) {
       launch.rewrite().results_at_once = true;
       return std::string();
     }},
    {short_loop, "loops that are unrolled so many times", "TRIPS", 8, unrolled},
    {scratch_arrays, "no access to scratch memory", "", 0, without_accesses_to_scratch},
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
