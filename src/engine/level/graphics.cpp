#include "isa/entries/graphics.h"

#include "engine/level/graphics.h"
#include "engine/level/vector.h"

namespace hipsight::engine::HIPSIGHT_LEVEL {

void add_graphics(Table& table) {
  add_entries(table, isa::HIPSIGHT_LEVEL::graphics_entries);
}

}  // namespace hipsight::engine::HIPSIGHT_LEVEL
