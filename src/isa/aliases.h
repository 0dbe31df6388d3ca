#pragma once

#include <string_view>

namespace hipsight::isa {

/// The one name of an instruction that LLVM names differently by generation: V_ADD_NC_U32 of RDNA
/// is the V_ADD_U32 of CDNA. Names that mean different things stay apart. `name` has no suffixes;
/// the result is a part of it or lives forever.
std::string_view canonical(std::string_view name);

}  // namespace hipsight::isa
