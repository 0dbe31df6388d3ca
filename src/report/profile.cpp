#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "report/render.h"
#include "support/quantity.h"

namespace hipsight::report {
namespace {

constexpr std::size_t kRows = 12;  ///< that the text shows of each table

/// "12.3 %", or a dash where there is nothing to divide by. Lanes may ask for the same bytes: what
/// is used is no more than all.
std::string share(double part, double whole) {
  return whole > 0 ? fmt::format("{:.3g} %", 100 * std::min(1.0, part / whole)) : "-";
}

std::string place(const ProfileRow& row) {
  return row.at.line ? source_of(row.at) : "(not known)";
}

/// What may be wasted: sectors without bytes that were asked for, and cycles of bank conflicts, in
/// cycles of a wave's unit (a sector each, a bank conflict each).
double waste(const ProfileRow& row, double sector) {
  return std::max(0.0, row.sectors - row.bytes / sector) + row.lds_conflict_cycles;
}

std::string columns(const ProfileRow& row, std::uint64_t all, double sector) {
  const auto per = [](double figure, double of) {
    return of > 0 ? fmt::format("{:.3g}", figure / of) : std::string("-");
  };
  return fmt::format("{:>8} {:>9} {:>8} {:>8} {:>8} {:>9} {:>9}",
                     share(double(row.executions), double(all)),
                     row.requests > 0 ? quantity(row.requests, "") : "-",
                     per(row.sectors, row.requests), share(row.bytes, row.sectors * sector),
                     share(double(row.caches.l1_hits), double(row.caches.l1_loads)),
                     share(double(row.caches.l2_hits), double(row.caches.l2_requests)),
                     share(row.lds_conflict_cycles, row.lds_cycles));
}

}  // namespace

std::string text_of(const Profile& report, std::size_t indent) {
  const double sector = report.sector_bytes;
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
                       quantity(report.all.bytes, "B"), quantity(report.all.sectors * sector, "B"),
                       sector);
  if (report.all.lds_cycles > 0)
    out += fmt::format("{}LDS: {} cycles of its compute unit, {} of them bank conflicts", next,
                       quantity(report.all.lds_cycles, ""),
                       share(report.all.lds_conflict_cycles, report.all.lds_cycles));
  const std::string head =
      fmt::format("{:>8} {:>9} {:>8} {:>8} {:>8} {:>9} {:>9}", "instr.", "requests", "sectors",
                  "used", "L1 hits", "L2 hits", "conflicts");
  out += next + head + "  source line";
  for (std::size_t i = 0; i < std::min(kRows, report.lines.size()); ++i)
    out += fmt::format("{}{}  {}", next, columns(report.lines[i], report.all.executions, sector),
                       place(report.lines[i]));
  if (report.lines.size() > kRows)
    out += fmt::format("{}... {} more", next, report.lines.size() - kRows);

  std::vector<const ProfileRow*> worst;
  for (const ProfileRow& row : report.instructions)
    if (waste(row, sector) > 0) worst.push_back(&row);
  std::ranges::sort(worst, std::ranges::greater(),
                    [&](const auto* row) { return waste(*row, sector); });
  if (!worst.empty()) out += fmt::format("{}what wastes most:", next);
  for (std::size_t i = 0; i < std::min(std::size_t{5}, worst.size()); ++i) {
    const ProfileRow& row = *worst[i];
    out += fmt::format("{}{}  {}{}  {} at {:#x}", next, columns(row, report.all.executions, sector),
                       place(row), next, row.at.instruction, row.at.address);
  }
  return out;
}

}  // namespace hipsight::report
