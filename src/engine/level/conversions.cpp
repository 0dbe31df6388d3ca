#include "isa/entries/conversions.h"

#include "engine/level/conversions.h"
#include "engine/level/vector.h"

namespace hipsight::engine::HIPSIGHT_LEVEL {

void add_conversions(Table& table) {
  add_entries(table, isa::HIPSIGHT_LEVEL::conversion_entries);
}

}  // namespace hipsight::engine::HIPSIGHT_LEVEL
