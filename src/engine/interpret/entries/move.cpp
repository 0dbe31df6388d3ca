#include "isa/entries/move.h"

#include "engine/interpret/lanes/integers.h"
#include "engine/interpret/vector.h"

namespace hipsight::engine::HIPSIGHT_HOST_ISA {

void add_move(Table& table) {
  add_entries(table, isa::HIPSIGHT_HOST_ISA::move_entries);
}

}  // namespace hipsight::engine::HIPSIGHT_HOST_ISA
