// Where in shared memory a tile's chunks lie, so that those read at once are in different banks.
#pragma once

#include "../arch/layout.h"

namespace hipsight::kernels {

/// Three numbers: `bits` bits of a byte's offset, from bit `base` + `shift` on, are added without
/// carry (XOR) to those from bit `base` on.
struct Swizzle {
  int bits = 0, base = 4, shift = 0;

  HIPSIGHT_INLINE constexpr unsigned operator()(unsigned offset) const {
    const unsigned mask = ((1u << bits) - 1) << base;
    return offset ^ (offset >> shift & mask);
  }
};

/// The swizzle of lines of `line_bytes`, for waves that at once read as many neighbouring lines,
/// `together` bytes of each, as fill the `bank_bytes` that the banks give in a cycle. What would be
/// in the same banks moves on by one `together` for each of those lines. Both widths are powers of
/// two.
HIPSIGHT_INLINE constexpr Swizzle swizzle_for(int line_bytes, int bank_bytes, int together) {
  const auto log2 = [](int x) {
    int bits = 0;
    for (; x > 1; x /= 2) bits++;
    return bits;
  };
  const int period = line_bytes > bank_bytes ? line_bytes : bank_bytes;  // the same bank again
  return {.bits = log2(bank_bytes / together),
          .base = log2(together),
          .shift = log2(period / together)};
}

/// The same for the operands of a matrix step.
template <class Value>
HIPSIGHT_INLINE constexpr Swizzle swizzle_for(const Layout& operand, int line_bytes,
                                              int bank_bytes) {
  const Digit first = operand.lane[0];
  const int together = first.step.column ? first.count * first.step.column : chunk_size<Value>;
  return swizzle_for(line_bytes, bank_bytes, together * static_cast<int>(sizeof(Value)));
}

}  // namespace hipsight::kernels
