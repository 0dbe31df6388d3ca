#include "report/place.h"

#include <fmt/format.h>

namespace hipsight::report {

std::string Place::source() const {
  return line ? fmt::format("{}:{}", file.substr(file.rfind('/') + 1), line) : "";
}

std::string text_of(const Place& place) {
  const std::string source = place.source();
  return fmt::format("{} ({})", place.text,
                     source.empty() ? fmt::format("{:#x}", place.address) : source);
}

Place Places::of(const isa::Instruction& instruction) {
  Place place;
  place.text = decoder_.text(instruction);
  place.address = instruction.address;
  if (const auto line = object_.line(instruction.address))
    place.file = line->file, place.line = line->line;
  return place;
}

}  // namespace hipsight::report
