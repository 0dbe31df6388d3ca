#include "isa/entries/float16.h"

#include "engine/level/conversions.h"
#include "engine/level/vector.h"

namespace hipsight::engine::HIPSIGHT_LEVEL {

void add_float16(Table& table) {
  add_entries(table, isa::HIPSIGHT_LEVEL::float16_entries);
}

}  // namespace hipsight::engine::HIPSIGHT_LEVEL
