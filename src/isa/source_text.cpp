#include "isa/source_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/embedded.h"

namespace hipsight::isa {
namespace {

constexpr std::string_view blank = " \t";

std::string_view line_at(std::string_view text, std::size_t begin) {
  return text.substr(begin, text.find('\n', begin) - begin);
}
std::size_t begin_of_line(std::string_view text, std::size_t at) {
  const std::size_t before = text.rfind('\n', at);
  return before == text.npos || at == 0 ? 0 : before + 1;
}
std::string_view trimmed(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(blank), line.size()));
  return line;
}

/// Where a call ends whose signature, in angle brackets, begins here.
std::size_t end_of_call(std::string_view text, std::size_t begin) {
  int angles = 0, parentheses = 0;
  for (std::size_t i = begin; i < text.size(); ++i) {
    if (parentheses == 0 && text[i] == '<') ++angles;
    if (parentheses == 0 && text[i] == '>') --angles;
    if (angles) continue;
    if (text[i] == '(') ++parentheses;
    if (text[i] == ')' && --parentheses == 0) return i + 1;
  }
  return text.size();
}

/// Without the indentation of the first line.
std::string outdented(std::string_view text, std::size_t indentation) {
  std::string result;
  while (!text.empty()) {
    const std::string_view line = line_at(text, 0);
    result += line.substr(std::min(line.find_first_not_of(blank), indentation));
    result += '\n';
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return result;
}

/// The entry that has its name here.
std::string entry_at(std::string_view text, std::size_t at) {
  std::size_t begin = 0;
  for (const std::string_view maker : {"def<", "packed<", "scalar<"})
    if (const std::size_t found = text.rfind(maker, at); found != text.npos)
      begin = std::max(begin, found);
  const std::size_t end = end_of_call(text, text.find('<', begin));
  const std::size_t line = begin_of_line(text, begin);
  std::size_t first = line;
  while (first > 0) {
    const std::size_t above = begin_of_line(text, first - 1);
    if (!trimmed(line_at(text, above)).starts_with("//")) break;
    first = above;
  }
  const std::string comment = outdented(text.substr(first, line - first), text.size());
  return comment + outdented(text.substr(begin, end - begin), begin - line);
}

/// The entries, names in one piece: macros join "V_CMP_" and "LT_F32".
std::string joined(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '"') {
      const std::size_t next = text.find_first_not_of(" \t\n", i + 1);
      const bool closes = std::ranges::count(result.substr(result.rfind('\n') + 1), '"') % 2 == 1;
      if (closes && next != text.npos && text[next] == '"') {
        i = next + 1;
        continue;
      }
    }
    result += text[i++];
  }
  return result;
}

}  // namespace

std::string source_text(std::string_view name) {
  static const std::string entries = joined(entry_files().front().text);
  const std::size_t at = entries.find(fmt::format("\"{}\"", name));
  return at == entries.npos ? "" : entry_at(entries, at);
}

}  // namespace hipsight::isa
