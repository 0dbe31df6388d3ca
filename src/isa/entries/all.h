#pragma once

#include "isa/entries/bitwise.h"
#include "isa/entries/compare_integer.h"
#include "isa/entries/float32.h"
#include "isa/entries/integer32.h"
#include "isa/entries/move.h"
#include "isa/entries/scalar.h"

namespace hipsight::isa::HIPSIGHT_LEVEL {

/// Calls `visit` with each tuple of entries.
template <class Visit>
void for_each_group(Visit visit) {
  visit(float32_entries);
  visit(integer32_entries);
  visit(bitwise_entries);
  visit(move_entries);
  visit(scalar_arithmetic_entries);
  visit(scalar_bit_entries);
  visit(scalar_compare_entries);
  visit(compare_i32_entries);
  visit(compare_u32_entries);
  visit(compare_i64_entries);
  visit(compare_u64_entries);
  visit(compare_i16_entries);
  visit(compare_u16_entries);
}

}  // namespace hipsight::isa::HIPSIGHT_LEVEL
