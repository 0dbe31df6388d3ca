#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace hipsight::tune {

/// A name and the values that it may take.
struct Parameter {
  std::string name;
  std::vector<std::string> values;
  /// "TILE=16,32,64"; "CODE=@folder": every file in that folder, by name.
  /// @throws Exception, which says what is wrong with it.
  static Parameter read(const std::string& text);
};

/// A value of each parameter, by its name.
using Point = std::map<std::string, std::string>;

/// All of them: the last parameter changes fastest. No parameters: one point.
/// @throws Exception when a name comes twice, or there are more than a million.
std::vector<Point> points(const std::vector<Parameter>& parameters);

/// "{TILE}" in the text becomes its value, "{{" and "}}" a brace.
/// @throws Exception for a name that is none.
std::string filled(const std::string& text, const Point& point);

/// "TILE=16 BLOCK=128".
std::string text_of(const Point& point);

}  // namespace hipsight::tune
