#include "isa/entries/scalar.h"

#include "engine/level/vector.h"

namespace hipsight::engine::HIPSIGHT_LEVEL {

void add_scalar(Table& table) {
  add_entries(table, isa::HIPSIGHT_LEVEL::scalar_arithmetic_entries);
  add_entries(table, isa::HIPSIGHT_LEVEL::scalar_bit_entries);
  add_entries(table, isa::HIPSIGHT_LEVEL::scalar_compare_entries);
}

}  // namespace hipsight::engine::HIPSIGHT_LEVEL
