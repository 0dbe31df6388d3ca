#include "engine/level/level.h"

namespace hipsight::engine::HIPSIGHT_LEVEL {

// One translation unit per group of entries, so that they compile side by side.
void add_float32(Table& table);
void add_float64(Table& table);
void add_float16(Table& table);
void add_float16_packed(Table& table);
void add_compare_float(Table& table);
void add_compare_half(Table& table);
void add_conversions(Table& table);
void add_transcendental(Table& table);
void add_division(Table& table);
void add_integer32(Table& table);
void add_integer16(Table& table);
void add_integer64(Table& table);
void add_dot_integer(Table& table);
void add_bitwise(Table& table);
void add_compare_integer(Table& table);
void add_move(Table& table);
void add_scalar(Table& table);

void add_all_entries(Table& table) {
  add_float32(table);
  add_float64(table);
  add_float16(table);
  add_float16_packed(table);
  add_compare_float(table);
  add_compare_half(table);
  add_conversions(table);
  add_transcendental(table);
  add_division(table);
  add_integer32(table);
  add_integer16(table);
  add_integer64(table);
  add_dot_integer(table);
  add_bitwise(table);
  add_compare_integer(table);
  add_move(table);
  add_scalar(table);
}

}  // namespace hipsight::engine::HIPSIGHT_LEVEL
