#include "isa/entries/compare_integer.h"

#include "engine/interpret/vector.h"

namespace hipsight::engine::HIPSIGHT_HOST_ISA {

void add_compare_integer(Table& table) {
  add_entries(table, isa::HIPSIGHT_HOST_ISA::compare_i32_entries);
  add_entries(table, isa::HIPSIGHT_HOST_ISA::compare_u32_entries);
  add_entries(table, isa::HIPSIGHT_HOST_ISA::compare_i64_entries);
  add_entries(table, isa::HIPSIGHT_HOST_ISA::compare_u64_entries);
  add_entries(table, isa::HIPSIGHT_HOST_ISA::compare_i16_entries);
  add_entries(table, isa::HIPSIGHT_HOST_ISA::compare_u16_entries);
}

}  // namespace hipsight::engine::HIPSIGHT_HOST_ISA
