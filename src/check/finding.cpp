#include "check/finding.h"

#include "code/code_object.h"

namespace hipsight::check {

Location location_of(const engine::Listing& listing, const isa::Instruction& instruction) {
  Location location;
  location.instruction = listing.text(instruction);
  location.address = instruction.address;
  if (const auto line = listing.line(instruction))
    location.file = line->file, location.line = line->line;
  return location;
}

}  // namespace hipsight::check
