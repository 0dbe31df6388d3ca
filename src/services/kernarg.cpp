#include "services/kernarg.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "support/error.h"

namespace hipsight::services {
namespace {

/// The value of a hidden argument. Pointers to what only exists while the kernel runs
/// (services/services.h) are null for now, those to what is not there (queues) for good.
std::uint64_t hidden_value(std::string_view kind, const Geometry& g) {
  const std::array grid{g.grid.x, g.grid.y, g.grid.z}, block{g.block.x, g.block.y, g.block.z};
  const std::size_t axis = kind.ends_with("_z") ? 2 : kind.ends_with("_y") ? 1 : 0;
  if (kind.starts_with("hidden_block_count_")) return grid[axis] / block[axis];  // whole ones
  if (kind.starts_with("hidden_group_size_")) return block[axis];
  if (kind.starts_with("hidden_remainder_")) return grid[axis] % block[axis];
  if (kind == "hidden_grid_dims") return 3;  // as HIP launches: always three
  if (kind == "hidden_dynamic_lds_size") return g.dynamic_lds;
  return 0;
}

std::vector<std::byte> blank(const code::Kernel& kernel) {
  std::size_t size = std::max(kernel.kernarg_size, kernel.descriptor.kernarg_size);
  for (const code::Argument& argument : kernel.arguments)
    size = std::max<std::size_t>(size, std::size_t{argument.offset} + argument.size);
  // The metadata comes from the program: a size that no real kernel has is not worth allocating.
  if (size > (std::size_t{1} << 24)) fail("{}: {} bytes of kernel arguments", kernel.name, size);
  return std::vector<std::byte>(size);
}

void fill_hidden(std::vector<std::byte>& segment, const code::Kernel& kernel,
                 const Geometry& geometry) {
  for (const code::Argument& argument : kernel.arguments) {
    if (!argument.is_hidden()) continue;
    const std::uint64_t value = hidden_value(argument.value_kind, geometry);
    std::memcpy(segment.data() + argument.offset, &value,
                std::min<std::size_t>(argument.size, sizeof value));
  }
}

}  // namespace

bool has_explicit_arguments(const code::Kernel& kernel) {
  return !std::ranges::all_of(kernel.arguments, &code::Argument::is_hidden);
}

std::vector<std::byte> kernarg(const code::Kernel& kernel, const Geometry& geometry,
                               void* const* parameters) {
  std::vector<std::byte> segment = blank(kernel);
  for (const code::Argument& argument : kernel.arguments) {
    if (argument.is_hidden()) continue;
    if (const void* value = *parameters++)
      std::memcpy(segment.data() + argument.offset, value, argument.size);
  }
  fill_hidden(segment, kernel, geometry);
  return segment;
}

std::vector<std::byte> kernarg(const code::Kernel& kernel, const Geometry& geometry,
                               std::span<const std::byte> packed) {
  std::vector<std::byte> segment = blank(kernel);
  std::ranges::copy(packed.first(std::min(packed.size(), segment.size())), segment.begin());
  fill_hidden(segment, kernel, geometry);
  return segment;
}

std::vector<void*> explicit_arguments(const code::Kernel& kernel, std::span<std::byte> segment) {
  std::vector<void*> result;
  for (const code::Argument& argument : kernel.arguments)
    if (!argument.is_hidden()) result.push_back(segment.data() + argument.offset);
  return result;
}

}  // namespace hipsight::services
