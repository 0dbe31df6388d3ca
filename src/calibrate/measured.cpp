#include "calibrate/measured.h"

#include <charconv>
#include <cmath>
#include <sstream>

#include "support/error.h"
#include "support/printable.h"

namespace hipsight::calibrate {
namespace {

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

}  // namespace

std::vector<Measured> read_times(std::string_view text, const std::string& origin) {
  std::vector<Measured> all;
  bool titled = false;
  std::istringstream lines{std::string(text)};
  std::string whole;
  for (int number = 1; std::getline(lines, whole); ++number) {
    const std::string_view line = trimmed(whole);
    if (line.empty() || line.starts_with('#')) continue;
    const auto wrong = [&](const std::string& what) {
      fail("{}:{}: {}", printable(origin), number, what);
    };
    const auto comma = line.rfind(',');
    if (comma == line.npos) wrong("there must be a command, a comma, and microseconds");
    std::string_view command = trimmed(line.substr(0, comma));
    const std::string_view time = trimmed(line.substr(comma + 1));
    if (!titled) {
      if (command != "command" || time != "microseconds")
        wrong("the first line must be command,microseconds");
      titled = true;
      continue;
    }
    if (command.size() >= 2 && command.front() == '"' && command.back() == '"')
      command = command.substr(1, command.size() - 2);
    double microseconds = 0;
    const auto [end, error] = std::from_chars(time.data(), time.data() + time.size(), microseconds);
    if (error != std::errc() || end != time.data() + time.size() || !(microseconds > 0) ||
        !std::isfinite(microseconds))
      wrong(fmt::format("'{}' is no time in microseconds", printable(std::string(time))));
    if (words_of(std::string(command)).empty()) wrong("there is no command");
    all.push_back({std::string(command), microseconds * 1e-6});
  }
  if (all.empty()) fail("{}: there are no times in it", printable(origin));
  return all;
}

std::vector<std::string> words_of(const std::string& command) {
  std::istringstream words(command);
  std::vector<std::string> all;
  for (std::string word; words >> word;) all.push_back(word);
  return all;
}

}  // namespace hipsight::calibrate
