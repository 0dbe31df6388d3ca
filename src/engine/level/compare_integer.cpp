#include "isa/entries/compare_integer.h"

#include "engine/level/vector.h"

namespace hipsight::engine::HIPSIGHT_LEVEL {

void add_compare_integer(Table& table) {
  add_entries(table, isa::HIPSIGHT_LEVEL::compare_i32_entries);
  add_entries(table, isa::HIPSIGHT_LEVEL::compare_u32_entries);
  add_entries(table, isa::HIPSIGHT_LEVEL::compare_i64_entries);
  add_entries(table, isa::HIPSIGHT_LEVEL::compare_u64_entries);
  add_entries(table, isa::HIPSIGHT_LEVEL::compare_i16_entries);
  add_entries(table, isa::HIPSIGHT_LEVEL::compare_u16_entries);
}

}  // namespace hipsight::engine::HIPSIGHT_LEVEL
