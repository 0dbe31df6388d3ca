#include "isa/entries/small_floats.h"

#include "engine/interpret/lanes/small_floats.h"
#include "engine/interpret/vector.h"

namespace hipsight::engine::HIPSIGHT_HOST_ISA {

void add_small_floats(Table& table) {
  add_entries(table, isa::HIPSIGHT_HOST_ISA::small_float_entries);
  add_entries(table, isa::HIPSIGHT_HOST_ISA::scaled_float_entries);
}

}  // namespace hipsight::engine::HIPSIGHT_HOST_ISA
