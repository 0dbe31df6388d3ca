#include "report/waits.h"

#include <fmt/format.h>

#include "isa/decode.h"

namespace hipsight::report {
namespace {

constexpr std::size_t shown = 5;
constexpr double worth_it = 0.02;  // of all waiting

std::string place(const Wait::Place& place) {
  const std::string where =
      place.line ? fmt::format("{}:{}", place.file.substr(place.file.rfind('/') + 1), place.line)
                 : fmt::format("{:#x}", place.address);
  return fmt::format("{} ({})", place.text, where);
}

}  // namespace

std::vector<Wait> describe(const timing::Prediction& prediction, const code::CodeObject& object) {
  isa::Decoder decoder(object.target().processor);
  const auto place = [&](const isa::Instruction* in) {
    Wait::Place result;
    if (!in) return result;
    result.text = decoder.text(*in);
    result.address = in->address;
    if (const auto line = object.line(in->address))
      result.file = line->file, result.line = line->line;
    return result;
  };
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
                       place(wait.at));
    if (!wait.of.text.empty() && wait.of.address != wait.at.address)
      out += fmt::format("\n{:{}}        of {}", "", indent, place(wait.of));
  }
  return out;
}

}  // namespace hipsight::report
