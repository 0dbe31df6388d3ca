#include "engine/level/conversions.h"
#include "engine/level/vector.h"
#include "isa/entries/float16.h"

namespace hipsight::engine::HIPSIGHT_LEVEL {

void add_float16_packed(Table& table) {
  add_entries(table, isa::HIPSIGHT_LEVEL::float16_number_entries);
  add_entries(table, isa::HIPSIGHT_LEVEL::packed_float16_entries);
}

}  // namespace hipsight::engine::HIPSIGHT_LEVEL
