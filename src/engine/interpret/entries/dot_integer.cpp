#include "isa/entries/dot_integer.h"

#include "engine/interpret/lanes/integers.h"
#include "engine/interpret/vector.h"

namespace hipsight::engine::HIPSIGHT_HOST_ISA {

void add_dot_integer(Table& table) {
  add_entries(table, isa::HIPSIGHT_HOST_ISA::dot_integer_entries);
  add_entries(table, isa::HIPSIGHT_HOST_ISA::sad_entries);
}

}  // namespace hipsight::engine::HIPSIGHT_HOST_ISA
