#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "isa/instruction.h"

namespace hipsight::analysis {

/// What an instruction does to LDS.
struct LdsUse {
  bool loads = false, stores = false;  ///< an atomic stores, and loads if it returns the old value
  bool maybe = false;                  ///< FLAT: where its lanes' addresses say so
};
LdsUse lds_use(const isa::Instruction& instruction);

/// A store to LDS that some path reaches from a load from LDS with no barrier of the workgroup
/// between. A wave that runs ahead could overwrite what another wave is still to read.
struct OvertakingStore {
  std::uint64_t address;  ///< of the instruction
  /// FLAT: whether it goes to LDS shows when it runs.
  bool maybe = false;
};

/// Those of a function, in the order of their addresses, where each one but the first after a load
/// is left out: before it, all waves have come as far. `instructions`: the whole function, in
/// order. `is_kernel`: a wave begins here; else its caller may have loaded from LDS.
std::vector<OvertakingStore> overtaking_stores(std::span<const isa::Instruction> instructions,
                                               bool is_kernel);

}  // namespace hipsight::analysis
