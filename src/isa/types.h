#pragma once

#include <cstdint>

namespace hipsight::isa {

/// Operand types of an instruction's meaning. The host types below stand for them in signatures.
enum class Type : std::uint8_t { None, F64, F32, F16, BF16, I64, U64, I32, U32, I16, U16, B1 };

/// Signature tags. A type is the tag itself: def<f32(f32, f32, f32)>.
struct f64 {};
struct f32 {};
struct f16 {};
struct bf16 {};
struct i64 {};
struct u64 {};
struct i32 {};
struct u32 {};
struct i16 {};
struct u16 {};
struct b1 {};  ///< a bit per lane: VCC, EXEC or an SGPR mask; for scalar instructions SCC

/// The lane's number: an operand that no register holds.
struct lane_index {};

/// A 16-bit float, or a register of two, that are bits to the meaning; but an inline constant is a
/// float of that type.
template <class T>
struct bits_of {};
template <class T>
struct halves {};

/// An operand that is the old value of the destination: v_fmac, v_writelane.
template <class T>
struct old {};

/// Two results: a value, and a bit per lane (carry out) or SCC.
template <class T>
struct with_bit {};

template <class Tag>
inline constexpr Type type_of = Type::None;
template <>
inline constexpr Type type_of<f64> = Type::F64;
template <>
inline constexpr Type type_of<f32> = Type::F32;
template <>
inline constexpr Type type_of<f16> = Type::F16;
template <>
inline constexpr Type type_of<bf16> = Type::BF16;
template <>
inline constexpr Type type_of<i64> = Type::I64;
template <>
inline constexpr Type type_of<u64> = Type::U64;
template <>
inline constexpr Type type_of<i32> = Type::I32;
template <>
inline constexpr Type type_of<u32> = Type::U32;
template <>
inline constexpr Type type_of<i16> = Type::I16;
template <>
inline constexpr Type type_of<u16> = Type::U16;
template <>
inline constexpr Type type_of<b1> = Type::B1;
template <>
inline constexpr Type type_of<lane_index> = Type::U32;
template <class T>
inline constexpr Type type_of<bits_of<T>> = Type::U16;
template <class T>
inline constexpr Type type_of<halves<T>> = Type::U32;
template <class T>
inline constexpr Type type_of<old<T>> = type_of<T>;
template <class T>
inline constexpr Type type_of<with_bit<T>> = type_of<T>;

template <class Tag>
inline constexpr bool is_old = false;
template <class T>
inline constexpr bool is_old<old<T>> = true;
template <class Tag>
inline constexpr Type constant_type_of = type_of<Tag>;
template <class T>
inline constexpr Type constant_type_of<bits_of<T>> = type_of<T>;
template <class T>
inline constexpr Type constant_type_of<halves<T>> = type_of<T>;
template <class Tag>
inline constexpr bool has_bit = false;
template <class T>
inline constexpr bool has_bit<with_bit<T>> = true;

constexpr bool is_16_bit(Type t) {
  return t == Type::F16 || t == Type::BF16 || t == Type::I16 || t == Type::U16;
}
constexpr bool is_64_bit(Type t) {
  return t == Type::F64 || t == Type::I64 || t == Type::U64;
}
constexpr bool is_float(Type t) {
  return t >= Type::F64 && t <= Type::BF16;
}

}  // namespace hipsight::isa
