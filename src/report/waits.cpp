#include "report/waits.h"

#include <fmt/format.h>

namespace hipsight::report {
namespace {

constexpr std::size_t shown = 5;
constexpr double worth_it = 0.02;  // of all waiting

}  // namespace

std::vector<Wait> describe(const timing::Prediction& prediction, const code::CodeObject& object) {
  Places places(object);
  const auto place = [&](const isa::Instruction* in) { return in ? places.of(*in) : Place(); };
  std::vector<Wait> waits;
  for (const timing::Prediction::Wait& wait : prediction.waits)
    waits.push_back({place(wait.at), place(wait.of), std::string(wait.cause), wait.share});
  return waits;
}

std::string text_of(const std::vector<Wait>& waits, std::size_t indent) {
  std::string out;
  for (std::size_t i = 0; i < std::min(shown, waits.size()) && waits[i].share >= worth_it; ++i) {
    const Wait& wait = waits[i];
    out += fmt::format("\n{:{}}{:>4.0f} %  {}: at {}", "", indent, 100 * wait.share, wait.cause,
                       text_of(wait.at));
    if (!wait.of.text.empty() && wait.of.address != wait.at.address)
      out += fmt::format("\n{:{}}        of {}", "", indent, text_of(wait.of));
  }
  return out;
}

}  // namespace hipsight::report
