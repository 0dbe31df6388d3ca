#include "isa/entries/integer32.h"

#include "engine/level/integers.h"
#include "engine/level/vector.h"

namespace hipsight::engine::HIPSIGHT_LEVEL {

void add_integer32(Table& table) {
  add_entries(table, isa::HIPSIGHT_LEVEL::integer32_entries);
}

}  // namespace hipsight::engine::HIPSIGHT_LEVEL
