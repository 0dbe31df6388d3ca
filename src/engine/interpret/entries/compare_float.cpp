#include "engine/interpret/lanes/conversions.h"
#include "engine/interpret/vector.h"
#include "isa/entries/float_compare.h"

namespace hipsight::engine::HIPSIGHT_HOST_ISA {

void add_compare_float(Table& table) {
  add_entries(table, isa::HIPSIGHT_HOST_ISA::compare_f32_entries);
  add_entries(table, isa::HIPSIGHT_HOST_ISA::compare_f64_entries);
}

}  // namespace hipsight::engine::HIPSIGHT_HOST_ISA
