#pragma once

#include <string_view>
#include <tuple>

/// Stands in a plain struct and lists all its fields, in the order in which they cross the border
/// of the library (wire.h) and in which reports name them. A new field goes to the end of the
/// struct and of the list: programs built before it came go on working.
#define HIPSIGHT_FIELDS(...)                                    \
  static constexpr std::string_view field_names = #__VA_ARGS__; \
  constexpr auto fields() {                                     \
    return std::tie(__VA_ARGS__);                               \
  }                                                             \
  constexpr auto fields() const {                               \
    return std::tie(__VA_ARGS__);                               \
  }
