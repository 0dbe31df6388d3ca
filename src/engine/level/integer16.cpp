#include "isa/entries/integer16.h"

#include "engine/level/integers.h"
#include "engine/level/vector.h"

namespace hipsight::engine::HIPSIGHT_LEVEL {

void add_integer16(Table& table) {
  add_entries(table, isa::HIPSIGHT_LEVEL::integer16_entries);
  add_entries(table, isa::HIPSIGHT_LEVEL::packed16_entries);
}

}  // namespace hipsight::engine::HIPSIGHT_LEVEL
