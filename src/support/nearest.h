#pragma once

#include <span>
#include <string>
#include <string_view>

namespace hipsight {

/// The name that is most like what somebody wrote. There is one at least.
const std::string& nearest(std::string_view written, std::span<const std::string> names);

}  // namespace hipsight
