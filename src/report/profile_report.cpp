#include "report/profile_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "support/quantity.h"

namespace hipsight::report {
namespace {

constexpr std::size_t kRows = 12;  ///< that the text shows of each table

bool is_vector_memory(isa::Pipe pipe) {
  return pipe == isa::Pipe::Global || pipe == isa::Pipe::Flat || pipe == isa::Pipe::Scratch;
}

/// "12.3 %", or a dash where there is nothing to divide by.
std::string share(double part, double whole) {
  return whole > 0 ? fmt::format("{:.3g} %", 100 * part / whole) : "-";
}

std::string place(const ProfileReport::Row& row) {
  return row.at.line ? row.at.source() : "(not known)";
}

/// What may be wasted: sectors without bytes that were asked for, and cycles of bank conflicts, in
/// cycles of a wave's unit (a sector each, a bank conflict each).
double waste(const ProfileReport::Row& row) {
  return std::max(0.0, row.sectors - row.bytes / profile::kSectorBytes) + row.lds_conflict_cycles;
}

std::string columns(const ProfileReport::Row& row, std::uint64_t all) {
  const auto per = [](double figure, double of) {
    return of > 0 ? fmt::format("{:.3g}", figure / of) : std::string("-");
  };
  return fmt::format(
      "{:>8} {:>9} {:>8} {:>8} {:>8} {:>9} {:>9}", share(double(row.executions), double(all)),
      row.requests > 0 ? quantity(row.requests, "") : "-", per(row.sectors, row.requests),
      share(row.bytes, row.sectors * profile::kSectorBytes),
      share(double(row.caches.l1_hits), double(row.caches.l1_loads)),
      share(double(row.caches.l2_hits), double(row.caches.l2_requests)),
      share(row.lds_conflict_cycles, row.lds_cycles));
}

}  // namespace

void ProfileReport::Row::add(const profile::InstructionProfile& from, bool vector_memory) {
  executions += from.executions;
  lds_cycles += from.scaled(double(from.use.lds_cycles));
  lds_conflict_cycles += from.scaled(double(from.use.lds_cycles - from.use.lds_least));
  caches += from.caches;
  if (!vector_memory) return;
  requests += from.scaled(double(from.use.requests));
  sectors += from.scaled(double(from.use.sectors));
  bytes += from.scaled(from.use.bytes);
}

ProfileReport describe(const profile::Profile& profile, const code::CodeObject& object,
                       const RegisterReport& registers, std::uint32_t wavefront_size) {
  ProfileReport report;
  report.workgroups = profile.workgroups;
  report.observed = profile.observed;
  report.neighbours = profile.neighbours;
  report.sampling_error = profile.sampling_error;
  report.cut = profile.cut;
  Places places(object);
  std::map<std::pair<std::string, std::uint32_t>, ProfileReport::Row> lines;
  std::map<std::pair<std::string, std::uint32_t>, std::uint64_t> lanes_of_line;
  std::uint64_t lanes = 0;
  const auto mean = [&](std::uint64_t active, std::uint64_t executions) {
    return executions ? double(active) / (double(executions) * wavefront_size) : 0;
  };
  for (const profile::InstructionProfile& from : profile.instructions) {
    const isa::Instruction& in = *from.instruction;
    const bool vector_memory = is_vector_memory(isa::work_of(in).pipe);
    ProfileReport::Row& row = report.instructions.emplace_back();
    row.at = places.of(in);
    if (const auto live = registers.live.find(in.address); live != registers.live.end())
      row.live = live->second;
    row.add(from, vector_memory);
    row.active_lanes = mean(from.lanes, from.executions);
    ProfileReport::Row& line = lines[{row.at.file, row.at.line}];
    line.at.file = row.at.file;
    line.at.line = row.at.line;
    line.add(from, vector_memory);
    std::uint64_t& of_line = lanes_of_line[{row.at.file, row.at.line}];
    of_line += from.lanes;
    line.active_lanes = mean(of_line, line.executions);
    report.all.add(from, vector_memory);
    lanes += from.lanes;
  }
  report.all.active_lanes = mean(lanes, report.all.executions);
  for (auto& [key, line] : lines) report.lines.push_back(std::move(line));
  std::ranges::sort(report.lines, std::ranges::greater(), &ProfileReport::Row::executions);
  return report;
}

std::string text_of(const ProfileReport& report, std::size_t indent) {
  const std::string next = fmt::format("\n{:{}}", "", indent);
  std::string out =
      fmt::format("launch {}: {} of {} workgroups observed, {} of them neighbours", report.launch,
                  report.observed, report.workgroups, report.neighbours);
  if (report.observed < report.workgroups)
    out += fmt::format(";{}from them alone, instruction counts would be {:.2g} % off", next,
                       100 * report.sampling_error);
  if (report.cut) out += fmt::format(";{}caches saw only the begin of some", next);
  if (report.all.bytes > 0)
    out += fmt::format("{}vector memory: {} asked for, {} moved in sectors of {} B", next,
                       quantity(report.all.bytes, "B"),
                       quantity(report.all.sectors * profile::kSectorBytes, "B"),
                       profile::kSectorBytes);
  if (report.all.lds_cycles > 0)
    out += fmt::format("{}LDS: {} cycles of its compute unit, {} of them bank conflicts", next,
                       quantity(report.all.lds_cycles, ""),
                       share(report.all.lds_conflict_cycles, report.all.lds_cycles));
  const std::string head =
      fmt::format("{:>8} {:>9} {:>8} {:>8} {:>8} {:>9} {:>9}", "instr.", "requests", "sectors",
                  "used", "L1 hits", "L2 hits", "conflicts");
  out += next + head + "  source line";
  for (std::size_t i = 0; i < std::min(kRows, report.lines.size()); ++i)
    out += fmt::format("{}{}  {}", next, columns(report.lines[i], report.all.executions),
                       place(report.lines[i]));
  if (report.lines.size() > kRows)
    out += fmt::format("{}... {} more", next, report.lines.size() - kRows);

  std::vector<const ProfileReport::Row*> worst;
  for (const ProfileReport::Row& row : report.instructions)
    if (waste(row) > 0) worst.push_back(&row);
  std::ranges::sort(worst, std::ranges::greater(), [](const auto* row) { return waste(*row); });
  if (!worst.empty()) out += fmt::format("{}what wastes most:", next);
  for (std::size_t i = 0; i < std::min(std::size_t{5}, worst.size()); ++i) {
    const ProfileReport::Row& row = *worst[i];
    out += fmt::format("{}{}  {}{}  {} at {:#x}", next, columns(row, report.all.executions),
                       place(row), next, row.at.text, row.at.address);
  }
  return out;
}

}  // namespace hipsight::report
