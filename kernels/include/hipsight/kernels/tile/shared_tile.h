// A tile in the memory that a workgroup shares.
#pragma once

#include "swizzle.h"

namespace hipsight::kernels {

/// `Lines` lines of an operand (rows of A, columns of B), each `Depth` deep. Whole chunks of 16
/// bytes are read and written; where they lie is `Where`'s affair.
template <class Value, int Lines, int Depth, Swizzle Where>
struct SharedTile {
  using Element = Value;
  static constexpr int lines = Lines, depth = Depth;
  static constexpr int chunks = Depth / chunk_size<Value>;  // of a line
  static constexpr unsigned line_bytes = Depth * sizeof(Value);

  static_assert(Depth % chunk_size<Value> == 0,
                "SharedTile: a line is made of chunks of 16 bytes: its depth does not fit");
  static_assert((Depth & (Depth - 1)) == 0,
                "SharedTile: a line's depth must be a power of two, for the swizzle");
  static_assert(
      (1u << Where.base) >= chunk_bytes,
      "SharedTile: the swizzle moves less than a chunk of 16 bytes: its base is too small");
  static_assert(Where.bits == 0 || (Where.shift >= Where.bits),
                "SharedTile: the swizzle's bits overlap: its shift must be no less than its bits");

  alignas(128) Value elements[Lines * Depth];

  /// What of a line begins at `depth`: an element, or a vector that is part of a chunk, or all of
  /// it.
  template <class Values>
  HIPSIGHT_INLINE Values& at(int line, int depth) {
    return *reinterpret_cast<Values*>(reinterpret_cast<char*>(elements) + offset(line, depth));
  }
  /// A chunk, `further` lines on: where the swizzle's pattern comes again, its place is that much
  /// further, too, which an access can say by itself.
  template <int further = 0>
  HIPSIGHT_INLINE const Chunk<Value>& chunk(int line, int depth) const {
    return further_on<Chunk<Value>, further>(line, depth);
  }
  /// The same of one element.
  template <int further = 0>
  HIPSIGHT_INLINE Value value(int line, int depth) const {
    return further_on<Value, further>(line, depth);
  }

  /// Which line and depth are where the swizzle puts chunk number `i`: it is its own inverse.
  HIPSIGHT_INLINE static Place place(int i) {
    const unsigned offset = Where(static_cast<unsigned>(i) * chunk_bytes);
    return {static_cast<int>(offset / line_bytes),
            static_cast<int>(offset % line_bytes / sizeof(Value))};
  }

 private:
  template <class Values, int further>
  HIPSIGHT_INLINE const Values& further_on(int line, int depth) const {
    constexpr unsigned distance = further * line_bytes;
    constexpr bool again = distance % (1u << (Where.base + Where.shift + Where.bits)) == 0;
    return *reinterpret_cast<const Values*>(
        reinterpret_cast<const char*>(elements) +
        (again ? offset(line, depth) + distance : offset(line + further, depth)));
  }

  HIPSIGHT_INLINE static unsigned offset(int line, int depth) {
    return Where(static_cast<unsigned>(line) * line_bytes + depth * sizeof(Value));
  }
};

}  // namespace hipsight::kernels
