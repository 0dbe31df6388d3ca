#include "isa/entries/integer64.h"

#include "engine/level/integers.h"
#include "engine/level/vector.h"

namespace hipsight::engine::HIPSIGHT_LEVEL {

void add_integer64(Table& table) {
  add_entries(table, isa::HIPSIGHT_LEVEL::integer64_entries);
}

}  // namespace hipsight::engine::HIPSIGHT_LEVEL
