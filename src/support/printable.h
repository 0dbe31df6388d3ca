#pragma once

#include <string>
#include <string_view>

namespace hipsight {

/// The text as it may stand on a terminal, and in a report. Names of kernels and files are
/// anybody's bytes: control characters, what turns the direction of writing, and bytes that are no
/// UTF-8 become \xNN or \u{NNNN}. Line ends stay where `lines` says so.
std::string printable(std::string_view text, bool lines = false);

/// Whether all of it is UTF-8.
bool is_utf8(std::string_view text);

}  // namespace hipsight
