#pragma once

#include "code/code_object.h"
#include "code/fat_binary.h"

namespace hipsight::code::testing {

/// Reads all that there is to read of a code object.
inline void use_code_object(std::span<const std::byte> bytes) {
  auto object = CodeObject::read(bytes, "broken.co");
  for (const Kernel& kernel : object->kernels()) {
    object->line(kernel.entry + 8);
    object->function_at(kernel.entry);
  }
  for (const Symbol& symbol : object->symbols()) object->find_symbol(symbol.name);
  if (object->image_size() < (1u << 20)) {
    std::vector<std::byte> image(object->image_size());
    object->load(image.data(), 0x10000000);
  }
}

/// Reads every code object of every fat binary of a file.
inline void use_fat_binaries(std::span<const std::byte> bytes) {
  for (auto bundle : find_fat_binaries(bytes, "broken.hipfb")) {
    FatBinary fat = FatBinary::open(bundle, "broken.hipfb");
    for (const Image& image : fat.images) CodeObject::read(image.elf, "broken.hipfb");
  }
}

}  // namespace hipsight::code::testing
