#include "isa/entries/small_floats.h"

#include "engine/level/small_floats.h"
#include "engine/level/vector.h"

namespace hipsight::engine::HIPSIGHT_LEVEL {

void add_small_floats(Table& table) {
  add_entries(table, isa::HIPSIGHT_LEVEL::small_float_entries);
  add_entries(table, isa::HIPSIGHT_LEVEL::scaled_float_entries);
}

}  // namespace hipsight::engine::HIPSIGHT_LEVEL
