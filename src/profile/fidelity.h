#pragma once

#include <cstdint>
#include <map>
#include <string_view>

#include "engine/engine.h"
#include "isa/fidelity.h"

namespace hipsight::profile {

/// How exact the instructions of one or more launches were, summed.
struct FidelitySummary {
  struct Inexact {
    isa::FidelityNote note;
    std::uint64_t executions = 0;
  };
  std::uint64_t executions = 0;                 ///< wave-instructions, exact ones too
  std::map<std::string_view, Inexact> inexact;  ///< by instruction name: the others

  void add(const engine::Result& result);
  void add(const FidelitySummary& other);
  std::uint64_t executions_of(isa::Fidelity fidelity) const;
};

}  // namespace hipsight::profile
