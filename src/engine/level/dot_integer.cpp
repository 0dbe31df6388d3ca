#include "isa/entries/dot_integer.h"

#include "engine/level/integers.h"
#include "engine/level/vector.h"

namespace hipsight::engine::HIPSIGHT_LEVEL {

void add_dot_integer(Table& table) {
  add_entries(table, isa::HIPSIGHT_LEVEL::dot_integer_entries);
  add_entries(table, isa::HIPSIGHT_LEVEL::sad_entries);
}

}  // namespace hipsight::engine::HIPSIGHT_LEVEL
