#include "isa/entries/integer16.h"

#include "engine/interpret/lanes/integers.h"
#include "engine/interpret/vector.h"

namespace hipsight::engine::HIPSIGHT_HOST_ISA {

void add_integer16(Table& table) {
  add_entries(table, isa::HIPSIGHT_HOST_ISA::integer16_entries);
  add_entries(table, isa::HIPSIGHT_HOST_ISA::packed16_entries);
}

}  // namespace hipsight::engine::HIPSIGHT_HOST_ISA
