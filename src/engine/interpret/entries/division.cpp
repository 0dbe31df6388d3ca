#include "isa/entries/division.h"

#include "engine/interpret/lanes/division.h"
#include "engine/interpret/vector.h"

namespace hipsight::engine::HIPSIGHT_HOST_ISA {

void add_division(Table& table) {
  add_entries(table, isa::HIPSIGHT_HOST_ISA::division_entries);
}

}  // namespace hipsight::engine::HIPSIGHT_HOST_ISA
