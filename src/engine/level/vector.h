#pragma once
// Runs entries: an entry's meaning over the slices of a wave's registers.

#include <xmmintrin.h>

#include <tuple>
#include <utility>

#include "engine/level/operands.h"
#include "engine/level/table.h"
#include "isa/entry.h"

namespace hipsight::engine::HIPSIGHT_LEVEL {

/// Rounding and denormal mode of f64 and f16 while they differ from those of f32.
class WideMode {
 public:
  explicit WideMode(const Wave& w) : wave_(w), differs_(w.csr_32 != w.csr_64) {
    if (differs_) [[unlikely]]
      set(w.csr_64);
  }
  ~WideMode() {
    if (differs_) [[unlikely]]
      set(wave_.csr_32);
  }
  WideMode(const WideMode&) = delete;
  WideMode& operator=(const WideMode&) = delete;

 private:
  static void set(std::uint32_t csr) {
    asm volatile("" ::: "memory");
    _mm_setcsr(csr);
    asm volatile("" ::: "memory");
  }
  const Wave& wave_;
  bool differs_;
};
struct NarrowMode {
  explicit NarrowMode(const Wave&) {}
};
template <class Tag>
inline constexpr bool uses_wide_mode =
    isa::type_of<Tag> == isa::Type::F64 || isa::type_of<Tag> == isa::Type::F16;

template <class T>
struct Untagged {
  using type = T;
};
template <class T>
struct Untagged<isa::old<T>> {
  using type = T;
};
template <class T>
struct Untagged<isa::with_bit<T>> {
  using type = T;
};
template <class T>
using untagged = typename Untagged<T>::type;

/// One operand of one slice.
template <class Tag>
inline auto operand_slice(const std::byte* p, unsigned step, int slice, std::size_t pair) {
  if constexpr (std::is_same_v<Tag, isa::b1>) {
    std::uint16_t bits;
    std::memcpy(&bits, p + slice * 2, sizeof bits);
    return mask_from_bits<16>(bits);
  } else if constexpr (std::is_same_v<Tag, isa::lane_index>) {
    const U32x16 in_slice = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    return Lanes<isa::u32, 16>(in_slice + static_cast<std::uint32_t>(slice) * 16);
  } else {
    return load<Tag>(p + slice * step, pair);
  }
}

template <int Slices, class E, std::size_t... I>
inline const Op* run_vector_entry(Wave& w, const Op* op, std::index_sequence<I...>) {
  using Operands = typename E::Operands;
  using Result = untagged<typename E::Result>;
  constexpr std::size_t pair = Slices * 64;
  constexpr bool wide_mode = uses_wide_mode<Result> ||
                             (uses_wide_mode<untagged<std::tuple_element_t<I, Operands>>> || ...);
  fetch_sources(w, op);
  const bool direct = is_direct(w, op);
  std::byte* const out = direct ? w.bytes() + op->dst : pending_result(w);
  const std::byte* const in[]{source(w, op, I)..., nullptr};
  std::uint64_t bits = 0;
  {
    const std::conditional_t<wide_mode, WideMode, NarrowMode> mode(w);
    for (int s = 0; s < Slices; ++s) {
      const auto result =
          decltype(E::meaning){}(operand_slice<untagged<std::tuple_element_t<I, Operands>>>(
              in[I], op->step[I], s, pair)...);
      if constexpr (std::is_same_v<Result, isa::b1>) {
        bits |= std::uint64_t{bits_of(result)} << (16 * s);
      } else if constexpr (isa::has_bit<typename E::Result>) {
        store<Result>(out + s * 64, pair, result.value);
        bits |= std::uint64_t{bits_of(result.bit)} << (16 * s);
      } else {
        store<Result>(out + s * 64, pair, result);
      }
    }
  }
  if constexpr (!std::is_same_v<Result, isa::b1>)
    if (!direct) finish_result(w, op);
  if constexpr (std::is_same_v<Result, isa::b1> || isa::has_bit<typename E::Result>)
    write_mask_result(w, op, bits);
  return op + 1;
}

/// Packed maths: Op::imm holds op_sel, op_sel_hi, neg_lo and neg_hi, three bits each.
template <int Slices, class E, std::size_t... I>
inline const Op* run_packed_entry(Wave& w, const Op* op, std::index_sequence<I...>) {
  using Operands = typename E::Operands;
  using Result = untagged<typename E::Result>;
  constexpr std::size_t pair = Slices * 64;
  fetch_sources(w, op);
  const bool direct = is_direct(w, op);
  std::byte* const out = direct ? w.bytes() + op->dst : pending_result(w);
  const std::byte* const in[]{source(w, op, I)..., nullptr};
  const auto modifiers = static_cast<std::uint32_t>(op->imm);
  const auto half = [&]<class Tag>(Tag, std::size_t i, int s, unsigned select_at, unsigned neg_at) {
    const std::uint32_t high = modifiers >> (select_at + i) & 1,
                        neg = modifiers >> (neg_at + i) & 1;
    const std::byte* p = in[i] + s * op->step[i];
    if constexpr (isa::is_16_bit(isa::type_of<Tag>))
      return from_bits<Tag, 16>((load_slice(p) >> (16 * high) & 0xffff) ^ neg << 15);
    else
      return from_bits<Tag, 16>(load_slice(p + high * pair) ^ neg << 31);
  };
  {
    const std::conditional_t<uses_wide_mode<Result>, WideMode, NarrowMode> mode(w);
    for (int s = 0; s < Slices; ++s) {
      const auto low = decltype(E::meaning){}(
          half(untagged<std::tuple_element_t<I, Operands>>{}, I, s, 0, 6)...);
      const auto high = decltype(E::meaning){}(
          half(untagged<std::tuple_element_t<I, Operands>>{}, I, s, 3, 9)...);
      if constexpr (isa::is_16_bit(isa::type_of<Result>)) {
        store_slice(out + s * 64, to_bits<Result, 16>(low) | to_bits<Result, 16>(high) << 16);
      } else {
        store_slice(out + s * 64, to_bits<Result, 16>(low));
        store_slice(out + s * 64 + pair, to_bits<Result, 16>(high));
      }
    }
  }
  if (!direct) finish_result(w, op);
  return op + 1;
}

// --- scalar -----------------------------------------------------------------------------------

template <class Tag>
inline Lanes<Tag, 1> load_scalar(const Wave& w, const std::byte* p) {
  if constexpr (std::is_same_v<Tag, isa::b1>) {
    return mask_from_bits<1>(w.scc);
  } else if constexpr (wide<Tag>) {
    std::uint64_t u;
    std::memcpy(&u, p, sizeof u);
    return Lanes<Tag, 1>(std::bit_cast<typename Host<Tag>::type>(u));
  } else {
    std::uint32_t u;
    std::memcpy(&u, p, sizeof u);
    return from_bits<Tag, 1>(Vec<std::uint32_t, 1>(u));
  }
}

template <class E, std::size_t... I>
inline const Op* run_scalar_entry(Wave& w, const Op* op, std::index_sequence<I...>) {
  using Operands = typename E::Operands;
  using Result = untagged<typename E::Result>;
  const auto result = decltype(E::meaning){}(
      load_scalar<untagged<std::tuple_element_t<I, Operands>>>(w, source(w, op, I))...);
  const auto put = [&](auto value) {
    if constexpr (wide<Result>) {
      std::memcpy(w.bytes() + op->dst, &value.v, 8);
    } else {
      const auto u = to_bits<Result, 1>(value);
      std::memcpy(w.bytes() + op->dst, &u, 4);
    }
  };
  if constexpr (std::is_same_v<Result, isa::b1>) {
    w.scc = bits_of(result);
  } else if constexpr (isa::has_bit<typename E::Result>) {
    put(result.value);
    w.scc = bits_of(result.bit);
  } else {
    put(result);
  }
  return op + 1;
}

template <int Slices, class E>
const Op* run_entry(Wave& w, const Op* op) {
  constexpr auto indices = std::make_index_sequence<std::tuple_size_v<typename E::Operands>>{};
  if constexpr (E::form == isa::Form::Scalar)
    return run_scalar_entry<E>(w, op, indices);
  else if constexpr (E::form == isa::Form::Packed)
    return run_packed_entry<Slices, E>(w, op, indices);
  else
    return run_vector_entry<Slices, E>(w, op, indices);
}

template <class E>
constexpr Code code_of() {
  if constexpr (E::form == isa::Form::Scalar)
    return {run_entry<4, E>, run_entry<4, E>};
  else
    return {run_entry<2, E>, run_entry<4, E>};
}

/// Adds the code of a tuple of entries to the table.
template <class... Entries>
void add_entries(Table& table, const std::tuple<Entries...>& entries) {
  std::apply(
      [&](const auto&... entry) {
        (table.add(entry.name, code_of<std::remove_cvref_t<decltype(entry)>>()), ...);
      },
      entries);
}

}  // namespace hipsight::engine::HIPSIGHT_LEVEL
