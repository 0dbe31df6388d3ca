#include "isa/entries/transcendental.h"

#include "engine/level/approximate.h"
#include "engine/level/vector.h"

namespace hipsight::engine::HIPSIGHT_LEVEL {

void add_transcendental(Table& table) {
  add_entries(table, isa::HIPSIGHT_LEVEL::transcendental_entries);
}

}  // namespace hipsight::engine::HIPSIGHT_LEVEL
