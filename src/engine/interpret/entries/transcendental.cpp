#include "isa/entries/transcendental.h"

#include "engine/interpret/lanes/approximate.h"
#include "engine/interpret/vector.h"

namespace hipsight::engine::HIPSIGHT_HOST_ISA {

void add_transcendental(Table& table) {
  add_entries(table, isa::HIPSIGHT_HOST_ISA::transcendental_entries);
}

}  // namespace hipsight::engine::HIPSIGHT_HOST_ISA
