#include "explain/what_if.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>

#include "support/error.h"

namespace hipsight::explain {
namespace {

/// The parts of a text between separators.
std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t end = 0; (end = text.find(separator)) != text.npos; text.remove_prefix(end + 1))
    parts.push_back(text.substr(0, end));
  parts.push_back(text);
  return parts;
}

/// Of parts and trips: beyond it numbers of workgroups and jumps would be none.
constexpr double most_parts = 4096;

double number(const Transform& of, std::string_view text) {
  double value = 0;
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  auto [after, error] = std::from_chars(begin, end, value);
  if (of.takes == "BYTES" && error == std::errc{} && after + 1 == end) {
    constexpr std::string_view units = "KMG";
    const std::size_t unit = units.find(*after);
    if (unit != units.npos) value *= std::pow(1024.0, double(unit) + 1), ++after;
  }
  const bool parts = of.takes == "PARTS" || of.takes == "TRIPS";
  const bool whole = of.takes == "BYTES" || of.takes == "N" || parts;
  const bool zero = of.id == "mall" && value == 0;  // a GPU without one
  if (error != std::errc{} || after != end || !std::isfinite(value) || (value <= 0 && !zero) ||
      (whole && value != std::floor(value)))
    fail("what if {}: '{}' is no {}; {}={}: {}", of.id, text,
         whole ? "whole number above 0" : "number above 0", of.id, of.takes, of.words);
  if (parts && value > most_parts)
    fail("what if {}: {} {}; expected {} at most", of.id, text,
         of.takes == "PARTS" ? "parts" : "trips", most_parts);
  return value;
}

const Transform& named(std::string_view name) {
  if (const Transform* const found = transform(name)) return *found;
  std::vector<std::string_view> names;
  for (const Transform& one : transforms()) names.push_back(one.id);
  fail("what if '{}'? There are: {}", name, fmt::join(names, ", "));
}

}  // namespace

bool WhatIf::other_caches() const {
  return std::ranges::any_of(changes, [](const auto& one) { return one.first->other_caches; });
}

std::vector<WhatIf> parse_what_ifs(std::string_view word) {
  std::vector<WhatIf> all(1);
  for (const std::string_view change : split(word, '+')) {
    const std::size_t equals = std::min(change.find('='), change.size());
    const Transform& of = named(change.substr(0, equals));
    std::vector<std::string_view> values;
    if (equals < change.size()) {
      if (!of.takes_value()) fail("what if {}: it takes no value", of.id);
      values = split(change.substr(equals + 1), ',');
    } else if (!of.usual) {
      fail("what if {}: to what? {}={}: {}", of.id, of.id, of.takes, of.words);
    }
    for (const WhatIf& one : all)
      for (const auto& [known, value] : one.changes)
        if (known == &of) fail("what if {}: twice at once; values to try have commas", of.id);
    std::vector<WhatIf> next;
    for (const WhatIf& one : all) {
      const auto add = [&](double value, const std::string& text) {
        WhatIf then = one;
        then.changes.emplace_back(&of, value);
        then.text += (then.text.empty() ? "" : "+") + text;
        next.push_back(std::move(then));
      };
      if (values.empty()) add(*of.usual, std::string(of.id));
      for (const std::string_view value : values)
        add(number(of, value), fmt::format("{}={}", of.id, value));
    }
    all = std::move(next);
  }
  for (WhatIf& one : all)
    std::ranges::sort(one.changes, {}, [](const auto& change) { return change.first; });
  return all;
}

std::vector<WhatIf> parse_all_what_ifs(std::string_view words) {
  std::vector<WhatIf> all;
  for (const std::string_view word : split(words, ' '))
    if (!word.empty()) std::ranges::move(parse_what_ifs(word), std::back_inserter(all));
  return all;
}

ThenTaken predict(const Launch& launch, const WhatIf& what_if) {
  Changed then(launch);
  ThenTaken taken;
  try {
    for (const auto& [change, value] : what_if.changes)
      if (taken.why_none = change->apply(then, value); !taken.why_none.empty()) return taken;
    taken.why_none = then.why_none();
  } catch (const Exception& error) {  // a GPU that cannot be
    taken.why_none = error.what();
  }
  if (!taken.why_none.empty()) return taken;
  const timing::Prediction prediction = then.predict();
  taken.seconds = prediction.seconds;
  taken.bound = prediction.bound;
  return taken;
}

}  // namespace hipsight::explain
