#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "analysis/live_registers.h"
#include "report/place.h"
#include "timing/occupancy.h"

namespace hipsight::report {

/// How many of a kernel's vector registers hold what is read later, and what it does with scratch
/// memory (docs/profile.md).
struct RegisterReport {
  using Count = analysis::LiveRegisters::Count;
  Count given;                                 ///< VGPRs and AGPRs of a wave
  Count most;                                  ///< that are live at once
  Place at;                                    ///< the first instruction with so many
  std::map<std::uint64_t, Count> live;         ///< by the address of an instruction
  bool calls = false;                          ///< functions, which are not looked at
  double waves_per_simd = 0;                   ///< that are resident
  std::optional<timing::FewerVgprs> for_more;  ///< with which more would be

  unsigned scratch_stores = 0, scratch_loads = 0;  ///< instructions
  Place scratch_line;                              ///< the line with most of them
  bool spills = false;  ///< the compiler says that it has spilled VGPRs there
};

RegisterReport describe(const code::CodeObject& object, const code::Kernel& kernel,
                        const gpus::Gpu& gpu, const timing::Resources& resources);

/// What registers hold, as a sentence; and what scratch is used for, if it is.
std::string text_of(const RegisterReport& report);
std::string scratch_text(const RegisterReport& report);

}  // namespace hipsight::report
