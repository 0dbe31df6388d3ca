#pragma once
// Runs entries: an entry's meaning over the slices of a wave's registers.

#include <xmmintrin.h>

#include <tuple>
#include <utility>

#include "engine/interpret/lanes/quick.h"
#include "engine/interpret/operands.h"
#include "engine/interpret/table.h"
#include "isa/entry.h"

namespace hipsight::engine::HIPSIGHT_HOST_ISA {

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
struct Untagged<isa::bits_of<T>> {
  using type = isa::u16;
};
template <class T>
struct Untagged<isa::halves<T>> {
  using type = isa::u32;
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

/// Slices of sixteen lanes in a register.
inline int slices(const Wave& w) {
  return static_cast<int>(w.lanes / 16);
}

/// Any operands, from slice `first` on (those before it are done).
template <class E, std::size_t... I>
[[gnu::noinline]] const Op* run_vector_entry(Wave& w, const Op* op, std::index_sequence<I...>,
                                             int first = 0) {
  using Operands = typename E::Operands;
  using Result = untagged<typename E::Result>;
  const std::size_t pair = w.register_bytes;
  // What the encoding says of operands is arithmetic of f32 (v_fma_mixlo_f16).
  constexpr bool fields = E{}.shape().has_fields();
  constexpr bool wide_mode =
      !fields && (uses_wide_mode<Result> ||
                  (uses_wide_mode<untagged<std::tuple_element_t<I, Operands>>> || ...));
  fetch_sources(w, op);
  const bool direct = is_direct(w, op);
  std::byte* const out = direct ? w.bytes() + op->dst : pending_result(w);
  const std::byte* const in[]{source(w, op, I)..., nullptr};
  std::uint64_t bits = 0;
  {
    const std::conditional_t<wide_mode, WideMode, NarrowMode> mode(w);
    for (int s = first; s < slices(w); ++s) {
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
  if constexpr (std::is_same_v<Result, isa::b1>) write_mask_result(w, op, bits);
  if constexpr (isa::has_bit<typename E::Result>) write_carries(w, op, bits);
  return op + 1;
}

/// Packed maths: Op::imm holds op_sel, op_sel_hi, neg_lo and neg_hi, three bits each.
struct PackedModifiers {
  std::uint32_t bits;
  std::uint32_t select(unsigned half, std::size_t i) const { return bits >> (half * 3 + i) & 1; }
  std::uint32_t negate(unsigned half, std::size_t i) const {
    return bits >> (6 + half * 3 + i) & 1;
  }
  bool negates() const { return bits >> 6 != 0; }
};

/// The half of a slice that feeds one half of the result: of each register for 16-bit types, one of
/// two registers for 32-bit types (`p` points at the chosen one).
template <class Tag, bool Negates>
inline Lanes<Tag, 16> packed_operand(const std::byte* p, std::uint32_t select,
                                     std::uint32_t negate) {
  constexpr bool halves = isa::is_16_bit(isa::type_of<Tag>);
  U32x16 u = load_slice(p);
  if constexpr (halves) u = u >> (16 * select) & 0xffff;
  if constexpr (Negates) u ^= negate << (halves ? 15 : 31);
  return from_bits<Tag, 16>(u);
}

template <class E, bool Negates, std::size_t... I>
inline void run_packed_slices(const Wave& w, const Op* op, const std::byte* const* in,
                              std::byte* out, int first, std::index_sequence<I...>) {
  using Operands = typename E::Operands;
  using Result = untagged<typename E::Result>;
  const std::size_t pair = w.register_bytes;
  const PackedModifiers modifiers{static_cast<std::uint32_t>(op->imm)};
  const auto register_of = [&]<class Tag>(Tag, unsigned half, std::size_t i) {
    return in[i] + (isa::is_16_bit(isa::type_of<Tag>) ? 0 : modifiers.select(half, i) * pair);
  };
  const std::byte* const low_in[]{
      register_of(untagged<std::tuple_element_t<I, Operands>>{}, 0, I)...};
  const std::byte* const high_in[]{
      register_of(untagged<std::tuple_element_t<I, Operands>>{}, 1, I)...};
  const std::size_t step[]{op->step[I]...};
  for (int s = first; s < slices(w); ++s) {
    const auto low =
        decltype(E::meaning){}(packed_operand<untagged<std::tuple_element_t<I, Operands>>, Negates>(
            low_in[I] + s * step[I], modifiers.select(0, I), modifiers.negate(0, I))...);
    const auto high =
        decltype(E::meaning){}(packed_operand<untagged<std::tuple_element_t<I, Operands>>, Negates>(
            high_in[I] + s * step[I], modifiers.select(1, I), modifiers.negate(1, I))...);
    if constexpr (isa::is_16_bit(isa::type_of<Result>)) {
      store_slice(out + s * 64, to_bits<Result, 16>(low) | to_bits<Result, 16>(high) << 16);
    } else {
      store_slice(out + s * 64, to_bits<Result, 16>(low));
      store_slice(out + s * 64 + pair, to_bits<Result, 16>(high));
    }
  }
}

/// Any operands, from slice `first` on.
template <class E, std::size_t... I>
[[gnu::noinline]] const Op* run_packed_entry(Wave& w, const Op* op,
                                             std::index_sequence<I...> indices, int first = 0) {
  using Result = untagged<typename E::Result>;
  fetch_sources(w, op);
  const bool direct = is_direct(w, op);
  std::byte* const out = direct ? w.bytes() + op->dst : pending_result(w);
  const std::byte* const in[]{source(w, op, I)...};
  {
    const std::conditional_t<uses_wide_mode<Result>, WideMode, NarrowMode> mode(w);
    if (PackedModifiers{static_cast<std::uint32_t>(op->imm)}.negates()) [[unlikely]]
      run_packed_slices<E, true>(w, op, in, out, first, indices);
    else
      run_packed_slices<E, false>(w, op, in, out, first, indices);
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

// --- the common case ---------------------------------------------------------------------------

/// Types that the common case takes: one 32-bit register.
template <class T>
inline constexpr bool is_word =
    std::is_same_v<T, isa::f32> || std::is_same_v<T, isa::u32> || std::is_same_v<T, isa::i32>;
template <class E>
inline constexpr bool all_words = false;
template <isa::Form form, class R, class... A, class Meaning>
inline constexpr bool all_words<isa::Entry<form, R(A...), Meaning>> =
    is_word<R> && (is_word<untagged<A>> && ...);

template <class Tag>
inline auto quick_operand(const std::byte* p) {
  if constexpr (is_floating<Tag>)
    return Quick<Tag, 16>(load<Tag>(p, 0));
  else
    return load<Tag>(p, 0);
}
template <class Tag>
inline bool needs_nan_rule(Lanes<Tag, 16> result) {
  if constexpr (is_floating<Tag>)
    return has_nan(result.v);
  else
    return false;
}

/// Every lane on, no modifiers. At the first NaN the general code goes on.
template <int Slices, class E, std::size_t... I>
inline const Op* run_plain(Wave& w, const Op* op, std::index_sequence<I...> indices) {
  using Operands = typename E::Operands;
  using Result = typename E::Result;
  constexpr std::size_t pair = Slices * 64;
  const std::byte* const in[]{source(w, op, I)...};
  std::byte* const out = w.bytes() + op->dst;
  if constexpr (E::form == isa::Form::Packed) {
    const PackedModifiers modifiers{static_cast<std::uint32_t>(op->imm)};
    const std::byte* const low_in[]{in[I] + modifiers.select(0, I) * pair...};
    const std::byte* const high_in[]{in[I] + modifiers.select(1, I) * pair...};
#pragma clang loop unroll(full)
    for (int s = 0; s < Slices; ++s) {
      const Lanes<Result, 16> low = decltype(E::meaning){}(
          quick_operand<untagged<std::tuple_element_t<I, Operands>>>(low_in[I] + s * 64)...);
      const Lanes<Result, 16> high = decltype(E::meaning){}(
          quick_operand<untagged<std::tuple_element_t<I, Operands>>>(high_in[I] + s * 64)...);
      if (needs_nan_rule(low) || needs_nan_rule(high)) [[unlikely]]
        return run_packed_entry<E>(w, op, indices, s);
      store<Result>(out + s * 64, 0, low);
      store<Result>(out + s * 64 + pair, 0, high);
    }
  } else {
#pragma clang loop unroll(full)
    for (int s = 0; s < Slices; ++s) {
      const Lanes<Result, 16> result = decltype(E::meaning){}(
          quick_operand<untagged<std::tuple_element_t<I, Operands>>>(in[I] + s * 64)...);
      if (needs_nan_rule(result)) [[unlikely]]
        return run_vector_entry<E>(w, op, indices, s);
      store<Result>(out + s * 64, 0, result);
    }
  }
  return op + 1;
}

template <class E>
inline constexpr auto operand_indices =
    std::make_index_sequence<std::tuple_size_v<typename E::Operands>>{};

/// Runs an entry, then goes on with the next op without a return to the loop.
template <class E>
const Op* run_entry(Wave& w, const Op* op) {
  const Op* next;
  if constexpr (E::form == isa::Form::Scalar)
    next = run_scalar_entry<E>(w, op, operand_indices<E>);
  else if constexpr (E::form == isa::Form::Packed)
    next = run_packed_entry<E>(w, op, operand_indices<E>);
  else
    next = run_vector_entry<E>(w, op, operand_indices<E>);
  [[clang::musttail]] return next->run(w, next);
}
template <int Slices, class E>
const Op* run_plain_entry(Wave& w, const Op* op) {
  if (w.exec() != w.full) [[unlikely]]
    [[clang::musttail]] return run_entry<E>(w, op);
  if (op->broadcast) broadcast_sources(w, op);
  const Op* next = run_plain<Slices, E>(w, op, operand_indices<E>);
  [[clang::musttail]] return next->run(w, next);
}

template <class E>
constexpr Code code_of() {
  if constexpr (all_words<E> && E::form != isa::Form::Scalar)
    return {run_entry<E>, run_entry<E>, run_plain_entry<2, E>, run_plain_entry<4, E>};
  else
    return {run_entry<E>, run_entry<E>};
}

/// Adds the code of a group of entries to the table.
template <class... E>
void add_entries(Table& table, const isa::Entries<E...>& entries) {
  entries.apply([&](const E&... entry) { (table.add(entry.name, code_of<E>()), ...); });
}

}  // namespace hipsight::engine::HIPSIGHT_HOST_ISA
