#pragma once
// Formatted buffer accesses: fields of 8 to 32 bits that are converted on their way (ISA manuals,
// "Buffer data format" and "Buffer resource descriptor").

#include "engine/interpret/lanes/conversions.h"
#include "engine/interpret/lanes/small_floats.h"
#include "engine/interpret/memory/accesses.h"
#include "isa/buffer_format.h"

namespace hipsight::engine::HIPSIGHT_HOST_ISA {

/// The format of an access: MTBUF's own, else the descriptor's. A reserved one has no fields: it
/// reads as zeros.
inline isa::BufferFormat format_of(const Wave& w, const isa::Instruction& in) {
  const std::uint32_t code = in.format == isa::Format::Mtbuf
                                 ? in.imm.format()
                                 : isa::format_code_in(in.gfx, w.scalar[in.base.index + 3]);
  return isa::buffer_format(in.gfx, code).value_or(isa::BufferFormat{});
}

inline bool holds_integers(isa::BufferNumber number) {
  return number == isa::BufferNumber::Uint || number == isa::BufferNumber::Sint;
}

/// The float of ten or eleven bits, without sign, that 10_11_11 packs.
template <int mantissa_bits>
using Unsigned = SmallFloat<5, mantissa_bits, 15, Beyond::Infinity>;

/// A field as a register holds it: f32 bits, or an integer.
inline std::uint32_t read_field(isa::BufferNumber number, unsigned bits, std::uint32_t field) {
  using isa::BufferNumber;
  const Lanes<isa::u32, 1> code(field);
  const std::int32_t sign_extended = static_cast<std::int32_t>(field << (32 - bits)) >> (32 - bits);
  const float largest = static_cast<float>((1ull << bits) - 1);
  const float largest_signed = static_cast<float>((1ull << (bits - 1)) - 1);
  float value = 0;
  if (number == BufferNumber::Uint || (number == BufferNumber::Float && bits == 32)) return field;
  if (number == BufferNumber::Sint) return static_cast<std::uint32_t>(sign_extended);
  if (number == BufferNumber::Uscaled) value = static_cast<float>(field);
  if (number == BufferNumber::Sscaled) value = static_cast<float>(sign_extended);
  if (number == BufferNumber::Unorm) value = static_cast<float>(field) / largest;
  if (number == BufferNumber::Snorm) {
    value = static_cast<float>(sign_extended) / largest_signed;
    if (value < -1) value = -1;
  }
  if (number == BufferNumber::Float && bits == 16) value = from_small<Half16>(code).v[0];
  if (number == BufferNumber::Float && bits == 11) value = from_small<Unsigned<6>>(code).v[0];
  if (number == BufferNumber::Float && bits == 10) value = from_small<Unsigned<5>>(code).v[0];
  return std::bit_cast<std::uint32_t>(value);
}

inline float clamped(float value, float low, float high) {
  if (!(value > low)) return value != value && low < 0 ? 0 : low;  // NaN: 0
  return value < high ? value : high;
}
/// The other way: rounded to nearest even, saturating. Integers lose their high bits, which the
/// manuals do not say.
inline std::uint32_t write_field(isa::BufferNumber number, unsigned bits, std::uint32_t word) {
  using isa::BufferNumber;
  const std::uint32_t mask = bits == 32 ? ~0u : (1u << bits) - 1;
  const float value = std::bit_cast<float>(word);
  const float largest = static_cast<float>(mask), largest_signed = static_cast<float>(mask >> 1);
  const auto whole = [&](float low, float high, float scale) {
    const auto rounded = __builtin_roundevenf(clamped(value, low, high) * scale);
    return static_cast<std::uint32_t>(static_cast<std::int32_t>(rounded)) & mask;
  };
  if (number == BufferNumber::Uscaled) return whole(0, largest, 1);
  if (number == BufferNumber::Sscaled) return whole(-largest_signed - 1, largest_signed, 1);
  if (number == BufferNumber::Unorm) return whole(0, 1, largest);
  if (number == BufferNumber::Snorm) return whole(-1, 1, largest_signed);
  if (number != BufferNumber::Float || bits == 32) return word & mask;
  if (bits == 16) return to_small<Half16>(Lanes<isa::f32, 1>(value)).v[0];
  const Lanes<isa::f32, 1> positive(value < 0 ? 0.0f : value);  // no sign; NaN stays
  return (bits == 11 ? to_small<Unsigned<6>>(positive) : to_small<Unsigned<5>>(positive)).v[0] &
         mask;
}

/// Sixteen bits of a component: an f16 of an f32, the low bits of an integer.
inline std::uint32_t to_d16(isa::BufferNumber number, std::uint32_t word) {
  if (holds_integers(number)) return word & 0xffff;
  return to_small<Half16>(Lanes<isa::f32, 1>(std::bit_cast<float>(word))).v[0];
}
inline std::uint32_t from_d16(isa::BufferNumber number, std::uint32_t half) {
  return holds_integers(number) ? half & 0xffff
                                : read_field(isa::BufferNumber::Float, 16, half & 0xffff);
}

/// How components lie in registers: a dword each, two in a dword, or one in the high half. What a
/// load leaves of a register stays; `...Alone` are loads to registers with ECC, which clear it.
enum class Packing { Dwords, Halves, HighHalf, HalvesAlone, HighHalfAlone };

/// Moves `components` of each lane's element. `bytes` are the element's, which the space asks the
/// format for.
template <unsigned components, Packing packing>
struct LoadFormatted {
  static constexpr unsigned bytes = 0;
  static constexpr bool stores = false;
  static void run(Wave& w, const Op* op, const Addresses& a) {
    const isa::Instruction& in = *op->instruction;
    const isa::BufferFormat format = format_of(w, in);
    // Selectors of components: 0, 1, then the fields.
    const std::uint32_t select =
        in.format == isa::Format::Mtbuf ? isa::fields_in_order : w.scalar[in.base.index + 3];
    const std::uint32_t one = holds_integers(format.number) ? 1 : 0x3f800000;
    for_lanes(a.mask, [&](unsigned lane) {
      std::uint32_t element[4] = {};
      copy_whole(element, reinterpret_cast<const void*>(a.at[lane]), format.bytes());
      std::uint32_t choice[8] = {0, one, 0, 0, 0, 0, 0, one};
      for (unsigned i = 0, at = 0; i < 4 && format.bits[i]; at += format.bits[i++]) {
        const std::uint32_t mask = ~0u >> (32 - format.bits[i]);
        choice[4 + i] =
            read_field(format.number, format.bits[i], element[at / 32] >> at % 32 & mask);
      }
      for (unsigned i = 0; i < components; ++i) {
        const std::uint32_t value = format.bits[0] ? choice[select >> 3 * i & 7] : 0;
        write(w, op, lane, i, format.number, value);
      }
    });
  }
  static void write(Wave& w, const Op* op, unsigned lane, unsigned component,
                    isa::BufferNumber number, std::uint32_t value) {
    if constexpr (packing == Packing::Dwords) {
      register_at(w, op->dst + component * w.register_bytes)[lane] = value;
    } else {
      std::uint32_t& out = register_at(w, op->dst + component / 2 * w.register_bytes)[lane];
      constexpr bool high = packing == Packing::HighHalf || packing == Packing::HighHalfAlone;
      constexpr bool alone = packing == Packing::HalvesAlone || packing == Packing::HighHalfAlone;
      const unsigned shift = high || component % 2 ? 16 : 0;
      const std::uint32_t kept = alone && component % 2 == 0 ? 0 : out & ~(0xffffu << shift);
      out = kept | to_d16(number, value) << shift;
    }
  }
};
template <unsigned components, Packing packing>
struct StoreFormatted {
  static constexpr unsigned bytes = 0;
  static constexpr bool stores = true;
  static void run(Wave& w, const Op* op, const Addresses& a) {
    const isa::BufferFormat format = format_of(w, *op->instruction);
    for_lanes(a.mask, [&](unsigned lane) {
      std::uint32_t element[4] = {};  // fields without a component are stored as zeros
      for (unsigned i = 0, at = 0; i < components && format.bits[i]; at += format.bits[i++])
        element[at / 32] |=
            write_field(format.number, format.bits[i], read(w, op, lane, i, format.number))
            << at % 32;
      copy_whole(reinterpret_cast<void*>(a.at[lane]), element, format.bytes());
    });
  }
  static std::uint32_t read(Wave& w, const Op* op, unsigned lane, unsigned component,
                            isa::BufferNumber number) {
    if constexpr (packing == Packing::Dwords)
      return register_at(w, op->src[1] + component * w.register_bytes)[lane];
    const std::uint32_t word = register_at(w, op->src[1] + component / 2 * w.register_bytes)[lane];
    return from_d16(number, packing == Packing::HighHalf || component % 2 ? word >> 16 : word);
  }
};

}  // namespace hipsight::engine::HIPSIGHT_HOST_ISA
