#include "assembly_text.h"

#include <cctype>
#include <charconv>
#include <regex>
#include <set>

#include "support/error.h"

namespace hipsight::test {
namespace {

using isa::Gfx;

const std::map<std::string_view, unsigned> special_sources{{"src_flat_scratch_base_lo", 230},
                                                           {"src_flat_scratch_base_hi", 231},
                                                           {"src_shared_base", 235},
                                                           {"src_shared_limit", 236},
                                                           {"src_private_base", 237},
                                                           {"src_private_limit", 238},
                                                           {"src_pops_exiting_wave_id", 239},
                                                           {"src_vccz", 251},
                                                           {"src_execz", 252},
                                                           {"src_scc", 253},
                                                           {"src_lds_direct", 254}};

struct Named {
  unsigned index, count;
};
std::optional<Named> named_scalar(std::string_view name, Gfx gfx) {
  static const std::map<std::string_view, Named> names{
      {"vcc", {106, 2}},          {"vcc_lo", {106, 1}},          {"vcc_hi", {107, 1}},
      {"exec", {126, 2}},         {"exec_lo", {126, 1}},         {"exec_hi", {127, 1}},
      {"flat_scratch", {102, 2}}, {"flat_scratch_lo", {102, 1}}, {"flat_scratch_hi", {103, 1}},
      {"xnack_mask", {104, 2}},   {"xnack_mask_lo", {104, 1}},   {"xnack_mask_hi", {105, 1}}};
  // GFX10 exchanged M0 and the new NULL.
  if (name == "m0") return Named{isa::is_rdna(gfx) ? 125u : 124u, 1};
  if (name == "null") return Named{isa::is_rdna(gfx) ? 124u : 125u, 0};
  const auto at = names.find(name);
  return at == names.end() ? std::nullopt : std::optional(at->second);
}

bool take(std::string& text, std::string_view prefix, std::string_view suffix) {
  if (!text.starts_with(prefix) || !text.ends_with(suffix)) return false;
  text = text.substr(prefix.size(), text.size() - prefix.size() - suffix.size());
  return true;
}

OperandText read_operand(std::string text, Gfx gfx) {
  OperandText result;
  for (bool more = true; more;) {
    more = false;
    if (take(text, "lit(", ")")) more = true;
    if (take(text, "neg(", ")") ||
        (text[0] == '-' && !std::isdigit(text[1]) && take(text, "-", "")))
      more = result.negate = true;
    if (take(text, "|", "|") || take(text, "abs(", ")")) more = result.absolute = true;
    if (take(text, "sext(", ")")) more = result.sign_extend = true;
  }
  result.text = text;
  static const std::regex one(R"((v|a|s|ttmp)(\d+)(\.[lh])?)");
  static const std::regex range(R"((v|a|s|ttmp)\[(\d+):(\d+)\])");
  std::smatch match;
  const auto registers = [&](unsigned first, unsigned last) {
    const std::string kind = match[1];
    result.kind = kind == "ttmp" ? 's' : kind[0];
    result.index = first + (kind == "ttmp" ? 108 : 0);
    result.count = last - first + 1;
  };
  if (std::regex_match(text, match, one)) {
    const unsigned index = static_cast<unsigned>(std::stoul(match[2]));
    registers(index, index);
    if (match[3].length()) result.half = match[3].str()[1];
  } else if (std::regex_match(text, match, range)) {
    registers(static_cast<unsigned>(std::stoul(match[2])),
              static_cast<unsigned>(std::stoul(match[3])));
  } else if (const auto named = named_scalar(text, gfx)) {
    result.kind = 's', result.index = named->index, result.count = named->count;
  } else if (const auto special = special_sources.find(text); special != special_sources.end()) {
    result.kind = '?', result.index = special->second;
  } else if (text == "off") {
    result.kind = 'o';
  } else if (std::isdigit(text[0]) || text[0] == '-') {
    result.kind = '#';
  }
  return result;
}

/// Cuts at a separator that stands outside brackets and |...|.
std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : text) {
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') --depth;
    if (c == separator && depth == 0)
      parts.emplace_back();
    else if (c != ' ' || depth > 0 || !parts.back().empty())
      parts.back() += c;
  }
  return parts;
}

InstructionText read_one(std::string_view text, Gfx gfx) {
  InstructionText result;
  const auto end = text.find(' ');
  result.mnemonic = text.substr(0, end);
  if (end == std::string_view::npos) return result;
  std::vector<std::string> parts = split(text.substr(end + 1), ',');
  // Modifiers follow the last operand. Some instructions have no operands at all.
  static const std::set<std::string, std::less<>> bare{
      "clamp", "glc", "slc", "dlc", "scc", "sc0", "sc1", "nt", "lds", "gds", "offen", "idxen"};
  std::vector<std::string> words = split(parts.back(), ' ');
  parts.pop_back();
  bool first = true;
  for (const std::string& word : words) {
    if (word.empty()) continue;
    const auto colon = word.find(':');
    const bool in_brackets = word.find_first_of("([") < colon;
    if (first && !bare.contains(word) && (colon == std::string::npos || in_brackets))
      parts.push_back(word);
    else if (colon == std::string::npos || in_brackets)
      result.modifiers[word] = "";
    else
      result.modifiers[word.substr(0, colon)] = word.substr(colon + 1);
    first = false;
  }
  for (const std::string& part : parts) result.operands.push_back(read_operand(part, gfx));
  return result;
}

}  // namespace

std::vector<InstructionText> read_text(std::string_view text, Gfx gfx) {
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  constexpr std::string_view between = " :: ";
  const auto at = text.find(between);
  if (at == std::string_view::npos) return {read_one(text, gfx)};
  return {read_one(text.substr(0, at), gfx), read_one(text.substr(at + between.size()), gfx)};
}

}  // namespace hipsight::test
