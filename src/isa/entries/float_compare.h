#pragma once

#include "isa/entry.h"

namespace hipsight::isa::HIPSIGHT_HOST_ISA {

/// The sixteen predicates of v_cmp on floats; the negated ones hold for unordered operands. v_cmpx
/// means the same: that it writes EXEC is the encoding's matter.
#define HIPSIGHT_FLOAT_PREDICATE(NAME, TYPE, MEANING)         \
  def<b1(TYPE, TYPE)>("V_CMP_" NAME, float_compare::MEANING), \
      def<b1(TYPE, TYPE)>("V_CMPX_" NAME, float_compare::MEANING)
#define HIPSIGHT_FLOAT_PREDICATES(SUFFIX, TYPE, TESTS)                      \
  HIPSIGHT_FLOAT_PREDICATE("F_" SUFFIX, TYPE, never),                       \
      HIPSIGHT_FLOAT_PREDICATE("LT_" SUFFIX, TYPE, less),                   \
      HIPSIGHT_FLOAT_PREDICATE("EQ_" SUFFIX, TYPE, equal),                  \
      HIPSIGHT_FLOAT_PREDICATE("LE_" SUFFIX, TYPE, less_or_equal),          \
      HIPSIGHT_FLOAT_PREDICATE("GT_" SUFFIX, TYPE, greater),                \
      HIPSIGHT_FLOAT_PREDICATE("LG_" SUFFIX, TYPE, less_or_greater),        \
      HIPSIGHT_FLOAT_PREDICATE("GE_" SUFFIX, TYPE, greater_or_equal),       \
      HIPSIGHT_FLOAT_PREDICATE("O_" SUFFIX, TYPE, ordered),                 \
      HIPSIGHT_FLOAT_PREDICATE("U_" SUFFIX, TYPE, unordered),               \
      HIPSIGHT_FLOAT_PREDICATE("NGE_" SUFFIX, TYPE, not_greater_or_equal),  \
      HIPSIGHT_FLOAT_PREDICATE("NLG_" SUFFIX, TYPE, not_less_or_greater),   \
      HIPSIGHT_FLOAT_PREDICATE("NGT_" SUFFIX, TYPE, not_greater),           \
      HIPSIGHT_FLOAT_PREDICATE("NLE_" SUFFIX, TYPE, not_less_or_equal),     \
      HIPSIGHT_FLOAT_PREDICATE("NEQ_" SUFFIX, TYPE, not_equal),             \
      HIPSIGHT_FLOAT_PREDICATE("NLT_" SUFFIX, TYPE, not_less),              \
      HIPSIGHT_FLOAT_PREDICATE("T_" SUFFIX, TYPE, always),                  \
      def<b1(TYPE, TESTS)>("V_CMP_CLASS_" SUFFIX, float_compare::of_class), \
      def<b1(TYPE, TESTS)>("V_CMPX_CLASS_" SUFFIX, float_compare::of_class)

namespace float_compare {
inline constexpr auto never = [](auto a, auto) { return (a == a) & (a != a); };
inline constexpr auto less = [](auto a, auto b) { return a < b; };
inline constexpr auto equal = [](auto a, auto b) { return a == b; };
inline constexpr auto less_or_equal = [](auto a, auto b) { return a <= b; };
inline constexpr auto greater = [](auto a, auto b) { return a > b; };
inline constexpr auto less_or_greater = [](auto a, auto b) { return (a < b) | (a > b); };
inline constexpr auto greater_or_equal = [](auto a, auto b) { return a >= b; };
inline constexpr auto ordered = [](auto a, auto b) { return (a == a) & (b == b); };
inline constexpr auto unordered = [](auto a, auto b) { return (a != a) | (b != b); };
inline constexpr auto not_greater_or_equal = [](auto a, auto b) { return !(a >= b); };
inline constexpr auto not_less_or_greater = [](auto a, auto b) { return !((a < b) | (a > b)); };
inline constexpr auto not_greater = [](auto a, auto b) { return !(a > b); };
inline constexpr auto not_less_or_equal = [](auto a, auto b) { return !(a <= b); };
inline constexpr auto not_equal = [](auto a, auto b) { return !(a == b); };
inline constexpr auto not_less = [](auto a, auto b) { return !(a < b); };
inline constexpr auto always = [](auto a, auto) { return (a == a) | (a != a); };
inline constexpr auto of_class = [](auto a, auto tests) { return is_class(a, to<u32>(tests)); };
}  // namespace float_compare

inline constexpr Entries compare_f32_entries{HIPSIGHT_FLOAT_PREDICATES("F32", f32, u32)};
inline constexpr Entries compare_f16_entries{HIPSIGHT_FLOAT_PREDICATES("F16", f16, u16)};
inline constexpr Entries compare_f64_entries{HIPSIGHT_FLOAT_PREDICATES("F64", f64, u32)};

#undef HIPSIGHT_FLOAT_PREDICATES
#undef HIPSIGHT_FLOAT_PREDICATE

}  // namespace hipsight::isa::HIPSIGHT_HOST_ISA
