#include <fmt/format.h>

#include <algorithm>

#include "report/render.h"

namespace hipsight::report {
namespace {

constexpr std::size_t shown = 5;
constexpr double worth_it = 0.02;  // of all waiting

}  // namespace

std::string source_of(const Location& location) {
  return location.line ? fmt::format("{}:{}", location.file.substr(location.file.rfind('/') + 1),
                                     location.line)
                       : "";
}

std::string text_of(const Location& location) {
  const std::string source = source_of(location);
  return fmt::format("{} ({})", location.instruction,
                     source.empty() ? fmt::format("{:#x}", location.address) : source);
}

std::string text_of(const std::vector<Wait>& waits, std::size_t indent) {
  std::string out;
  for (std::size_t i = 0; i < std::min(shown, waits.size()) && waits[i].share >= worth_it; ++i) {
    const Wait& wait = waits[i];
    out += fmt::format("\n{:{}}{:>4.0f} %  {}: at {}", "", indent, 100 * wait.share, wait.cause,
                       text_of(wait.at));
    if (!wait.of.instruction.empty() && wait.of.address != wait.at.address)
      out += fmt::format("\n{:{}}        of {}", "", indent, text_of(wait.of));
  }
  return out;
}

}  // namespace hipsight::report
