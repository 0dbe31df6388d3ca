#pragma once

#include <string>
#include <string_view>
#include <vector>

/// Text as it may stand in files of others.
namespace hipsight {

/// In HTML, XML and SVG, as text or in an attribute; control characters are made visible.
std::string markup(std::string_view text);
/// A field of comma-separated values: in quotes where it has what would end it.
std::string csv_field(std::string_view text);
/// Lines of cells in columns, each line indented by two spaces and with no space at its end.
std::string columns(const std::vector<std::vector<std::string>>& lines);

}  // namespace hipsight
