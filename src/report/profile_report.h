#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profile/profile.h"
#include "report/register_report.h"

namespace hipsight::report {

/// A profile, with what it names as text: it outlives the code object.
struct ProfileReport {
  /// One instruction, or all of one source line. Memory figures are scaled to all workgroups.
  struct Row {
    Place at;
    std::uint64_t executions = 0;                 ///< wave-instructions, exact
    double active_lanes = 0;                      ///< mean share of the wave, 0 to 1
    double requests = 0, sectors = 0, bytes = 0;  ///< of vector memory
    double lds_cycles = 0, lds_conflict_cycles = 0;
    profile::CacheUse caches;
    std::optional<RegisterReport::Count> live;  ///< vector registers, of an instruction

    void add(const profile::InstructionProfile& profile, bool vector_memory);
  };
  std::uint64_t launch = 0;  ///< its number among the program's
  std::uint64_t workgroups = 0, observed = 0, neighbours = 0;
  double sampling_error = 0;
  bool cut = false;
  bool tables = true;  ///< for people, too
  Row all;
  std::vector<Row> lines;         ///< the one with the most executions first
  std::vector<Row> instructions;  ///< in order of their addresses
};

ProfileReport describe(const profile::Profile& profile, const code::CodeObject& object,
                       const RegisterReport& registers, std::uint32_t wavefront_size);

/// Lines of text, without the label "profile", each to be indented by `indent`.
std::string text_of(const ProfileReport& report, std::size_t indent);

}  // namespace hipsight::report
