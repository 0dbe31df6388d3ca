// Every group of entries (src/isa/entries), each compiled in a file of its own.

#include "engine/interpret/interpret.h"

namespace hipsight::engine::HIPSIGHT_HOST_ISA {

// clang-format off
#define HIPSIGHT_GROUPS(GROUP)                                                                \
  GROUP(bitwise) GROUP(compare_float) GROUP(compare_half) GROUP(compare_integer)              \
  GROUP(conversions) GROUP(division) GROUP(dot_float) GROUP(dot_integer) GROUP(float16)       \
  GROUP(float16_packed) GROUP(float32) GROUP(float64) GROUP(graphics) GROUP(integer16)        \
  GROUP(integer32) GROUP(integer64) GROUP(move) GROUP(scalar) GROUP(scalar_float)             \
  GROUP(small_floats) GROUP(transcendental)
// clang-format on

#define HIPSIGHT_DECLARE(GROUP) void add_##GROUP(Table& table);
HIPSIGHT_GROUPS(HIPSIGHT_DECLARE)

void add_all_entries(Table& table) {
#define HIPSIGHT_ADD(GROUP) add_##GROUP(table);
  HIPSIGHT_GROUPS(HIPSIGHT_ADD)
}

}  // namespace hipsight::engine::HIPSIGHT_HOST_ISA
