#include "report/source_text.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include "support/files.h"

namespace hipsight::report {
namespace {

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string& line = lines.emplace_back();
    for (const char c : text.substr(0, end))
      if (c == '\t')
        line += "    ";
      else if (c != '\r')
        line += c;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace

std::string_view Sources::line(const std::string& file, std::uint32_t number) {
  const auto [known, is_new] = files_.try_emplace(file);
  if (is_new) known->second = split(text_(file));
  const std::vector<std::string>& lines = known->second;
  return number > 0 && number <= lines.size() ? std::string_view(lines[number - 1]) : "";
}

std::string source_text(const std::string& file) {
  constexpr std::array endings{".hip", ".cpp", ".cc",  ".cxx", ".c",  ".cu", ".cuh", ".h",
                               ".hpp", ".hxx", ".inc", ".inl", ".py", ".s",  ".S"};
  constexpr std::uintmax_t most = 4 << 20;
  const std::filesystem::path path(file);
  if (std::ranges::find(endings, path.extension().string()) == endings.end()) return "";
  std::error_code error;
  if (const auto size = std::filesystem::file_size(path, error); error || size > most) return "";
  return read_file(path);
}

}  // namespace hipsight::report
