#include "isa/entries/scalar_float.h"

#include "engine/interpret/lanes/conversions.h"
#include "engine/interpret/vector.h"

namespace hipsight::engine::HIPSIGHT_HOST_ISA {

void add_scalar_float(Table& table) {
  add_entries(table, isa::HIPSIGHT_HOST_ISA::scalar_float_entries);
  add_entries(table, isa::HIPSIGHT_HOST_ISA::scalar_float_compare_entries);
}

}  // namespace hipsight::engine::HIPSIGHT_HOST_ISA
