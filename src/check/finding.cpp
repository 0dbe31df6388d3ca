#include "check/finding.h"

#include <fmt/format.h>

#include <optional>

#include "code/code_object.h"
#include "engine/engine.h"

namespace hipsight::check {
namespace {

bool is_header(const code::SourceLine& line) {
  return line.file.find("/amd_detail/") != std::string::npos ||  // HIP's
         line.file.find("/lib/clang/") != std::string::npos;     // and clang's
}

/// The line of the program that is nearest: before the instruction, or else behind it. Of code that
/// has been run.
std::optional<code::SourceLine> nearest_line(const engine::Listing& listing,
                                             const isa::Instruction& instruction) {
  std::optional<code::SourceLine> nearest;
  std::uint64_t least = ~std::uint64_t{0};
  constexpr std::uint64_t behind = std::uint64_t{1} << 32;  // counts as further away
  for (const engine::RegionOfCode& region : listing.regions())
    for (const isa::Instruction* one = region.first; one < region.first + region.count; ++one) {
      const std::uint64_t distance = one->address < instruction.address
                                         ? instruction.address - one->address
                                         : one->address - instruction.address + behind;
      if (distance >= least) continue;
      const auto line = listing.line(*one);
      if (!line || !line->line || is_header(*line)) continue;
      nearest = line;
      least = distance;
    }
  return nearest;
}

}  // namespace

bool is_of_headers(const engine::Listing& listing, const isa::Instruction& instruction) {
  const auto line = listing.line(instruction);
  return line && is_header(*line);
}

Location location_of(const engine::Listing& listing, const isa::Instruction& instruction) {
  Location location;
  location.instruction = listing.text(instruction);
  location.address = instruction.address;
  auto line = listing.line(instruction);
  if (line && is_header(*line))
    if (auto own = nearest_line(listing, instruction)) line = std::move(own);
  if (line) location.file = line->file, location.line = line->line;
  return location;
}

std::string place_text(const engine::Listing& listing, const isa::Instruction& instruction) {
  const Location at = location_of(listing, instruction);
  const std::string text = fmt::format("{:#x} {}", at.address, at.instruction);
  if (!at.line) return text;
  return fmt::format("{}{}:{}: {}", is_of_headers(listing, instruction) ? "near " : "", at.file,
                     at.line, text);
}

}  // namespace hipsight::check
