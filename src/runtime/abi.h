#pragma once

namespace hipsight::runtime {

/// The major version of HIP that this library stands in for: 5, 6 or 7, as in its SONAME. One
/// object file per library says it; all others are shared.
extern const int abi_version;

}  // namespace hipsight::runtime
