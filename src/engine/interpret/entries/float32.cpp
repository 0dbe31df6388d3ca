#include "isa/entries/float32.h"

#include "engine/interpret/lanes/conversions.h"
#include "engine/interpret/vector.h"

namespace hipsight::engine::HIPSIGHT_HOST_ISA {

void add_float32(Table& table) {
  add_entries(table, isa::HIPSIGHT_HOST_ISA::float32_entries);
  add_entries(table, isa::HIPSIGHT_HOST_ISA::float32_number_entries);
}

}  // namespace hipsight::engine::HIPSIGHT_HOST_ISA
