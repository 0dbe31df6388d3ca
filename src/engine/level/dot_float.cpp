#include "isa/entries/dot_float.h"

#include "engine/level/dot.h"
#include "engine/level/vector.h"

namespace hipsight::engine::HIPSIGHT_LEVEL {

void add_dot_float(Table& table) {
  add_entries(table, isa::HIPSIGHT_LEVEL::dot_float_entries);
}

}  // namespace hipsight::engine::HIPSIGHT_LEVEL
