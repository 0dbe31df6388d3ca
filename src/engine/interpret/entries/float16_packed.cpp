#include "engine/interpret/lanes/conversions.h"
#include "engine/interpret/vector.h"
#include "isa/entries/float16.h"

namespace hipsight::engine::HIPSIGHT_HOST_ISA {

void add_float16_packed(Table& table) {
  add_entries(table, isa::HIPSIGHT_HOST_ISA::float16_number_entries);
  add_entries(table, isa::HIPSIGHT_HOST_ISA::packed_float16_entries);
}

}  // namespace hipsight::engine::HIPSIGHT_HOST_ISA
