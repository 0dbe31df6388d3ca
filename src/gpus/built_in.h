#pragma once

#include <string_view>
#include <vector>

namespace hipsight::gpus {

/// A GPU file compiled into the program.
struct BuiltIn {
  std::string_view name;  ///< of the file: "mi300x.toml"
  std::string_view text;
};
const std::vector<BuiltIn>& built_in_files();

}  // namespace hipsight::gpus
