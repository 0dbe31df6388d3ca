#pragma once

#include "isa/entries/bitwise.h"
#include "isa/entries/compare_integer.h"
#include "isa/entries/conversions.h"
#include "isa/entries/division.h"
#include "isa/entries/dot_float.h"
#include "isa/entries/dot_integer.h"
#include "isa/entries/float16.h"
#include "isa/entries/float32.h"
#include "isa/entries/float64.h"
#include "isa/entries/float_compare.h"
#include "isa/entries/graphics.h"
#include "isa/entries/integer16.h"
#include "isa/entries/integer32.h"
#include "isa/entries/integer64.h"
#include "isa/entries/move.h"
#include "isa/entries/scalar.h"
#include "isa/entries/scalar_float.h"
#include "isa/entries/small_floats.h"
#include "isa/entries/transcendental.h"

namespace hipsight::isa::HIPSIGHT_HOST_ISA {

/// Calls `visit` with each tuple of entries.
template <class Visit>
void for_each_group(Visit visit) {
  visit(float32_entries);
  visit(float32_number_entries);
  visit(float64_entries);
  visit(float16_entries);
  visit(float16_number_entries);
  visit(packed_float16_entries);
  visit(compare_f32_entries);
  visit(compare_f16_entries);
  visit(compare_f64_entries);
  visit(conversion_entries);
  visit(transcendental_entries);
  visit(division_entries);
  visit(dot_float_entries);
  visit(graphics_entries);
  visit(small_float_entries);
  visit(scaled_float_entries);
  visit(scalar_float_entries);
  visit(scalar_float_compare_entries);
  visit(integer32_entries);
  visit(integer16_entries);
  visit(packed16_entries);
  visit(integer64_entries);
  visit(dot_integer_entries);
  visit(sad_entries);
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

}  // namespace hipsight::isa::HIPSIGHT_HOST_ISA
