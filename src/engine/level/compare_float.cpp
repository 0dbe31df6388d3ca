#include "engine/level/conversions.h"
#include "engine/level/vector.h"
#include "isa/entries/float_compare.h"

namespace hipsight::engine::HIPSIGHT_LEVEL {

void add_compare_float(Table& table) {
  add_entries(table, isa::HIPSIGHT_LEVEL::compare_f32_entries);
  add_entries(table, isa::HIPSIGHT_LEVEL::compare_f64_entries);
}

}  // namespace hipsight::engine::HIPSIGHT_LEVEL
