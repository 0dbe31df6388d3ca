// Conversions of 32 floats at once, from and to floats of six bits, with a scale (CDNA4 ISA,
// "V_CVT_SCALEF32_PK32_*"). What becomes of one float is as in src/isa/entries/small_floats.h.

#include "engine/interpret/lanes/small_floats.h"
#include "engine/interpret/memory/accesses.h"
#include "isa/entries/random.h"

namespace hipsight::engine::HIPSIGHT_HOST_ISA {
namespace {

constexpr unsigned count = 32;
using Floats = Lanes<isa::f32, 16>;
using Words = Lanes<isa::u32, 16>;

/// Sixteen lanes of a source: registers from `base` on, or one register or scalar.
U32x16 slice_of(Wave& w, const Op* op, int source_index, unsigned slice, unsigned r = 0) {
  const std::byte* p = source(w, op, source_index);
  if (op->base[source_index] == Base::Constant) return load_slice(p);
  if (op->step[source_index]) return load_slice(p + r * w.register_bytes + slice * 64);
  std::uint32_t scalar;
  std::memcpy(&scalar, p, sizeof scalar);
  return U32x16(scalar);
}

/// How floats lie in registers: `bits` each, side by side.
struct AsF32 {
  static constexpr unsigned bits = 32;
  static Floats widen(Words code) { return as<isa::f32>(code); }
  static Words narrow(Floats a) { return Words(to_bits<isa::f32, 16>(a)); }
};
template <class T>
struct AsHalf {
  static constexpr unsigned bits = 16;
  static Floats widen(Words code) { return to_float<isa::f32>(low<T>(code)); }
  static Words narrow(Floats a) { return Words(to_bits<T, 16>(to_float<T>(a))); }
};
using AsF16 = AsHalf<isa::f16>;
using AsBf16 = AsHalf<isa::bf16>;
template <class F>
struct AsSix {
  static constexpr unsigned bits = 6;
  static Floats widen(Words code) { return from_small<F>(code); }
  template <class Round>
  static Words narrow(Floats a, Round round) {
    return to_small<F>(a, round);
  }
};
using AsFp6 = AsSix<Fp6>;
using AsBf6 = AsSix<Bf6>;

/// Element e of registers that hold elements of so many bits.
Words element_of(Wave& w, const Op* op, int source_index, unsigned slice, unsigned e,
                 unsigned bits) {
  const unsigned bit = e * bits, shift = bit % 32;
  U32x16 word = slice_of(w, op, source_index, slice, bit / 32);
  if (bits == 32) return Words(word);
  word >>= shift;
  if (shift + bits > 32) word |= slice_of(w, op, source_index, slice, bit / 32 + 1) << (32 - shift);
  return Words(word & ((1u << bits) - 1));
}

/// Writes 32 elements to the lanes of a slice that are on.
void put(Wave& w, const Op* op, unsigned slice, const Words (&elements)[count], unsigned bits) {
  U32x16 words[count]{};
  for (unsigned e = 0; e < count; ++e) {
    const unsigned bit = e * bits, shift = bit % 32;
    words[bit / 32] |= elements[e].v << shift;
    if (shift + bits > 32) words[bit / 32 + 1] |= elements[e].v >> (32 - shift);
  }
  const Mask<16> active =
      mask_from_bits<16>(static_cast<std::uint32_t>(w.exec() >> (16 * slice)) & 0xffff);
  for (unsigned r = 0; r < count * bits / 32; ++r) {
    std::byte* to = w.bytes() + op->dst + r * w.register_bytes + slice * 64;
    store_slice(to, active.v ? words[r] : load_slice(to));
  }
}

/// Applies `convert(element)` to all elements of every lane.
template <class From, class To, class Convert>
const Op* for_each_element(Wave& w, const Op* op, Convert convert) {
  for (unsigned slice = 0; slice < w.lanes / 16; ++slice) {
    Words result[count];
    for (unsigned e = 0; e < count; ++e) result[e] = convert(slice, e);
    put(w, op, slice, result, To::bits);
  }
  return op + 1;
}
Floats scale_at(Wave& w, const Op* op, int source_index, unsigned slice) {
  return as<isa::f32>(Words(slice_of(w, op, source_index, slice)));
}

/// dst = src0 times the scale.
template <class From, class To>
const Op* widen_all(Wave& w, const Op* op) {
  return for_each_element<From, To>(w, op, [&](unsigned slice, unsigned e) {
    const Floats value = From::widen(element_of(w, op, 0, slice, e, From::bits));
    return To::narrow(scaled_up(value, scale_at(w, op, 1, slice)));
  });
}
/// dst = src0 divided by the scale, to nearest even.
template <class From, class To>
const Op* narrow_all(Wave& w, const Op* op) {
  return for_each_element<From, To>(w, op, [&](unsigned slice, unsigned e) {
    const Floats value = From::widen(element_of(w, op, 0, slice, e, From::bits));
    return To::narrow(scaled_down(value, scale_at(w, op, 1, slice)), ToNearest{});
  });
}
/// The same from two sources of sixteen: their elements take turns.
template <class From, class To>
const Op* narrow_two(Wave& w, const Op* op) {
  return for_each_element<From, To>(w, op, [&](unsigned slice, unsigned e) {
    const int source_index = static_cast<int>(e % 2);
    const Floats value = From::widen(element_of(w, op, source_index, slice, e / 2, From::bits));
    return To::narrow(scaled_down(value, scale_at(w, op, 2, slice)), ToNearest{});
  });
}
/// The same by random numbers, each made of the one before; src1 is the first.
template <class From, class To>
const Op* narrow_randomly(Wave& w, const Op* op) {
  Words seed;
  return for_each_element<From, To>(w, op, [&](unsigned slice, unsigned e) {
    seed = e ? isa::HIPSIGHT_HOST_ISA::next_random(seed) : Words(slice_of(w, op, 1, slice));
    const Floats value = From::widen(element_of(w, op, 0, slice, e, From::bits));
    return To::narrow(scaled_down(value, scale_at(w, op, 2, slice)), Randomly<16>{seed});
  });
}

}  // namespace

void add_wide_conversions(Table& table) {
  const auto add = [&](std::string_view name, Run run) { table.add(name, {run, run}); };
#define HIPSIGHT_SIX_BITS(NAME, SIX)                                         \
  add("V_CVT_SCALEF32_2XPK16_" NAME "_F32", narrow_two<AsF32, SIX>);         \
  add("V_CVT_SCALEF32_PK32_" NAME "_F16", narrow_all<AsF16, SIX>);           \
  add("V_CVT_SCALEF32_PK32_" NAME "_BF16", narrow_all<AsBf16, SIX>);         \
  add("V_CVT_SCALEF32_SR_PK32_" NAME "_F32", narrow_randomly<AsF32, SIX>);   \
  add("V_CVT_SCALEF32_SR_PK32_" NAME "_F16", narrow_randomly<AsF16, SIX>);   \
  add("V_CVT_SCALEF32_SR_PK32_" NAME "_BF16", narrow_randomly<AsBf16, SIX>); \
  add("V_CVT_SCALEF32_PK32_F32_" NAME, widen_all<SIX, AsF32>);               \
  add("V_CVT_SCALEF32_PK32_F16_" NAME, widen_all<SIX, AsF16>);               \
  add("V_CVT_SCALEF32_PK32_BF16_" NAME, widen_all<SIX, AsBf16>);
  HIPSIGHT_SIX_BITS("FP6", AsFp6)
  HIPSIGHT_SIX_BITS("BF6", AsBf6)
#undef HIPSIGHT_SIX_BITS
}

}  // namespace hipsight::engine::HIPSIGHT_HOST_ISA
