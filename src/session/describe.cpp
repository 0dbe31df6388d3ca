#include "session/describe.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <tuple>
#include <utility>

#include "code/readable_name.h"
#include "session/launch_rules.h"
#include "session/locations.h"
#include "timing/roofs.h"

namespace hipsight::session {
namespace {

std::string_view kind_of(timing::Roof::Kind kind) {
  using Kind = timing::Roof::Kind;
  switch (kind) {
    case Kind::Vector:
      return "vector";
    case Kind::Matrix:
      return "matrix";
    case Kind::Issue:
      return "issue";
    case Kind::WaveIssue:
      return "wave_issue";
    case Kind::Lds:
      return "lds";
    case Kind::L2:
      return "l2";
    case Kind::Dram:
      return "dram_requested";
    case Kind::DramCompulsory:
      return "dram_compulsory";
    case Kind::Launch:
      return "launch";
  }
  return "?";
}

Traffic traffic(const profile::Bytes& bytes) {
  return {bytes.read, bytes.written};
}

std::vector<Amount> operations(const std::array<double, profile::kNumbers>& counts) {
  std::vector<Amount> amounts;
  for (std::size_t i = 0; i < profile::kNumbers; ++i)
    if (isa::Number(i) != isa::Number::None && counts[i] > 0)
      amounts.push_back({std::string(isa::text(isa::Number(i))), counts[i]});
  return amounts;
}

constexpr std::size_t most_hot_lines = 16;

/// By line; instructions of no known line stand for themselves.
template <class LocationOf>
std::vector<HotLine> hot_lines(const timing::Prediction& from, LocationOf&& location) {
  struct Sum {
    HotLine line;
    std::map<std::string_view, double> causes;
  };
  std::map<std::tuple<std::string, std::uint32_t, std::uint64_t>, Sum> sums;
  for (const timing::Prediction::Hot& hot : from.hot) {
    Location at = location(hot.at);
    if (at.line) at.instruction.clear(), at.address = 0;
    Sum& sum = sums[{at.file, at.line, at.address}];
    sum.line.at = std::move(at);
    sum.line.share += hot.share;
    sum.causes[hot.cause] += hot.share;
  }
  std::vector<HotLine> lines;
  for (auto& [key, sum] : sums) {
    const auto most =
        std::ranges::max_element(sum.causes, {}, [](const auto& cause) { return cause.second; });
    sum.line.cause = most->first;
    lines.push_back(std::move(sum.line));
  }
  std::ranges::stable_sort(lines, std::ranges::greater(), &HotLine::share);
  if (lines.size() > most_hot_lines) lines.resize(most_hot_lines);
  return lines;
}

}  // namespace

GpuFacts describe(const gpus::Gpu& gpu) {
  GpuFacts facts;
  facts.name = gpu.name;
  facts.title = gpu.title;
  facts.target_id = gpu.target_id;
  facts.file = gpu.file;
  facts.compute_units = gpu.compute_units;
  facts.simds_per_cu = gpu.simds_per_cu;
  facts.wavefront_size = gpu.wavefront_size;
  facts.clock_ghz = gpu.clock_ghz;
  facts.dram_bytes = gpu.dram_bytes;
  facts.dram_gb_per_s = gpu.dram_gb_per_s;
  for (const gpus::Gpu::Rate& rate : gpu.rates)
    if (rate.matrix)
      facts.matrix_per_second.push_back(
          {rate.type, *rate.matrix * gpu.compute_units * gpu.clock_ghz * 1e9});
  return facts;
}

KernelFacts describe(const code::Kernel& kernel, const code::CodeObject* object) {
  KernelFacts facts;
  facts.name = kernel.name;
  facts.title = code::readable_name(kernel.name);
  if (object) facts.target = object->target().text();
  facts.wavefront_size = kernel.wavefront_size;
  facts.vgprs = kernel.vgprs;
  facts.agprs = kernel.agprs;
  facts.sgprs = kernel.sgprs;
  facts.vgpr_spills = kernel.vgpr_spills;
  facts.sgpr_spills = kernel.sgpr_spills;
  facts.lds_bytes = kernel.lds_bytes;
  facts.scratch_bytes = kernel.scratch_bytes;
  facts.code_bytes = kernel.code_size;
  facts.max_workgroup_size = kernel.max_flat_workgroup_size;
  for (const code::Argument& argument : kernel.arguments)
    if (!argument.is_hidden())
      facts.arguments.push_back(
          {argument.name, argument.value_kind == "global_buffer", argument.size});
  return facts;
}

Counts describe(const profile::Summary& summary, std::uint32_t wavefront_size) {
  Counts counts;
  counts.launches = summary.launches;
  counts.workgroups = summary.workgroups;
  counts.waves = summary.waves;
  counts.instructions = summary.all_instructions();
  for (std::size_t i = 0; i < profile::kPipes; ++i)
    counts.by_pipe.push_back(
        {std::string(isa::text(isa::Pipe(i))), static_cast<double>(summary.instructions[i])});
  counts.active_lanes = summary.active_lanes(wavefront_size);
  counts.vector_operations = operations(summary.vector_operations);
  counts.matrix_operations = operations(summary.matrix_operations);
  counts.floating_operations = summary.floating_operations();
  counts.global = traffic(summary.global);
  counts.flat = traffic(summary.flat);
  counts.lds = traffic(summary.lds);
  counts.scratch = traffic(summary.scratch);
  counts.scalar = traffic(summary.scalar);
  counts.host_seconds = summary.host_seconds;
  return counts;
}

Occupancy occupancy_facts(const gpus::Gpu& gpu, const timing::Resources& resources) {
  const timing::Occupancy from = timing::occupancy(gpu, resources);
  Occupancy occupancy;
  occupancy.waves_per_simd = from.waves_per_simd();
  occupancy.max_waves_per_simd = from.max_waves_per_simd;
  occupancy.workgroups = from.workgroups;
  occupancy.simds = from.simds;
  occupancy.limiter = timing::text(from.limiter);
  occupancy.compiler_waves_per_simd = from.compiler_waves_per_simd;
  occupancy.sentence = timing::text(from);
  if (const auto fewer = timing::with_fewer_vgprs(gpu, resources))
    occupancy.steps.push_back({"VGPRs", fewer->vgprs, fewer->occupancy.waves_per_simd()});
  if (const auto less = timing::with_less_lds(gpu, resources))
    occupancy.steps.push_back({"bytes of LDS", less->bytes, less->occupancy.waves_per_simd()});
  return occupancy;
}

Roofline roofline(const gpus::Gpu& gpu, const profile::Summary& summary,
                  const timing::Occupancy& occupancy, std::uint32_t wavefront_size) {
  const timing::Roofs roofs = timing::roofs(gpu, {&summary, occupancy, wavefront_size, {}});
  Roofline roofline;
  if (const double bytes = summary.memory_bytes(); bytes > 0)
    roofline.arithmetic_intensity = summary.floating_operations() / bytes;
  for (const timing::Roof& roof : roofs.roofs)
    roofline.roofs.push_back(
        {std::string(kind_of(roof.kind)), roof.name, roof.seconds, roof.evidence, roof.per_second});
  roofline.unknown = roofs.unknown;
  return roofline;
}

Prediction describe(const timing::Prediction& from, const code::CodeObject& object) {
  Prediction prediction;
  prediction.seconds = from.seconds;
  prediction.launch_seconds = from.launch_seconds;
  prediction.cycles = from.cycles;
  prediction.clock_ghz = from.clock_ghz;
  prediction.bound = {from.bound.kind, from.bound.of, timing::text(from.bound)};
  for (const auto& unit : from.units) prediction.busy.push_back({unit.name, unit.busy});
  for (const auto& cause : from.stalls) prediction.stalls.push_back({cause.name, cause.share});
  Locations locations(object);
  const auto location = [&](const isa::Instruction* in) {
    return in ? locations.of(*in) : Location();
  };
  for (const timing::Prediction::Wait& wait : from.waits)
    prediction.waits.push_back(
        {location(wait.at), location(wait.of), std::string(wait.cause), wait.share});
  prediction.full_occupancy_seconds = from.full_occupancy_seconds;
  prediction.family = from.family;
  if (from.error) {
    const auto [least, most] = from.seconds_between();
    prediction.error =
        ModelError{from.error->median, from.error->p90, from.error->points, least, std::nullopt};
    if (std::isfinite(most)) prediction.error->seconds_at_most = most;
  }
  prediction.lines = hot_lines(from, location);
  prediction.workgroups_per_cu = from.workgroups_per_cu;
  prediction.simulated = from.simulated;
  return prediction;
}

Fidelity describe(const profile::FidelitySummary& summary) {
  Fidelity fidelity;
  for (const isa::Fidelity kind :
       {isa::Fidelity::Exact, isa::Fidelity::Approximate, isa::Fidelity::Assumed})
    fidelity.executions.push_back(
        {std::string(isa::text(kind)), static_cast<double>(summary.executions_of(kind))});
  for (const auto& [name, of] : summary.inexact)
    fidelity.inexact.push_back({std::string(name), of.executions,
                                std::string(isa::text(of.note.fidelity)),
                                std::string(of.note.why)});
  return fidelity;
}

engine::Dim3 workgroups(const engine::Dispatch& dispatch) {
  const auto divide = [](std::uint32_t a, std::uint32_t b) {
    return static_cast<std::uint32_t>((std::uint64_t{a} + b - 1) / std::max(b, 1u));
  };
  return {divide(dispatch.grid.x, dispatch.block.x), divide(dispatch.grid.y, dispatch.block.y),
          divide(dispatch.grid.z, dispatch.block.z)};
}

timing::Resources resources(const gpus::Gpu& gpu, const engine::Dispatch& dispatch) {
  return resources_of(gpu, *dispatch.kernel, static_cast<std::uint32_t>(dispatch.block.volume()),
                      dispatch.dynamic_lds);
}

}  // namespace hipsight::session
