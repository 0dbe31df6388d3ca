#include "isa/entries/scalar_float.h"

#include "engine/level/conversions.h"
#include "engine/level/vector.h"

namespace hipsight::engine::HIPSIGHT_LEVEL {

void add_scalar_float(Table& table) {
  add_entries(table, isa::HIPSIGHT_LEVEL::scalar_float_entries);
  add_entries(table, isa::HIPSIGHT_LEVEL::scalar_float_compare_entries);
}

}  // namespace hipsight::engine::HIPSIGHT_LEVEL
