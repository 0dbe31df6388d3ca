#pragma once

#include <string>

namespace hipsight::code {

/// A kernel's or function's name as it stands in the source: demangled, or as it is where that
/// cannot be. Names come with a program, so they may be hostile: one that nests too deep, or that
/// some hundred letters unfold to gigabytes, stays as it is.
std::string readable_name(const std::string& symbol);

}  // namespace hipsight::code
