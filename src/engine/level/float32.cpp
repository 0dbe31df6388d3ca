#include "isa/entries/float32.h"

#include "engine/level/conversions.h"
#include "engine/level/vector.h"

namespace hipsight::engine::HIPSIGHT_LEVEL {

void add_float32(Table& table) {
  add_entries(table, isa::HIPSIGHT_LEVEL::float32_entries);
  add_entries(table, isa::HIPSIGHT_LEVEL::float32_number_entries);
}

}  // namespace hipsight::engine::HIPSIGHT_LEVEL
