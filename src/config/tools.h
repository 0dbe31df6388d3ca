#pragma once

#include <array>
#include <string_view>

namespace hipsight::config {

/// The tools of `hipsight check` (docs/check.md).
inline constexpr std::array<std::string_view, 6> tools{"memcheck",  "racecheck", "synccheck",
                                                       "initcheck", "waitcheck", "leakcheck"};

}  // namespace hipsight::config
