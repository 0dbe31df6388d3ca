#include "tune/space.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "support/error.h"
#include "support/pattern.h"
#include "support/printable.h"

namespace hipsight::tune {

namespace fs = std::filesystem;

Parameter Parameter::read(const std::string& text) {
  static const Pattern form("^[A-Za-z_][A-Za-z_0-9]*=.+$");
  if (!form.is_in(text)) fail("'{}' is not NAME=VALUE,... or NAME=@FOLDER", printable(text));
  const std::size_t equals = text.find('=');
  Parameter parameter{.name = text.substr(0, equals), .values = {}};
  const std::string values = text.substr(equals + 1);
  if (values.starts_with('@')) {
    const fs::path folder = values.substr(1);
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error))
      if (entry.is_regular_file()) parameter.values.push_back(entry.path());
    if (error) fail("{}: {}", printable(folder.string()), error.message());
    if (parameter.values.empty()) fail("{}: no file is in it", printable(folder.string()));
    std::ranges::sort(parameter.values);
    return parameter;
  }
  for (std::size_t begin = 0; begin <= values.size();) {
    const std::size_t comma = std::min(values.find(',', begin), values.size());
    const std::string value = values.substr(begin, comma - begin);
    if (std::ranges::count(parameter.values, value) != 0)
      fail("{}: the value '{}' comes twice", parameter.name, printable(value));
    parameter.values.push_back(value);
    begin = comma + 1;
  }
  return parameter;
}

std::vector<Point> points(const std::vector<Parameter>& parameters) {
  constexpr std::size_t most = 1'000'000;
  std::vector<Point> all{Point()};
  for (const Parameter& parameter : parameters) {
    if (all.front().contains(parameter.name)) fail("{} comes twice", parameter.name);
    if (all.size() > most / parameter.values.size())
      fail("these are more than {} configurations", most);
    std::vector<Point> next;
    next.reserve(all.size() * parameter.values.size());
    for (const Point& point : all)
      for (const std::string& value : parameter.values)
        next.emplace_back(point)[parameter.name] = value;
    all = std::move(next);
  }
  return all;
}

std::string filled(const std::string& text, const Point& point) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c != '{' && c != '}') {
      out += c;
      continue;
    }
    if (i + 1 < text.size() && text[i + 1] == c) {
      out += text[i++];
      continue;
    }
    const std::size_t end = c == '{' ? text.find('}', i) : text.npos;
    if (end == text.npos)
      fail("'{}': a lone '{}'; {{{{ and }}}} stand for braces", printable(text), c);
    const std::string name = text.substr(i + 1, end - i - 1);
    const auto value = point.find(name);
    if (value == point.end()) {
      std::string names;
      for (const auto& [known, _] : point) names += (names.empty() ? "" : ", ") + known;
      fail("'{}': {{{}}} is no parameter; there are: {}", printable(text), printable(name), names);
    }
    out += value->second;
    i = end;
  }
  return out;
}

std::string text_of(const Point& point) {
  std::string text;
  for (const auto& [name, value] : point)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  return text;
}

}  // namespace hipsight::tune
