#pragma once

#include <string>

#include "hipsight/gpu.h"

/// What came of launches, as hipsight's command shows it.
namespace hipsight {

/// For people: 100 columns at most, but for names. Five lines a kernel, and the sections that
/// `details` lists: "counts,roofs", or "all" (docs/configuration.md). Error: Usage.
inline Expected<std::string> to_text(const RunReport& run, const std::string& details = "") {
  const auto bytes = detail::bytes_of(run);
  return detail::value_of<std::string>(hipsight_text(bytes.data(), bytes.size(), details.c_str()));
}

/// For programs: docs/report-schema.md.
inline Expected<std::string> to_json(const RunReport& run) {
  const auto bytes = detail::bytes_of(run);
  return detail::value_of<std::string>(hipsight_json(bytes.data(), bytes.size()));
}

/// One page that needs nothing else, with the source lines that are at hand.
inline Expected<std::string> to_html(const RunReport& run) {
  const auto bytes = detail::bytes_of(run);
  return detail::value_of<std::string>(hipsight_html(bytes.data(), bytes.size()));
}

}  // namespace hipsight
