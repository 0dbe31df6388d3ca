#pragma once

namespace hipsight::runtime {

/// Takes back registered host memory (hipHostRegister) that the program has unmapped since, and
/// tells it: a kernel that goes there is then reported like any stray access.
void drop_unmapped();

}  // namespace hipsight::runtime
