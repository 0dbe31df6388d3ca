#include "isa/entries/conversions.h"

#include "engine/interpret/lanes/conversions.h"
#include "engine/interpret/vector.h"

namespace hipsight::engine::HIPSIGHT_HOST_ISA {

void add_conversions(Table& table) {
  add_entries(table, isa::HIPSIGHT_HOST_ISA::conversion_entries);
}

}  // namespace hipsight::engine::HIPSIGHT_HOST_ISA
