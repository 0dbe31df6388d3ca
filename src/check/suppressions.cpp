#include "check/suppressions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <sstream>

#include "config/tools.h"
#include "support/error.h"
#include "support/files.h"
#include "support/printable.h"

namespace hipsight::check {

Suppressions Suppressions::read(const std::filesystem::path& file) {
  Suppressions all;
  std::istringstream in(read_text(file));
  std::string text;
  for (unsigned number = 1; std::getline(in, text); ++number) {
    const auto wrong = [&](std::string_view why) {
      fail("{}:{}: {}", printable(file.string()), number, why);
    };
    std::istringstream words(text.substr(0, text.find('#')));
    std::string tool, kernel, place, more;
    if (!(words >> tool)) continue;
    words >> kernel >> place >> more;
    if (!more.empty() || kernel.empty()) wrong("expected TOOL KERNEL [FILE[:LINE]]");
    if (std::ranges::find(config::tools, tool) == config::tools.end())
      wrong(fmt::format("'{}' is no tool: there are {}", printable(tool),
                        fmt::join(config::tools, ", ")));
    Line line{.tool = tool, .kernel = nullptr, .file = place, .line = 0};
    try {
      line.kernel = std::make_shared<const Pattern>(kernel);
    } catch (const Exception& error) {
      wrong(error.what());
    }
    if (const std::size_t colon = place.rfind(':'); colon != place.npos) {
      const char* const end = place.data() + place.size();
      const auto read = std::from_chars(place.data() + colon + 1, end, line.line);
      if (read.ec != std::errc() || read.ptr != end || line.line == 0)
        wrong(fmt::format("'{}' is no FILE:LINE", printable(place)));
      line.file.resize(colon);
    }
    all.lines_.push_back(std::move(line));
  }
  return all;
}

bool Suppressions::Line::is_at(const Location& at) const {
  if (file.empty()) return true;
  const bool named = at.file == file || at.file.ends_with("/" + file);
  return named && (line == 0 || line == at.line);
}

bool Suppressions::has(const Finding& finding) const {
  return std::ranges::any_of(lines_, [&](const Line& line) {
    return line.tool == finding.tool && line.kernel->is_in(finding.kernel) &&
           (line.is_at(finding.at) || line.is_at(finding.second));
  });
}

}  // namespace hipsight::check
