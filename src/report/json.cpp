#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "report/render.h"
#include "report/side_by_side.h"

// docs/report-schema.md describes what is written here; a change of meaning raises kVersion.

namespace hipsight::report {
namespace {

using Json = nlohmann::ordered_json;
constexpr int kVersion = 2;

std::string key_of(std::string_view text) {
  std::string key(text);
  std::transform(key.begin(), key.end(), key.begin(), [](unsigned char c) {
    return c == ' ' || c == '-' ? '_' : char(std::tolower(c));
  });
  return key;
}

Json dimensions(const Dim3& d) {
  return {d.x, d.y, d.z};
}

Json bytes(const Traffic& space) {
  return {{"read", space.read}, {"written", space.written}};
}

Json amounts(const std::vector<Amount>& amounts) {
  Json json = Json::object();
  for (const Amount& amount : amounts) json[key_of(amount.of)] = amount.value;
  return json;
}

/// Counts are whole.
Json instructions(const Counts& counts) {
  Json json = Json::object();
  json["all"] = counts.instructions;
  for (const Amount& pipe : counts.by_pipe)
    json[key_of(pipe.of)] = static_cast<std::uint64_t>(pipe.value);
  return json;
}

Json row(const ProfileRow& from) {
  Json json;
  if (!from.at.instruction.empty())
    json["text"] = from.at.instruction, json["address"] = from.at.address;
  json["file"] = from.at.line ? Json(from.at.file) : Json();
  json["line"] = from.at.line ? Json(from.at.line) : Json();
  json["executions"] = from.executions;
  json["active_lanes"] = from.active_lanes;
  if (from.requests > 0)
    json["vector_memory"] = {
        {"requests", from.requests}, {"sectors", from.sectors}, {"bytes", from.bytes}};
  if (from.caches.l1_loads || from.caches.l2_requests)
    json["caches"] = {{"l1_loads", from.caches.l1_loads},
                      {"l1_hits", from.caches.l1_hits},
                      {"l2_requests", from.caches.l2_requests},
                      {"l2_hits", from.caches.l2_hits}};
  if (from.lds_cycles > 0)
    json["lds_cycles"] = {{"all", from.lds_cycles}, {"conflicts", from.lds_conflict_cycles}};
  if (from.time > 0) json["time"] = from.time;
  if (from.live_vgprs) json["live_vgprs"] = *from.live_vgprs;
  if (from.live_agprs) json["live_agprs"] = *from.live_agprs;
  return json;
}

Json profile(const Profile& report) {
  Json json = {{"launch", report.launch},
               {"workgroups", report.workgroups},
               {"observed", report.observed},
               {"neighbours", report.neighbours},
               {"sampling_error", report.sampling_error},
               {"cut", report.cut},
               {"all", row(report.all)},
               {"lines", Json::array()},
               {"instructions", Json::array()}};
  for (const auto& line : report.lines) json["lines"].push_back(row(line));
  for (const auto& instruction : report.instructions)
    json["instructions"].push_back(row(instruction));
  return json;
}

Json place(const Location& place) {
  return {{"instruction", place.instruction},
          {"address", place.address},
          {"file", place.file.empty() ? Json() : Json(place.file)},
          {"line", place.line ? Json(place.line) : Json()}};
}

Json waits(const std::vector<Wait>& waits) {
  Json json = Json::array();
  for (const Wait& wait : waits)
    json.push_back({{"share", wait.share},
                    {"cause", key_of(wait.cause)},
                    {"at", place(wait.at)},
                    {"of", wait.of.instruction.empty() ? Json() : place(wait.of)}});
  return json;
}

Json prediction(const Prediction& p) {
  Json json = {{"seconds", p.seconds},
               {"launch_seconds", p.launch_seconds},
               {"cycles", p.cycles},
               {"clock_ghz", p.clock_ghz},
               {"bound", p.bound.sentence},
               {"full_occupancy_seconds",
                p.full_occupancy_seconds ? Json(*p.full_occupancy_seconds) : Json()},
               {"family", p.family.empty() ? Json() : Json(p.family)},
               {"validated", p.error.has_value()},
               {"workgroups_per_cu", p.workgroups_per_cu},
               {"simulated", p.simulated},
               {"busy", amounts(p.busy)},
               {"stalls", amounts(p.stalls)}};
  if (p.error)
    json["error"] = {
        {"median_percent", p.error->median_percent},
        {"p90_percent", p.error->p90_percent},
        {"points", p.error->points},
        {"seconds_at_least", p.error->seconds_at_least},
        {"seconds_at_most", p.error->seconds_at_most ? Json(*p.error->seconds_at_most) : Json()}};
  json["waits"] = waits(p.waits);
  json["lines"] = Json::array();
  for (const HotLine& line : p.lines)
    json["lines"].push_back({{"share", line.share},
                             {"cause", line.cause.empty() ? Json() : Json(key_of(line.cause))},
                             {"at", place(line.at)}});
  return json;
}

Json verdict(const Verdict& verdict) {
  Json advice = Json::array();
  for (const Advice& one : verdict.advice)
    advice.push_back({{"id", one.id},
                      {"change", one.change},
                      {"evidence", one.evidence},
                      {"at", one.at.instruction.empty() ? Json() : place(one.at)},
                      {"seconds", one.seconds},
                      {"gain", one.gain}});
  Json what_if = Json::array();
  for (const WhatIf& one : verdict.what_if) {
    const bool can = one.why_none.empty();
    what_if.push_back({{"change", one.change},
                       {"seconds", can ? Json(one.seconds) : Json()},
                       {"gain", can ? Json(one.gain) : Json()},
                       {"bound", can ? Json(one.bound) : Json()},
                       {"why_none", can ? Json() : Json(one.why_none)}});
  }
  const bool there = !verdict.bound.empty();
  return {{"bound", there ? Json(verdict.bound) : Json()},
          {"seconds", there ? Json(verdict.seconds) : Json()},
          {"share", there ? Json(verdict.share) : Json()},
          {"advice", advice},
          {"what_if", what_if},
          {"why_none", there ? Json() : Json(verdict.why_none)}};
}

Json registers(const Registers& report) {
  Json json = {{"live_vgprs", report.live_vgprs},
               {"live_agprs", report.live_agprs},
               {"at", place(report.at)},
               {"calls", report.calls},
               {"for_more_waves", Json()},
               {"scratch_stores", report.scratch_stores},
               {"scratch_loads", report.scratch_loads}};
  if (report.vgprs_for_more)
    json["for_more_waves"] = {{"vgprs", *report.vgprs_for_more},
                              {"waves_per_simd", report.waves_per_simd_with_fewer}};
  const Location& line = report.scratch_line;
  json["most_scratch"] = line.line ? Json{{"file", line.file}, {"line", line.line}} : Json();
  return json;
}

Json fidelity(const Fidelity& fidelity) {
  Json json = Json::object();
  for (const Amount& kind : fidelity.executions)
    json[kind.of] = static_cast<std::uint64_t>(kind.value);
  json["inexact"] = Json::array();
  for (const Fidelity::Inexact& one : fidelity.inexact)
    json["inexact"].push_back({{"name", key_of(one.name)},
                               {"executions", one.executions},
                               {"fidelity", one.fidelity},
                               {"why", one.why}});
  return json;
}

Json kernel_json(const KernelReport& report) {
  const KernelFacts& kernel = report.kernel;
  const Counts& counts = report.counts;
  Json json;
  json["name"] = kernel.name;
  json["title"] = kernel.title;
  json["target"] = kernel.target;
  json["launches"] = counts.launches;
  json["grid_workgroups"] = dimensions(report.grid);
  json["grids_differ"] = report.grids_differ;
  json["block"] = dimensions(report.block);
  json["workgroups"] = counts.workgroups;
  json["waves"] = counts.waves;
  json["wavefront_size"] = kernel.wavefront_size;
  json["resources"] = {{"vgprs", kernel.vgprs},
                       {"agprs", kernel.agprs},
                       {"sgprs", kernel.sgprs},
                       {"vgpr_spills", kernel.vgpr_spills},
                       {"sgpr_spills", kernel.sgpr_spills},
                       {"lds_bytes", kernel.lds_bytes + report.dynamic_lds},
                       {"dynamic_lds_bytes", report.dynamic_lds},
                       {"scratch_bytes", kernel.scratch_bytes}};
  const Occupancy& occupancy = report.occupancy;
  json["occupancy"] = {{"waves_per_simd", occupancy.waves_per_simd},
                       {"max_waves_per_simd", occupancy.max_waves_per_simd},
                       {"workgroups", occupancy.workgroups},
                       {"simds", occupancy.simds},
                       {"limiter", key_of(occupancy.limiter)},
                       {"compiler_waves_per_simd", occupancy.compiler_waves_per_simd},
                       {"steps", Json::array()}};
  for (const OccupancyStep& step : occupancy.steps)
    json["occupancy"]["steps"].push_back({{"of", key_of(step.of)},
                                          {"at_most", step.at_most},
                                          {"waves_per_simd", step.waves_per_simd}});
  json["instructions"] = instructions(counts);
  json["active_lanes"] = counts.active_lanes;
  json["operations"] = {{"vector", amounts(counts.vector_operations)},
                        {"matrix", amounts(counts.matrix_operations)},
                        {"floating", counts.floating_operations}};
  json["bytes"] = {{"global", bytes(counts.global)},
                   {"flat", bytes(counts.flat)},
                   {"lds", bytes(counts.lds)},
                   {"scratch", bytes(counts.scratch)},
                   {"scalar", bytes(counts.scalar)}};
  json["verdict"] = verdict(report.verdict);
  const Roofline& roofline = report.roofline;
  json["arithmetic_intensity"] =
      roofline.arithmetic_intensity ? Json(*roofline.arithmetic_intensity) : Json();
  json["roofs"] = Json::array();
  for (const Roof& roof : roofline.roofs)
    json["roofs"].push_back({{"kind", roof.kind},
                             {"name", roof.name},
                             {"seconds", roof.seconds},
                             {"evidence", roof.evidence},
                             {"per_second", roof.per_second}});
  json["unknown_roofs"] = roofline.unknown;
  if (report.prediction) json["prediction"] = prediction(*report.prediction);
  if (report.registers) json["registers"] = registers(*report.registers);
  if (report.profile) json["profile"] = profile(*report.profile);
  if (report.fidelity) json["fidelity"] = fidelity(*report.fidelity);
  json["host_seconds"] = counts.host_seconds;
  json["range"] = report.range.empty() ? Json() : Json(report.range);
  return json;
}

Json timeline_json(const Timeline& timeline) {
  constexpr std::array kinds{"kernel", "copy", "fill", "event", "host_function", "other"};
  const auto kind = [&](TimelineOperation::Kind one) {
    return kinds.at(static_cast<std::size_t>(one));
  };
  Json json{{"seconds", timeline.seconds},
            {"kernel_seconds", timeline.kernel_seconds},
            {"copy_seconds", timeline.copy_seconds},
            {"idle_seconds", timeline.idle_seconds}};
  for (const char* list : {"shares", "losses", "operations", "waits"}) json[list] = Json::array();
  for (const TimelineShare& one : timeline.shares)
    json["shares"].push_back({{"what", one.what},
                              {"kind", kind(one.kind)},
                              {"times", one.times},
                              {"seconds", one.seconds}});
  for (const TimelineLoss& one : timeline.losses)
    json["losses"].push_back({{"id", one.id}, {"change", one.change}, {"seconds", one.seconds}});
  for (const TimelineOperation& one : timeline.operations)
    json["operations"].push_back({{"kind", kind(one.kind)},
                                  {"what", one.what},
                                  {"device", one.device},
                                  {"stream", one.stream},
                                  {"begin", one.begin},
                                  {"end", one.end},
                                  {"submitted", one.submitted},
                                  {"range", one.range}});
  for (const TimelineWait& one : timeline.waits)
    json["waits"].push_back({{"begin", one.begin}, {"end", one.end}});
  return json;
}

Json report_json(const RunReport& run) {
  Json json;
  json["schema"] = "hipsight.report";
  json["version"] = kVersion;
  json["validated"] = std::ranges::all_of(run.kernels, [](const KernelReport& kernel) {
    return kernel.prediction && kernel.prediction->error;
  });
  json["caveat"] = caveat(run);
  json["gpu"] = {{"name", run.gpu.name},           {"title", run.gpu.title},
                 {"target_id", run.gpu.target_id}, {"compute_units", run.gpu.compute_units},
                 {"clock_ghz", run.gpu.clock_ghz}, {"file", run.gpu.file}};
  json["selection"] = {
      {"kernel", run.selection.kernel.empty() ? Json() : Json(run.selection.kernel)},
      {"launch", run.selection.launch ? Json(run.selection.launch) : Json()},
      {"of_launches", run.launches}};
  json["kernels"] = Json::array();
  for (const KernelReport& kernel : run.kernels) json["kernels"].push_back(kernel_json(kernel));
  json["ranges"] = Json::array();
  for (const RangeReport& range : run.ranges)
    json["ranges"].push_back(
        {{"name", range.name}, {"times", range.times}, {"seconds", range.seconds}});
  json["errors"] = Json::array();
  for (const FailedLaunch& error : run.errors)
    json["errors"].push_back(
        {{"kernel", error.kernel}, {"kind", key_of(error.kind)}, {"message", error.message}});
  json["checked"] = run.checked.empty() ? Json() : Json(run.checked);
  json["findings"] = Json::array();
  for (const Finding& one : run.findings)
    json["findings"].push_back(
        {{"tool", one.tool},
         {"text", one.text},
         {"count", one.count},
         {"kernel", one.kernel.empty() ? Json() : Json(one.kernel)},
         {"at", one.at.instruction.empty() ? Json() : place(one.at)},
         {"other", one.other.instruction.empty() ? Json() : place(one.other)}});
  json["suppressed"] = run.suppressed;
  json["partly_checked"] = run.partly_checked;
  json["timing_only"] = run.timing_only;
  json["missing_results"] = run.missing_results;
  json["timeline"] = run.timeline ? timeline_json(*run.timeline) : Json();
  json["ended"] = run.ended.empty() ? Json() : Json(run.ended);
  json["unfinished"] = Json::array();
  for (const UnfinishedLaunch& one : run.unfinished)
    json["unfinished"].push_back({{"kernel", one.kernel},
                                  {"workgroups_done", one.workgroups_done},
                                  {"workgroups", one.workgroups}});
  json["estimated"] = Json::array();
  for (const EstimatedLaunches& one : run.estimated)
    json["estimated"].push_back(
        {{"kernel", one.kernel}, {"why", one.why}, {"launches", one.launches}});
  return json;
}

/// Names come from object files: what is no UTF-8 in them is replaced, never thrown at.
std::string text_of(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string to_json(const RunReport& run) {
  return text_of(report_json(run));
}

std::string to_json(std::span<const GpuRun> runs) {
  const auto report = [](const GpuRun& run) {
    return run.report ? report_json(*run.report) : Json();
  };
  Json json = report(runs.front());
  json["also"] = Json::array();
  for (const GpuRun& run : runs.subspan(1))
    json["also"].push_back({{"gpu", run.gpu},
                            {"report", report(run)},
                            {"problem", run.problem.empty() ? Json() : Json(run.problem)}});
  return text_of(json);
}

}  // namespace hipsight::report
