#pragma once

#include <functional>
#include <ostream>
#include <string>

#include "float_reference.h"
#include "machine.h"

namespace hipsight::test {

/// One lane's inputs, v[0:1], v[2:3], v[4:5], and the old v[6:7].
struct FloatIn {
  u64 a, b, c, d;
};
/// What an instruction writes: v6, v[6:7], the low half of v6 with the other cleared or kept, or
/// the bits s[10:11].
enum class FloatOut { Single, Pair, Half, HalfOnly, Bits };

struct FloatCase {
  std::string processor, text;
  Format format;  ///< of the values that the inputs are filled with
  FloatOut out;
  std::function<u64(const FloatIn&)> expected;
};
inline void PrintTo(const FloatCase& c, std::ostream* out) {
  *out << c.processor << " " << c.text;
}

/// Runs the instruction on every host instruction set, over edge and random values and partial
/// EXEC.
void check(const FloatCase& c);

}  // namespace hipsight::test
