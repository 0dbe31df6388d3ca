#pragma once

#include <string>
#include <string_view>

namespace hipsight::isa {

/// The entry of an instruction as the sources have it, macros expanded, with the comment above it;
/// "" when it has none: memory, control, lane exchange and matrix instructions are code of the
/// engine's.
std::string source_text(std::string_view name);

}  // namespace hipsight::isa
