#pragma once

#include <string>
#include <vector>

#include "hipsight/gpu.h"

namespace hipsight {

/// What a condition takes to be judged. Error: Usage, for what is no condition.
inline Expected<ConditionFacts> read_condition(const std::string& condition) {
  return detail::value_of<ConditionFacts>(hipsight_condition(condition.c_str()));
}

/// The kernels of a report of which a condition on their figures holds: "spills > 0 or occupancy <
/// 50 %" (docs/conditions.md). Error: Usage, for what is no condition, and when a figure is not
/// known, as the report has no profile or no prediction.
inline Expected<std::vector<MetCondition>> met(const RunReport& run, const std::string& condition) {
  const auto bytes = detail::bytes_of(run);
  return detail::value_of<std::vector<MetCondition>>(
      hipsight_met(bytes.data(), bytes.size(), condition.c_str()));
}

}  // namespace hipsight
