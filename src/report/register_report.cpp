#include "report/register_report.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace hipsight::report {
namespace {

/// Counts what a listing does with scratch, by source line.
void count_scratch(RegisterReport& report, const analysis::Listing& listing,
                   const code::Kernel& kernel, Places& places) {
  std::map<std::pair<std::string, std::uint32_t>, unsigned> of_line;
  unsigned most = 0;
  const std::vector<analysis::Scratch> uses = analysis::scratch_uses(listing, kernel);
  for (std::size_t i = 0; i < uses.size(); ++i) {
    if (uses[i] == analysis::Scratch::None) continue;
    ++(uses[i] == analysis::Scratch::Store ? report.scratch_stores : report.scratch_loads);
    const Place place = places.of(listing.lines[i].instruction);
    const unsigned here = ++of_line[{place.file, place.line}];
    if (!place.line || here <= most) continue;
    most = here;
    report.scratch_line.file = place.file;
    report.scratch_line.line = place.line;
  }
}

std::string counted(unsigned count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

}  // namespace

RegisterReport describe(const code::CodeObject& object, const code::Kernel& kernel,
                        const gpus::Gpu& gpu, const timing::Resources& resources) {
  RegisterReport report;
  report.given = {kernel.vgprs - kernel.agprs, kernel.agprs};
  const analysis::Listing listing = analysis::listing(object, kernel);
  const auto live = analysis::live_registers(listing, report.given.vgprs);
  Places places(object);
  report.most = live.most();
  if (!listing.lines.empty()) report.at = places.of(listing.lines[live.fullest].instruction);
  for (std::size_t i = 0; i < listing.lines.size(); ++i)
    report.live.emplace(listing.lines[i].instruction.address, live.at[i]);
  report.calls = listing.leaves;
  report.waves_per_simd = timing::occupancy(gpu, resources).waves_per_simd();
  report.for_more = timing::with_fewer_vgprs(gpu, resources);
  count_scratch(report, listing, kernel, places);
  report.spills = kernel.vgpr_spills > 0;
  return report;
}

std::string text_of(const RegisterReport& report) {
  std::string out = fmt::format("at most {} of {} VGPRs", report.most.vgprs, report.given.vgprs);
  if (report.given.agprs)
    out += fmt::format(" and {} of {} AGPRs", report.most.agprs, report.given.agprs);
  out += fmt::format(" hold what is read later, at {}", text_of(report.at));
  if (report.calls) out += "; what the functions that it calls read is not known";
  if (report.for_more)
    out += fmt::format("; with {} or fewer{} a SIMD would have {:.3g} waves, not {:.3g}",
                       report.for_more->vgprs, report.given.agprs ? " of both" : "",
                       report.for_more->occupancy.waves_per_simd(), report.waves_per_simd);
  return out;
}

std::string scratch_text(const RegisterReport& report) {
  if (report.scratch_stores + report.scratch_loads == 0) return "";
  std::string out =
      fmt::format("{}{} and {} in its code", report.spills ? "VGPRs spilled: " : "",
                  counted(report.scratch_stores, "store"), counted(report.scratch_loads, "load"));
  if (report.scratch_line.line) out += ", most at " + report.scratch_line.source();
  return out;
}

}  // namespace hipsight::report
