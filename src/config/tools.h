#pragma once

#include <array>
#include <string_view>

namespace hipsight::config {

/// The tools of `hipsight check` (docs/check.md).
inline constexpr std::array<std::string_view, 8> tools{"memcheck",     "racecheck", "synccheck",
                                                       "initcheck",    "waitcheck", "numcheck",
                                                       "shufflecheck", "leakcheck"};

}  // namespace hipsight::config
