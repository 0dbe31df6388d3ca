#pragma once

#include <cstddef>
#include <vector>

namespace hipsight {

/// The linker's build ID (NT_GNU_BUILD_ID) of the program or library that an address lies in; empty
/// where it has none.
std::vector<std::byte> build_id(const void* inside);

}  // namespace hipsight
