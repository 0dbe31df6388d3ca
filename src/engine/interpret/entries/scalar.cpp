#include "isa/entries/scalar.h"

#include "engine/interpret/vector.h"

namespace hipsight::engine::HIPSIGHT_HOST_ISA {

void add_scalar(Table& table) {
  add_entries(table, isa::HIPSIGHT_HOST_ISA::scalar_arithmetic_entries);
  add_entries(table, isa::HIPSIGHT_HOST_ISA::scalar_bit_entries);
  add_entries(table, isa::HIPSIGHT_HOST_ISA::scalar_compare_entries);
}

}  // namespace hipsight::engine::HIPSIGHT_HOST_ISA
