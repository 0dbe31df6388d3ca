#include "isa/entries/integer64.h"

#include "engine/interpret/lanes/integers.h"
#include "engine/interpret/vector.h"

namespace hipsight::engine::HIPSIGHT_HOST_ISA {

void add_integer64(Table& table) {
  add_entries(table, isa::HIPSIGHT_HOST_ISA::integer64_entries);
}

}  // namespace hipsight::engine::HIPSIGHT_HOST_ISA
