#include "isa/entries/graphics.h"

#include "engine/interpret/lanes/graphics.h"
#include "engine/interpret/vector.h"

namespace hipsight::engine::HIPSIGHT_HOST_ISA {

void add_graphics(Table& table) {
  add_entries(table, isa::HIPSIGHT_HOST_ISA::graphics_entries);
}

}  // namespace hipsight::engine::HIPSIGHT_HOST_ISA
