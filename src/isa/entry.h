#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <utility>

#include "isa/types.h"

// Entries are compiled once per host instruction set (engine) and once without any meaning (the
// table of shapes), each time in a namespace of its own, so no two builds of one entry are merged.
#ifndef HIPSIGHT_HOST_ISA
#define HIPSIGHT_HOST_ISA shapes
#endif

namespace hipsight::isa {

/// How an entry's meaning is applied.
enum class Form : std::uint8_t {
  Vector,  ///< to each active lane
  Packed,  ///< to each half of each active lane (VOP3P); for f32 and u32 to two registers
  Scalar,  ///< once per wave
};

/// The operands and results of an entry.
struct Shape {
  std::string_view name;
  Form form = Form::Vector;
  Type result = Type::None;
  bool bit_result = false;  ///< also gives a bit per lane (carry) or SCC
  std::uint8_t operands = 0;
  std::array<Type, 4> operand{};
  std::array<bool, 4> old{};       ///< the operand is the destination's old value
  std::array<Type, 4> constant{};  ///< what the operand is where it is an inline constant

  /// Whether the fourth operand is a word of the encoding's (VOP3P's modifiers, a truth table).
  constexpr bool has_fields() const { return operands == 4 && operand[3] == Type::U32; }
  /// Vector registers of an operand or a result of a type.
  constexpr unsigned registers(Type type) const {
    const bool pairs = form == Form::Packed && !is_16_bit(type);
    return is_64_bit(type) || pairs ? 2 : 1;
  }
};

/// One instruction's meaning: a generic, closed lambda over lanes. The interpreter instantiates it
/// with host vectors; a translator with values whose operators emit code; documentation with text.
template <Form form_, class Signature, class Meaning>
struct Entry;

template <Form form_, class R, class... A, class Meaning>
struct Entry<form_, R(A...), Meaning> {
  using Result = R;
  using Operands = std::tuple<A...>;
  static constexpr Form form = form_;
  std::string_view name;
  Meaning meaning;

  constexpr Shape shape() const {
    return {.name = name,
            .form = form,
            .result = type_of<R>,
            .bit_result = has_bit<R>,
            .operands = sizeof...(A),
            .operand = {type_of<A>...},
            .old = {is_old<A>...},
            .constant = {constant_type_of<A>...}};
  }
};

/// A vector instruction: def<f32(f32, f32)>("V_ADD_F32", [](auto a, auto b) { return add(a, b); }).
template <class Signature, class Meaning>
constexpr auto def(std::string_view name, Meaning meaning) {
  return Entry<Form::Vector, Signature, Meaning>{name, meaning};
}
/// A packed instruction: the meaning is of one half.
template <class Signature, class Meaning>
constexpr auto packed(std::string_view name, Meaning meaning) {
  return Entry<Form::Packed, Signature, Meaning>{name, meaning};
}
/// A scalar instruction.
template <class Signature, class Meaning>
constexpr auto scalar(std::string_view name, Meaning meaning) {
  return Entry<Form::Scalar, Signature, Meaning>{name, meaning};
}

template <std::size_t, class E>
struct NumberedEntry {
  E entry;
};
template <class Numbers, class... E>
struct NumberedEntries;
template <std::size_t... I, class... E>
struct NumberedEntries<std::index_sequence<I...>, E...> : NumberedEntry<I, E>... {
  constexpr explicit NumberedEntries(E... entries) : NumberedEntry<I, E>{entries}... {}
  template <class Visit>
  constexpr auto apply(Visit visit) const {
    return visit(static_cast<const NumberedEntry<I, E>&>(*this).entry...);
  }
};
/// A group of entries: like a tuple, but one that compilers take quickly when it is long.
template <class... E>
struct Entries : NumberedEntries<std::index_sequence_for<E...>, E...> {
  constexpr explicit(false) Entries(E... entries)
      : NumberedEntries<std::index_sequence_for<E...>, E...>(entries...) {}
};

/// The shape of the entry of this name, or null: not an entry (memory, control, cross-lane, matrix
/// instructions have tables of their own) or not known.
const Shape* find_shape(std::string_view name);

}  // namespace hipsight::isa
