#pragma once

#include <string>

#include "hipsight/values.h"
#include "report/source_text.h"

namespace hipsight::report {

/// One page that needs nothing else: no script runs in it, nothing is loaded, and names and source
/// are text. The first screen is the answer.
std::string to_html(const RunReport& run, const SourceText& source);

}  // namespace hipsight::report
