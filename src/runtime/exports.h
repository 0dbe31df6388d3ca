#pragma once

#include <span>

namespace hipsight::runtime {

/// One exported function: its implementation, or a stub that says it is not supported.
struct Export {
  const char* name;
  void* address;
};

/// Every exported function, in order of name. Generated from exports.txt.
std::span<const Export> exports();

}  // namespace hipsight::runtime
