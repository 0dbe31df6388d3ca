#pragma once

#include <cstddef>

#include "runtime/hip_types.h"

namespace hipsight::runtime {

/// Lines of bytes: `rows` rows of `width` bytes, `pitch` bytes apart, in `slices` slices
/// `slice_pitch` bytes apart.
struct Lines {
  std::size_t width = 0, rows = 1, slices = 1;
};
struct Layout {
  std::size_t pitch = 0, slice_pitch = 0;
};

/// Copies after checking that both sides are memory: an allocation with room, or mapped memory of
/// the program's own. @throws Failure, after telling the user what is wrong with which side.
void copy(void* to, Layout to_layout, const void* from, Layout from_layout, Lines lines,
          hipMemcpyKind kind);
inline void copy(void* to, const void* from, std::size_t size, hipMemcpyKind kind) {
  copy(to, {}, from, {}, {size}, kind);
}

/// Fills with a value of 1, 2 or 4 bytes; width in bytes.
void fill(void* to, Layout layout, Lines lines, std::uint32_t value, unsigned value_size);

}  // namespace hipsight::runtime
