#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace hipsight::bench {

/// What `hipsight COMMAND` reports of a program of build/bench, with its arguments.
/// @throws std::runtime_error when it fails.
nlohmann::json report(const std::string& command, const std::string& gpu,
                      const std::string& program);

}  // namespace hipsight::bench
