#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "explain/verdict.h"
#include "gpus/gpu.h"
#include "profile/fidelity.h"
#include "profile/summary.h"
#include "report/profile_report.h"
#include "report/register_report.h"
#include "report/session.h"
#include "report/waits.h"
#include "timing/occupancy.h"
#include "timing/predict.h"
#include "timing/roofs.h"

namespace hipsight::report {

/// The launches of one kernel with one block size and one amount of LDS, summed. Kernels of one
/// name in several code objects are one if they take the same and are as long.
struct KernelReport {
  std::string name;    ///< as in the code object
  std::string title;   ///< demangled
  std::string target;  ///< target id of its code object
  engine::Dim3 block;
  engine::Dim3 grid;          ///< workgroups, of the first launch
  bool grids_differ = false;  ///< other launches had other grids
  std::uint32_t wavefront_size = 64;
  std::uint32_t vgprs = 0, agprs = 0, sgprs = 0;  ///< vgprs counts AGPRs too
  std::uint32_t vgpr_spills = 0, sgpr_spills = 0;
  std::uint32_t fixed_lds = 0, dynamic_lds = 0;  ///< bytes of a workgroup
  std::uint32_t scratch = 0;                     ///< bytes of a work-item
  std::uint64_t code_size = 0;                   ///< bytes
  profile::Summary summary;
  std::optional<profile::FidelitySummary> fidelity;  ///< if asked for
  std::optional<RegisterReport> registers;           ///< if a profile is asked for
  std::optional<ProfileReport> profile;              ///< of its first launch, if asked for
  std::optional<timing::Prediction> prediction;      ///< likewise
  std::vector<Wait> waits;                           ///< of the prediction

  timing::Occupancy occupancy;
  timing::Roofs roofs;
  explain::Verdict verdict;
};

struct ErrorReport {
  std::string kernel, kind, message;
};

/// A launch that had not ended when the process did.
struct UnfinishedReport {
  std::string kernel;  ///< demangled
  std::uint64_t done = 0, workgroups = 0;
};

/// Everything that a report shows.
struct RunReport {
  gpus::Gpu gpu;
  std::vector<KernelReport> kernels;  ///< in order of first launch
  std::vector<ErrorReport> errors;
  Selection selection;
  std::uint64_t launches = 0;  ///< all that were started, selected or not
  std::string ended;  ///< by what the process ended: "signal 2 (Interrupt)"; empty: as usual
  std::vector<UnfinishedReport> unfinished;
};

/// Which launches are in the report, of how many.
std::string selection_text(const RunReport& run);
/// For people: 100 columns at most, but for names.
std::string to_text(const RunReport& run);
/// For programs: docs/report-schema.md.
std::string to_json(const RunReport& run);

}  // namespace hipsight::report
