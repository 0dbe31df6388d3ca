#include "page.h"

#include <sstream>

namespace programs {

std::string squeezed(const std::string& text) {
  std::istringstream words(text);
  std::string out, word;
  while (words >> word) out += (out.empty() ? "" : " ") + word;
  return out;
}

std::vector<Shown> shown_in(const std::string& page) {
  std::vector<Shown> shown;
  bool in_output = false;
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    const bool is_code = line.starts_with("    ");
    if (is_code && line.starts_with("    $ ")) {
      shown.push_back({line.substr(6), {}});
      in_output = true;
    } else if (is_code && in_output) {
      shown.back().lines.push_back(line.substr(4));
    } else if (!line.empty()) {
      in_output = false;
    }
  }
  std::erase_if(shown, [](const Shown& one) { return one.lines.empty(); });
  return shown;
}

}  // namespace programs
