#pragma once

#include <cstddef>

#include "runtime/error.h"
#include "runtime/hip_types.h"
#include "runtime/memory/mapping.h"
#include "runtime/stream/operation.h"

namespace hipsight::runtime {

class Stream;

/// Lines of bytes: `rows` rows of `width` bytes, `pitch` bytes apart, in `slices` slices
/// `slice_pitch` bytes apart.
struct Lines {
  std::size_t width = 0, rows = 1, slices = 1;
};
struct Layout {
  std::size_t pitch = 0, slice_pitch = 0;
};

// Sizes come from the program: one that overflows is none. @throws Failure.
inline std::size_t sum(std::size_t a, std::size_t b) {
  std::size_t result = 0;
  require(!__builtin_add_overflow(a, b, &result));
  return result;
}
inline std::size_t product(std::size_t a, std::size_t b) {
  std::size_t result = 0;
  require(!__builtin_mul_overflow(a, b, &result));
  return result;
}
/// How far the byte at (x, y, z) is from the first one. @throws Failure on overflow.
inline std::size_t distance(Layout layout, std::size_t x, std::size_t y, std::size_t z) {
  return sum(x, sum(product(y, layout.pitch), product(z, layout.slice_pitch)));
}
/// The byte there. @throws Failure when no memory can be there.
std::byte* at(const void* begin, Layout layout, std::size_t x, std::size_t y, std::size_t z);

struct Copy {
  void* to = nullptr;
  Layout to_layout{};
  const void* from = nullptr;
  Layout from_layout{};
  Lines lines{};
  hipMemcpyKind kind = hipMemcpyDefault;
};
struct Fill {
  void* to = nullptr;
  Layout layout{};
  Lines lines{};
  std::uint32_t value = 0;
  unsigned value_size = 1;  ///< bytes: 1, 2 or 4
};

/// Whether the range is device, pinned or managed memory; false when it is plain memory of the
/// program. @throws Failure when it is neither, or runs over the end of an allocation, after
/// telling the user what went wrong while "copy to", say.
bool is_allocation(const void* pointer, std::size_t size, Access access, const char* doing);

/// Whether the two sides of a copy are memory that the runtime knows.
struct Sides {
  bool from_known = false, to_known = false;
};

/// Checks that the sides are memory: an allocation with room, or mapped memory of the program's
/// own. @throws Failure, after telling the user what is wrong with which side.
Sides check(const Copy& copy);
void check(const Fill& fill);

/// The work, which checks again: memory may go between the call and its turn.
Operation operation_of(const Copy& copy);
Operation operation_of(const Fill& fill);

/// A 3D copy between pitched pointers. @throws Failure for what HIP refuses.
Copy copy_of(const hipMemcpy3DParms& parameters);
/// The same as the driver's functions describe it. @throws Failure for what HIP refuses.
Copy copy_of(const HIP_MEMCPY3D& parameters);
/// A copy in words of HIP.
hipMemcpy3DParms parameters_of(const Copy& copy);
/// Copies to and from a device variable of the program, on the current device.
/// @throws Failure for what HIP refuses.
Copy copy_to_symbol(const void* symbol, const void* from, std::size_t size, std::size_t offset,
                    hipMemcpyKind kind);
Copy copy_from_symbol(void* to, const void* symbol, std::size_t size, std::size_t offset,
                      hipMemcpyKind kind);

/// Whether a call waits for the end of its work.
enum class Wait { No, Yes };
/// Submits a copy to a stream. A stream that captures makes a node of it.
void submit(Stream& stream, const Copy& copy, Wait wait);

}  // namespace hipsight::runtime
