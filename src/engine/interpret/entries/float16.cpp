#include "isa/entries/float16.h"

#include "engine/interpret/lanes/conversions.h"
#include "engine/interpret/vector.h"

namespace hipsight::engine::HIPSIGHT_HOST_ISA {

void add_float16(Table& table) {
  add_entries(table, isa::HIPSIGHT_HOST_ISA::float16_entries);
}

}  // namespace hipsight::engine::HIPSIGHT_HOST_ISA
