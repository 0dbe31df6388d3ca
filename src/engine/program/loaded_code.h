#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "code/code_object.h"

namespace hipsight::engine {

/// A code object in device memory.
struct LoadedCode {
  std::shared_ptr<const code::CodeObject> object;
  std::byte* image = nullptr;
  std::uint64_t number = 0;  ///< among all that were ever loaded, for addresses come again

  std::uint64_t base() const { return reinterpret_cast<std::uintptr_t>(image); }
  bool holds(std::uint64_t device_address) const {
    return device_address - base() < object->image_size();
  }
};

/// Makes a code object known to all others, whose code may call its functions by their addresses:
/// those of all devices are in one address space.
std::shared_ptr<const LoadedCode> add_code(std::shared_ptr<const code::CodeObject> object,
                                           std::byte* image);
void remove_code(const LoadedCode& code);
/// What is loaded at a device address, or null.
std::shared_ptr<const LoadedCode> code_at(std::uint64_t device_address);

}  // namespace hipsight::engine
