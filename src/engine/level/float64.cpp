#include "isa/entries/float64.h"

#include "engine/level/vector.h"

namespace hipsight::engine::HIPSIGHT_LEVEL {

void add_float64(Table& table) {
  add_entries(table, isa::HIPSIGHT_LEVEL::float64_entries);
}

}  // namespace hipsight::engine::HIPSIGHT_LEVEL
