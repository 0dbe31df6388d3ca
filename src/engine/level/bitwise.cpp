#include "isa/entries/bitwise.h"

#include "engine/level/integers.h"
#include "engine/level/vector.h"

namespace hipsight::engine::HIPSIGHT_LEVEL {

void add_bitwise(Table& table) {
  add_entries(table, isa::HIPSIGHT_LEVEL::bitwise_entries);
}

}  // namespace hipsight::engine::HIPSIGHT_LEVEL
