#include "isa/entries/dot_float.h"

#include "engine/interpret/lanes/dot.h"
#include "engine/interpret/vector.h"

namespace hipsight::engine::HIPSIGHT_HOST_ISA {

void add_dot_float(Table& table) {
  add_entries(table, isa::HIPSIGHT_HOST_ISA::dot_float_entries);
}

}  // namespace hipsight::engine::HIPSIGHT_HOST_ISA
