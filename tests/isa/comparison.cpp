#include "comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace hipsight::test {
namespace {

using isa::Operand;
using isa::Where;

std::uint16_t f16_bits(float value) {
  return std::bit_cast<std::uint16_t>(static_cast<_Float16>(value));
}

/// Whether a constant is what the text says, in any of the types that the text may be of.
bool same_number(const Operand& ours, const std::string& text) {
  const bool hexadecimal = text.starts_with("0x");
  const bool real = !hexadecimal && text.find('.') != std::string::npos;
  if (real) {
    const double value = std::stod(text);
    const auto f32 = std::bit_cast<std::uint32_t>(static_cast<float>(value));
    if (!ours.literal) return ours.inline_float && ours.value == f32;
    const auto f64_high = static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(value) >> 32);
    return ours.value == f32 || ours.value == f64_high ||
           ours.value == f16_bits(static_cast<float>(value)) || ours.value == f32 >> 16;
  }
  const auto value = hexadecimal ? std::stoull(text, nullptr, 16)
                                 : static_cast<unsigned long long>(std::stoll(text));
  if (!ours.inline_float) {
    const auto extended = static_cast<unsigned long long>(static_cast<std::int32_t>(ours.value));
    return value == ours.value || value == extended ||
           (hexadecimal && value == (extended & 0xffff));
  }
  // Inline floats of integer instructions are written as their bits.
  const float number = std::bit_cast<float>(ours.value);
  return value == ours.value || value == f16_bits(number) || value == ours.value >> 16 ||
         value == std::bit_cast<std::uint64_t>(static_cast<double>(number)) ||
         value == 0x3fc45f306dc9c882;
}

std::string describe(const Operand& o) {
  constexpr std::string_view kinds[]{"none", "v", "a", "s", "constant ", "special "};
  return fmt::format("{}{}{}{}{}", o.negate ? "-" : "", o.absolute ? "abs " : "",
                     kinds[static_cast<unsigned>(o.where)],
                     o.where == Where::Constant ? o.value : o.index, o.high ? ".h" : "");
}

}  // namespace

void Comparison::problem(const std::string& what) {
  problems_ += (problems_.empty() ? "" : "; ") + what;
}

Comparison::Comparison(const InstructionText& text, bool short_form)
    : text_(text),
      short_form_(short_form),
      has_halves_(std::ranges::any_of(text.operands, [](const OperandText& o) { return o.half; })) {
}

void Comparison::operand(const Operand& ours, unsigned count, isa::Type type) {
  if (!operands_left()) return problem("text has no operand for " + describe(ours));
  const OperandText& theirs = text_.operands[at_++];
  unsigned index = ours.index;
  bool high = ours.high;
  if (theirs.half && short_form_ && ours.where == Where::Vgpr) high = index >> 7, index &= 127;
  const auto same = [&] {
    switch (ours.where) {
      case Where::None:
        return theirs.kind == 'o';
      case Where::Constant:
        return theirs.kind == '#' && same_number(ours, theirs.text);
      case Where::Special:
        return theirs.kind == '?' && ours.index == theirs.index;
      case Where::Vgpr:
      case Where::Agpr:
      case Where::Sgpr:
        break;
    }
    constexpr std::string_view kinds = "-vas";
    const bool null = theirs.count == 0;
    return theirs.kind == kinds[static_cast<unsigned>(ours.where)] && theirs.index == index &&
           (count == 0 || null || count == theirs.count) &&
           (theirs.half == 0 || high == (theirs.half == 'h'));
  };
  if (has_halves_ && theirs.kind == 'v' && type != isa::Type::None &&
      isa::is_16_bit(type) != (theirs.half != 0))
    problem(fmt::format("operand {}: the entry's type, text '{}'", at_, theirs.text));
  if (!same() || ours.negate != theirs.negate || ours.absolute != theirs.absolute ||
      ours.sign_extend != theirs.sign_extend)
    problem(fmt::format("operand {}: ours {} ({} registers), text '{}'", at_, describe(ours), count,
                        theirs.text));
}

void Comparison::integer(std::int64_t ours, unsigned bits) {
  if (!operands_left()) return problem(fmt::format("text has no operand for {}", ours));
  const OperandText& theirs = text_.operands[at_++];
  const std::uint64_t mask = ~std::uint64_t{0} >> (64 - bits);
  if (theirs.kind != '#' || ((static_cast<std::uint64_t>(std::stoll(theirs.text, nullptr, 0)) ^
                              static_cast<std::uint64_t>(ours)) &
                             mask) != 0)
    problem(fmt::format("operand {}: ours {}, text '{}'", at_, ours, theirs.text));
}

void Comparison::skip_rest() {
  at_ = text_.operands.size();
  for (const auto& [name, value] : text_.modifiers) compared_.insert(name);
}

std::string Comparison::modifier(const std::string& name) {
  const auto at = text_.modifiers.find(name);
  if (at == text_.modifiers.end()) return "";
  compared_.insert(name);
  return at->second;
}

bool Comparison::only_halves() const {
  return has_halves_ && !text_.modifiers.contains("op_sel");
}

void Comparison::flag(const std::string& name, bool ours) {
  const bool theirs = text_.modifiers.contains(name);
  compared_.insert(name);
  if (ours != theirs) problem(fmt::format("{}: ours {}, text {}", name, ours, theirs));
}

void Comparison::number(const std::string& name, std::int64_t ours, std::int64_t fallback) {
  const std::string theirs = modifier(name);
  if (ours != (theirs.empty() ? fallback : std::stoll(theirs, nullptr, 0)))
    problem(fmt::format("{}: ours {}, text '{}'", name, ours, theirs));
}

void Comparison::word(const std::string& name, const std::string& ours,
                      const std::string& fallback) {
  const std::string theirs = modifier(name);
  if (ours != (theirs.empty() ? fallback : theirs))
    problem(fmt::format("{}: ours '{}', text '{}'", name, ours, theirs));
}

unsigned Comparison::length(const std::string& name) const {
  const auto at = text_.modifiers.find(name);
  if (at == text_.modifiers.end()) return 0;
  return static_cast<unsigned>(
      std::ranges::count_if(at->second, [](char c) { return c == '0' || c == '1'; }));
}

void Comparison::bits(const std::string& name, unsigned ours, unsigned count, unsigned fallback) {
  const std::string theirs = modifier(name);
  unsigned value = 0, digits = 0;
  for (const char c : theirs)
    if (c == '0' || c == '1') value |= static_cast<unsigned>(c - '0') << digits++;
  if (theirs.empty()) value = fallback, digits = count;
  const unsigned mask = (1u << digits) - 1;
  if (digits > count || ((ours ^ value) & mask) != 0)
    problem(fmt::format("{}: ours {:#b}, text '{}'", name, ours, theirs));
}

std::string Comparison::finish() {
  if (operands_left()) problem(fmt::format("text has more operands: '{}'", next()->text));
  for (const auto& [name, value] : text_.modifiers)
    if (!compared_.contains(name)) problem(fmt::format("text has {} {}", name, value));
  return problems_;
}

}  // namespace hipsight::test
