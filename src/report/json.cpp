#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "report/kernel_report.h"

// docs/report-schema.md describes what is written here; a change of meaning raises kVersion.

namespace hipsight::report {
namespace {

using Json = nlohmann::ordered_json;
constexpr int kVersion = 1;

std::string key_of(std::string_view text) {
  std::string key(text);
  std::transform(key.begin(), key.end(), key.begin(), [](unsigned char c) {
    return c == ' ' || c == '-' ? '_' : char(std::tolower(c));
  });
  return key;
}

Json dimensions(const engine::Dim3& d) {
  return {d.x, d.y, d.z};
}

Json bytes(const profile::Bytes& space) {
  return {{"read", space.read}, {"written", space.written}};
}

Json operations(const std::array<double, profile::kNumbers>& counts) {
  Json json = Json::object();
  for (std::size_t i = 0; i < profile::kNumbers; ++i)
    if (isa::Number(i) != isa::Number::None && counts[i] > 0)
      json[key_of(isa::text(isa::Number(i)))] = counts[i];
  return json;
}

Json instructions(const profile::Summary& summary) {
  Json json = Json::object();
  json["all"] = summary.all_instructions();
  for (std::size_t i = 0; i < profile::kPipes; ++i)
    json[key_of(isa::text(isa::Pipe(i)))] = summary.instructions[i];
  return json;
}

Json row(const ProfileReport::Row& from) {
  Json json;
  if (!from.at.text.empty()) json["text"] = from.at.text, json["address"] = from.at.address;
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
  if (from.live) json["live_vgprs"] = from.live->vgprs, json["live_agprs"] = from.live->agprs;
  return json;
}

Json profile(const ProfileReport& report) {
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

Json prediction(const timing::Prediction& p) {
  Json json = {{"seconds", p.seconds},
               {"launch_seconds", p.launch_seconds},
               {"cycles", p.cycles},
               {"clock_ghz", p.clock_ghz},
               {"bound", p.bound},
               {"full_occupancy_seconds",
                p.full_occupancy_seconds ? Json(*p.full_occupancy_seconds) : Json()},
               {"family", p.family.empty() ? Json() : Json(p.family)},
               {"validated", p.error != nullptr},
               {"workgroups_per_cu", p.workgroups_per_cu},
               {"simulated", p.simulated},
               {"busy", Json::object()},
               {"stalls", Json::object()}};
  for (const auto& unit : p.units) json["busy"][key_of(unit.name)] = unit.busy;
  for (const auto& cause : p.stalls) json["stalls"][key_of(cause.name)] = cause.share;
  if (p.error) {
    const auto [least, most] = p.seconds_between();
    json["error"] = {{"median_percent", p.error->median},
                     {"p90_percent", p.error->p90},
                     {"points", p.error->points},
                     {"fitted", p.error->fitted},
                     {"seconds_at_least", least},
                     {"seconds_at_most", std::isfinite(most) ? Json(most) : Json()}};
  }
  return json;
}

Json place(const Place& place) {
  return {{"instruction", place.text},
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
                    {"of", wait.of.text.empty() ? Json() : place(wait.of)}});
  return json;
}

Json registers(const RegisterReport& report) {
  Json json = {{"live_vgprs", report.most.vgprs},
               {"live_agprs", report.most.agprs},
               {"at", place(report.at)},
               {"calls", report.calls},
               {"for_more_waves", Json()},
               {"scratch_stores", report.scratch_stores},
               {"scratch_loads", report.scratch_loads}};
  if (report.for_more)
    json["for_more_waves"] = {{"vgprs", report.for_more->vgprs},
                              {"waves_per_simd", report.for_more->occupancy.waves_per_simd()}};
  const Place& line = report.scratch_line;
  json["most_scratch"] = line.line ? Json{{"file", line.file}, {"line", line.line}} : Json();
  return json;
}

Json fidelity(const profile::FidelitySummary& summary) {
  Json json = Json::object();
  for (const isa::Fidelity kind :
       {isa::Fidelity::Exact, isa::Fidelity::Approximate, isa::Fidelity::Assumed})
    json[std::string(isa::text(kind))] = summary.executions_of(kind);
  json["inexact"] = Json::array();
  for (const auto& [name, of] : summary.inexact)
    json["inexact"].push_back({{"name", key_of(name)},
                               {"executions", of.executions},
                               {"fidelity", isa::text(of.note.fidelity)},
                               {"why", of.note.why}});
  return json;
}

std::string_view key_of(timing::Roof::Kind kind) {
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

Json kernel_json(const KernelReport& kernel) {
  const profile::Summary& sum = kernel.summary;
  Json json;
  json["name"] = kernel.name;
  json["title"] = kernel.title;
  json["target"] = kernel.target;
  json["launches"] = sum.launches;
  json["grid_workgroups"] = dimensions(kernel.grid);
  json["grids_differ"] = kernel.grids_differ;
  json["block"] = dimensions(kernel.block);
  json["workgroups"] = sum.workgroups;
  json["waves"] = sum.waves;
  json["wavefront_size"] = kernel.wavefront_size;
  json["resources"] = {{"vgprs", kernel.vgprs},
                       {"agprs", kernel.agprs},
                       {"sgprs", kernel.sgprs},
                       {"vgpr_spills", kernel.vgpr_spills},
                       {"sgpr_spills", kernel.sgpr_spills},
                       {"lds_bytes", kernel.fixed_lds + kernel.dynamic_lds},
                       {"dynamic_lds_bytes", kernel.dynamic_lds},
                       {"scratch_bytes", kernel.scratch}};
  json["occupancy"] = {{"waves_per_simd", kernel.occupancy.waves_per_simd()},
                       {"max_waves_per_simd", kernel.occupancy.max_waves_per_simd},
                       {"workgroups", kernel.occupancy.workgroups},
                       {"simds", kernel.occupancy.simds},
                       {"limiter", key_of(timing::text(kernel.occupancy.limiter))},
                       {"compiler_waves_per_simd", kernel.occupancy.compiler_waves_per_simd}};
  json["instructions"] = instructions(sum);
  json["active_lanes"] = sum.active_lanes(kernel.wavefront_size);
  json["operations"] = {{"vector", operations(sum.vector_operations)},
                        {"matrix", operations(sum.matrix_operations)},
                        {"floating", sum.floating_operations()}};
  json["bytes"] = {{"global", bytes(sum.global)},
                   {"flat", bytes(sum.flat)},
                   {"lds", bytes(sum.lds)},
                   {"scratch", bytes(sum.scratch)},
                   {"scalar", bytes(sum.scalar)}};
  json["arithmetic_intensity"] =
      kernel.verdict.arithmetic_intensity ? Json(*kernel.verdict.arithmetic_intensity) : Json();
  Json roofs = Json::array();
  for (const timing::Roof& roof : kernel.roofs.roofs)
    roofs.push_back({{"kind", key_of(roof.kind)},
                     {"name", roof.name},
                     {"seconds", roof.seconds},
                     {"evidence", roof.evidence}});
  json["roofs"] = roofs;
  json["unknown_roofs"] = kernel.roofs.unknown;
  json["verdict"] = {{"bound", kernel.verdict.bound},
                     {"seconds", kernel.verdict.seconds},
                     {"sentence", kernel.verdict.sentence}};
  if (kernel.prediction) {
    json["prediction"] = prediction(*kernel.prediction);
    json["prediction"]["waits"] = waits(kernel.waits);
  }
  if (kernel.registers) json["registers"] = registers(*kernel.registers);
  if (kernel.profile) json["profile"] = profile(*kernel.profile);
  if (kernel.fidelity) json["fidelity"] = fidelity(*kernel.fidelity);
  json["host_seconds"] = sum.host_seconds;
  return json;
}

}  // namespace

std::string to_json(const RunReport& run) {
  Json json;
  json["schema"] = "hipsight.report";
  json["version"] = kVersion;
  json["validated"] = false;
  json["caveat"] = explain::caveat();
  json["gpu"] = {{"name", run.gpu.name},           {"title", run.gpu.title},
                 {"target_id", run.gpu.target_id}, {"compute_units", run.gpu.compute_units},
                 {"clock_ghz", run.gpu.clock_ghz}, {"file", run.gpu.file}};
  json["selection"] = {
      {"kernel", run.selection.kernel.empty() ? Json() : Json(run.selection.kernel)},
      {"launch", run.selection.launch ? Json(run.selection.launch) : Json()},
      {"of_launches", run.launches}};
  json["kernels"] = Json::array();
  for (const KernelReport& kernel : run.kernels) json["kernels"].push_back(kernel_json(kernel));
  json["errors"] = Json::array();
  for (const ErrorReport& error : run.errors)
    json["errors"].push_back(
        {{"kernel", error.kernel}, {"kind", key_of(error.kind)}, {"message", error.message}});
  json["ended"] = run.ended.empty() ? Json() : Json(run.ended);
  json["unfinished"] = Json::array();
  for (const UnfinishedReport& one : run.unfinished)
    json["unfinished"].push_back(
        {{"kernel", one.kernel}, {"workgroups_done", one.done}, {"workgroups", one.workgroups}});
  // Names come from object files: what is no UTF-8 in them is replaced, never thrown at.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace hipsight::report
