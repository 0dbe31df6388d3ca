#pragma once

#include "isa/entries/float32.h"

namespace hipsight::isa::HIPSIGHT_LEVEL {

/// Calls `visit` with each tuple of entries.
template <class Visit>
void for_each_group(Visit visit) {
  visit(float32_entries);
}

}  // namespace hipsight::isa::HIPSIGHT_LEVEL
