#include "isa/entries/float64.h"

#include "engine/interpret/vector.h"

namespace hipsight::engine::HIPSIGHT_HOST_ISA {

void add_float64(Table& table) {
  add_entries(table, isa::HIPSIGHT_HOST_ISA::float64_entries);
}

}  // namespace hipsight::engine::HIPSIGHT_HOST_ISA
