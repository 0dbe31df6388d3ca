#include "isa/entries/bitwise.h"

#include "engine/interpret/lanes/integers.h"
#include "engine/interpret/vector.h"

namespace hipsight::engine::HIPSIGHT_HOST_ISA {

void add_bitwise(Table& table) {
  add_entries(table, isa::HIPSIGHT_HOST_ISA::bitwise_entries);
}

}  // namespace hipsight::engine::HIPSIGHT_HOST_ISA
