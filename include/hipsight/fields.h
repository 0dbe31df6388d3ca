#pragma once

#include <string_view>
#include <tuple>

namespace hipsight::detail {
struct Tie {
  template <class... Fields>
  static constexpr auto of(Fields&... fields) {
    return std::tie(fields...);
  }
};
}  // namespace hipsight::detail

/// Stands in a plain struct and lists all its fields, in the order in which they cross the border
/// of the library (wire.h) and in which reports name them. A new field goes to the end of the
/// struct and of the list: programs built before it came go on working. `fields` is a template so
/// that only those who call it pay for its compilation.
#define HIPSIGHT_FIELDS(...)                                    \
  static constexpr std::string_view field_names = #__VA_ARGS__; \
  template <class Tie = ::hipsight::detail::Tie>                \
  constexpr auto fields() {                                     \
    return Tie::of(__VA_ARGS__);                                \
  }                                                             \
  template <class Tie = ::hipsight::detail::Tie>                \
  constexpr auto fields() const {                               \
    return Tie::of(__VA_ARGS__);                                \
  }
