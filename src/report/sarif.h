#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace hipsight::report {

/// A file of SARIF 2.1.0 with the results of one tool.
std::string sarif_log(const char* tool, nlohmann::ordered_json results);

}  // namespace hipsight::report
