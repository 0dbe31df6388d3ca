#pragma once

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <string_view>

namespace hipsight {

/// An amount with an SI prefix and three digits: quantity(1.5e9, "B") is "1.50 GB".
inline std::string quantity(double amount, std::string_view unit) {
  static constexpr std::string_view kPrefixes[] = {"", "k", "M", "G", "T", "P", "E"};
  std::size_t prefix = 0;
  while (std::abs(amount) >= 999.5 && prefix + 1 < std::size(kPrefixes)) {
    amount /= 1000;
    ++prefix;
  }
  const bool whole = prefix == 0 && amount == std::floor(amount);
  const int digits = whole || amount >= 99.95 ? 0 : amount >= 9.995 ? 1 : 2;
  const std::string number = fmt::format("{:.{}f}", amount, digits);
  const std::string suffix = fmt::format("{}{}", kPrefixes[prefix], unit);
  return suffix.empty() ? number : number + " " + suffix;
}

/// A time with a fitting unit and three digits: "12.3 us".
inline std::string duration(double seconds) {
  static constexpr std::string_view kUnits[] = {"ns", "us", "ms", "s"};
  double amount = seconds * 1e9;
  std::size_t unit = 0;
  while (amount >= 999.5 && unit + 1 < std::size(kUnits)) {
    amount /= 1000;
    ++unit;
  }
  const int digits = amount >= 99.95 ? 0 : amount >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f} {}", amount, digits, kUnits[unit]);
}

}  // namespace hipsight
