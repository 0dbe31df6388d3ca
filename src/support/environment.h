#pragma once

#include <string>

namespace hipsight {

/// A variable of the environment; empty when it is not set. A program that runs with more rights
/// than whoever started it (AT_SECURE: set-user-ID, file capabilities) takes none: they would let a
/// stranger write files with its rights, or run code of his.
std::string environment(const char* name);

}  // namespace hipsight
