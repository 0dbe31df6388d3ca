#include "isa/entries/move.h"

#include "engine/level/integers.h"
#include "engine/level/vector.h"

namespace hipsight::engine::HIPSIGHT_LEVEL {

void add_move(Table& table) {
  add_entries(table, isa::HIPSIGHT_LEVEL::move_entries);
}

}  // namespace hipsight::engine::HIPSIGHT_LEVEL
