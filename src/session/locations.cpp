#include "session/locations.h"

namespace hipsight::session {

Location Locations::of(const isa::Instruction& instruction) {
  Location location;
  location.instruction = decoder_.text(instruction);
  location.address = instruction.address;
  if (const auto line = object_.line(instruction.address))
    location.file = line->file, location.line = line->line;
  return location;
}

}  // namespace hipsight::session
