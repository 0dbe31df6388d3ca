#include "isa/entries/division.h"

#include "engine/level/division.h"
#include "engine/level/vector.h"

namespace hipsight::engine::HIPSIGHT_LEVEL {

void add_division(Table& table) {
  add_entries(table, isa::HIPSIGHT_LEVEL::division_entries);
}

}  // namespace hipsight::engine::HIPSIGHT_LEVEL
