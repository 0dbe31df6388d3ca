#include <fmt/format.h>

#include "report/render.h"

namespace hipsight::report {
namespace {

std::string counted(unsigned count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

}  // namespace

std::string text_of(const Registers& registers) {
  std::string out = fmt::format("at most {} of {} VGPRs", registers.live_vgprs, registers.vgprs);
  if (registers.agprs)
    out += fmt::format(" and {} of {} AGPRs", registers.live_agprs, registers.agprs);
  out += fmt::format(" hold what is read later, at {}", text_of(registers.at));
  if (registers.calls) out += "; what the functions that it calls read is not known";
  if (registers.vgprs_for_more)
    out += fmt::format("; with {} or fewer{} a SIMD would have {:.3g} waves, not {:.3g}",
                       *registers.vgprs_for_more, registers.agprs ? " of both" : "",
                       registers.waves_per_simd_with_fewer, registers.waves_per_simd);
  return out;
}

std::string scratch_text(const Registers& registers) {
  if (registers.scratch_stores + registers.scratch_loads == 0) return "";
  std::string out = fmt::format(
      "{}{} and {} in its code", registers.spills ? "VGPRs spilled: " : "",
      counted(registers.scratch_stores, "store"), counted(registers.scratch_loads, "load"));
  if (registers.scratch_line.line) out += ", most at " + source_of(registers.scratch_line);
  return out;
}

}  // namespace hipsight::report
