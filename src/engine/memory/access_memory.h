#pragma once

#include <cstdint>

#include "engine/launch/wave.h"

namespace hipsight::engine {

/// What a host thread remembers of accesses to memory, by instruction (known_index).
struct AccessMemory {
  KnownRange range[KnownRange::count];  ///< Wave::known
  /// Where each of a workgroup's first waves was the last time: the next time it is likely to be as
  /// far on as from the time before, so translated code prefetches that.
  static constexpr unsigned waves = 8;
  std::uintptr_t last[KnownRange::of_loads][waves]{};
};

}  // namespace hipsight::engine
