#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "code/code_object.h"
#include "engine/engine.h"

namespace hipsight::services {

/// What the hidden arguments of a launch are made from.
struct Geometry {
  engine::Dim3 grid;  ///< work-items
  engine::Dim3 block;
  std::uint32_t dynamic_lds = 0;
};

/// Whether the kernel takes arguments that the program passes.
bool has_explicit_arguments(const code::Kernel& kernel);

/// The kernarg segment of a launch: explicit arguments copied from `parameters` (one pointer each)
/// by the metadata's offsets and sizes; hidden ones filled by value_kind (LLVM AMDGPUUsage, "Code
/// Object V3 Kernel Metadata").
std::vector<std::byte> kernarg(const code::Kernel& kernel, const Geometry& geometry,
                               void* const* parameters);

/// The same with the explicit arguments already packed.
std::vector<std::byte> kernarg(const code::Kernel& kernel, const Geometry& geometry,
                               std::span<const std::byte> packed);

/// The explicit arguments of a kernarg segment: one pointer each, as a launch takes them.
std::vector<void*> explicit_arguments(const code::Kernel& kernel, std::span<std::byte> segment);

}  // namespace hipsight::services
