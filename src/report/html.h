#pragma once

#include <functional>
#include <string>

#include "hipsight/values.h"

namespace hipsight::report {

/// What a source file holds; empty: it is not there, or not to be shown.
using SourceText = std::function<std::string(const std::string& file)>;

/// One page that needs nothing else: no script runs in it, nothing is loaded, and names and source
/// are text. The first screen is the answer.
std::string to_html(const RunReport& run, const SourceText& source);

/// Of files that are named as source files are: code objects name them, and they are anybody's.
std::string source_text(const std::string& file);

}  // namespace hipsight::report
