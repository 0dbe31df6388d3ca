#pragma once

#include "isa/entry.h"

namespace hipsight::isa::HIPSIGHT_HOST_ISA {
namespace integer {

// v_cmpx gives the same bits as v_cmp; that they go to EXEC is the encoding's matter. Both share
// one lambda, and so one piece of code.
inline constexpr auto never = [](auto a, auto) { return a != a; };
inline constexpr auto less = [](auto a, auto b) { return a < b; };
inline constexpr auto equal = [](auto a, auto b) { return a == b; };
inline constexpr auto less_equal = [](auto a, auto b) { return a <= b; };
inline constexpr auto greater = [](auto a, auto b) { return a > b; };
inline constexpr auto not_equal = [](auto a, auto b) { return a != b; };
inline constexpr auto greater_equal = [](auto a, auto b) { return a >= b; };
inline constexpr auto always = [](auto a, auto) { return a == a; };

}  // namespace integer

#define HIPSIGHT_COMPARE(type, NAME, meaning) \
  def<b1(type, type)>("V_CMP_" NAME, meaning), def<b1(type, type)>("V_CMPX_" NAME, meaning)
#define HIPSIGHT_COMPARES(type, TYPE)                             \
  HIPSIGHT_COMPARE(type, "F_" TYPE, integer::never),              \
      HIPSIGHT_COMPARE(type, "LT_" TYPE, integer::less),          \
      HIPSIGHT_COMPARE(type, "EQ_" TYPE, integer::equal),         \
      HIPSIGHT_COMPARE(type, "LE_" TYPE, integer::less_equal),    \
      HIPSIGHT_COMPARE(type, "GT_" TYPE, integer::greater),       \
      HIPSIGHT_COMPARE(type, "NE_" TYPE, integer::not_equal),     \
      HIPSIGHT_COMPARE(type, "GE_" TYPE, integer::greater_equal), \
      HIPSIGHT_COMPARE(type, "T_" TYPE, integer::always)

inline constexpr Entries compare_i32_entries{HIPSIGHT_COMPARES(i32, "I32")};
inline constexpr Entries compare_u32_entries{HIPSIGHT_COMPARES(u32, "U32")};
inline constexpr Entries compare_i64_entries{HIPSIGHT_COMPARES(i64, "I64")};
inline constexpr Entries compare_u64_entries{HIPSIGHT_COMPARES(u64, "U64")};
inline constexpr Entries compare_i16_entries{HIPSIGHT_COMPARES(i16, "I16")};
inline constexpr Entries compare_u16_entries{HIPSIGHT_COMPARES(u16, "U16")};

#undef HIPSIGHT_COMPARES
#undef HIPSIGHT_COMPARE

}  // namespace hipsight::isa::HIPSIGHT_HOST_ISA
