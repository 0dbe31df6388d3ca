#include "engine/interpret/operands.h"

#include "engine/interpret/permute.h"
#include "isa/entry.h"
#include "isa/instruction.h"

namespace hipsight::engine::HIPSIGHT_HOST_ISA {
namespace {

using isa::Type;

/// Permutes registers; lanes that nothing is read for get 0, and keep what they had unless
/// bound_ctrl says so.
void apply_dpp(Wave& w, const isa::Instruction& in, std::uint32_t* data, unsigned registers) {
  const bool in_rows = dpp_stays_in_rows(in);
  alignas(64) std::uint32_t copy[2][64];
  std::memcpy(copy, data, registers * w.register_bytes);
  const bool all = in.fetch_inactive || w.exec() == w.full;
  const LaneWords active(w.exec(), w.lanes);
  w.dpp_reads = 0;
  for (unsigned first = 0; first < w.lanes; first += 16) {
    const LaneNumbers lane = lanes_from(first);
    const LaneNumbers from = dpp_lane(in, lane, static_cast<int>(w.lanes));
    const LaneNumbers inside = from >= 0 ? from : lane;
    const auto take = [&](const std::uint32_t* words) {
      return in_rows ? permute_row(words + first, inside) : permute(words, inside, w.lanes);
    };
    auto readable = std::bit_cast<U32x16>(from >= 0);
    if (!all) readable &= take(active.word);
    for (unsigned r = 0; r < registers; ++r)
      store_slice(reinterpret_cast<std::byte*>(data + r * w.lanes + first),
                  take(copy[0] + r * w.lanes) & readable);
    w.dpp_reads |= dpp_writes_zeros(in) ? 0xffffull << first : mask_bits(readable, first);
  }
}

// --- parts of registers -----------------------------------------------------------------------

U32x16 select_part(U32x16 v, unsigned select, bool sign_extend) {
  if (select >= 6) return v;
  const unsigned width = select < 4 ? 8 : 16;
  const unsigned shift = select < 4 ? select * 8 : (select - 4) * 16;
  const unsigned up = 32 - width;
  v = v >> shift << up;
  if (sign_extend)
    return std::bit_cast<U32x16>(std::bit_cast<Vec<std::int32_t, 16>>(v) >> static_cast<int>(up));
  return v >> up;
}

/// abs, then neg, on the sign bit of the type.
void apply_modifiers(const isa::Operand& operand, Type type, std::byte* data, const Wave& w) {
  if (!operand.negate && !operand.absolute) return;
  std::uint32_t sign = 0x80000000u;
  if (isa::is_16_bit(type)) sign = 0x8000u;
  if (isa::is_64_bit(type)) data += w.register_bytes;  // the sign is in the high register
  for (unsigned at = 0; at < w.register_bytes; at += 64) {
    U32x16 v = load_slice(data + at);
    if (operand.absolute) v &= ~sign;
    if (operand.negate) v ^= sign;
    store_slice(data + at, v);
  }
}

}  // namespace

void broadcast_sources(Wave& w, const Op* op) {
  for (unsigned i = 0; i < 4; ++i) {
    if (!(op->broadcast >> i & 1)) continue;
    std::uint32_t pair[2];
    std::memcpy(pair, w.bytes() + op->origin[i], sizeof pair);
    for (unsigned at = 0; at < w.register_bytes; at += 64)
      store_slice(w.temporary[i] + at, U32x16(pair[0]));
    store_slice(w.temporary[i] + w.register_bytes, U32x16(pair[1]));
  }
}

void prepare_sources(Wave& w, const Op* op) {
  const isa::Instruction& in = *op->instruction;
  for (unsigned i = 0; i < 3; ++i) {
    if (!(op->prepare >> i & 1)) continue;
    const isa::Operand& operand = op->shape->old[i] ? in.dst : in.src[i];
    const Type type = op->shape->operand[i];
    const unsigned registers = isa::is_64_bit(type) ? 2 : 1;
    std::byte* data = w.temporary[i];
    const std::byte* from = w.bytes() + op->origin[i];
    if (op->vector_origin >> i & 1) {
      std::memcpy(data, from, registers * w.register_bytes);
    } else {
      for (unsigned r = 0; r < registers; ++r) {
        std::uint32_t value;
        std::memcpy(&value, from + r * 4, 4);
        for (unsigned at = 0; at < w.register_bytes; at += 64)
          store_slice(data + r * w.register_bytes + at, U32x16(value));
      }
    }
    if (i == 0 && is_dpp(in)) apply_dpp(w, in, reinterpret_cast<std::uint32_t*>(data), registers);
    const bool high = operand.high && isa::is_16_bit(type);
    if (in.variant == isa::Variant::Sdwa || high)
      for (unsigned at = 0; at < w.register_bytes; at += 64)
        store_slice(data + at, select_part(load_slice(data + at), high ? 5 : operand.select,
                                           operand.sign_extend));
    apply_modifiers(operand, type, data, w);
  }
}

namespace {

template <class Tag>
void scale_and_clamp(std::byte* data, const Wave& w, unsigned omod, bool clamp) {
  using E = typename Host<Tag>::type;
  for (unsigned at = 0; at < w.register_bytes; at += 64) {
    auto v = load<Tag>(data + at, w.register_bytes);
    if (omod == 1) v = mul(v, Lanes<Tag, 16>(E(2)));
    if (omod == 2) v = mul(v, Lanes<Tag, 16>(E(4)));
    if (omod == 3) v = mul(v, Lanes<Tag, 16>(E(0.5)));
    if (clamp) {
      // With DX10_CLAMP, as the ABI sets it, a NaN clamps to 0.
      v = select(v > E(0), v, Lanes<Tag, 16>(E(0)));
      v = select(v < E(1), v, Lanes<Tag, 16>(E(1)));
    }
    store<Tag>(data + at, w.register_bytes, v);
  }
}

void clamp_packed_half(std::byte* data, const Wave& w) {
  for (unsigned at = 0; at < w.register_bytes; at += 64) {
    const U32x16 both = load_slice(data + at);
    U32x16 halves[2];
    for (unsigned h = 0; h < 2; ++h) {
      auto v = from_bits<isa::f16, 16>(both >> (16 * h) & 0xffff);
      v = select(v > 0.0f, v, Lanes<isa::f16, 16>(0.0f));
      v = select(v < 1.0f, v, Lanes<isa::f16, 16>(1.0f));
      halves[h] = to_bits<isa::f16, 16>(v);
    }
    store_slice(data + at, halves[0] | halves[1] << 16);
  }
}

void apply_output_modifiers(std::byte* data, const Wave& w, const isa::Shape& shape,
                            const isa::Instruction& in) {
  if (!in.omod && !in.clamp) return;
  if (shape.form == isa::Form::Packed) {
    if (shape.result == Type::F16) return clamp_packed_half(data, w);
    if (shape.result != Type::F32) return;  // integers: lowering chose a saturating entry
    for (unsigned r = 0; r < 2; ++r)
      scale_and_clamp<isa::f32>(data + r * w.register_bytes, w, 0, true);
    return;
  }
  switch (shape.result) {
    case Type::F32:
      return scale_and_clamp<isa::f32>(data, w, in.omod, in.clamp);
    case Type::F16:
      return scale_and_clamp<isa::f16>(data, w, in.omod, in.clamp);
    case Type::F64:
      return scale_and_clamp<isa::f64>(data, w, in.omod, in.clamp);
    default:
      return;  // integers: lowering chose a saturating entry
  }
}

/// The result placed in its part of the register, over what was there.
U32x16 place(U32x16 result, U32x16 before, const Op* op, const isa::Instruction& in) {
  if (in.dst_select < 6) {
    const unsigned select = in.dst_select;
    const unsigned width = select < 4 ? 8 : 16;
    const unsigned shift = select < 4 ? select * 8 : (select - 4) * 16;
    const std::uint32_t part = ((1u << width) - 1) << shift;
    const U32x16 moved = result << shift & part;
    if (in.dst_unused == 2) return moved | (before & ~part);
    if (in.dst_unused == 1) {
      const int up = static_cast<int>(32 - width - shift);
      const auto extended = std::bit_cast<Vec<std::int32_t, 16>>(moved << up) >> up;
      return std::bit_cast<U32x16>(extended) & ~((1u << shift) - 1);
    }
    return moved;
  }
  switch (op->half) {
    case Half::Zero:
      return result;
    case Half::KeepHigh:
      return (result & 0xffff) | (before & 0xffff0000u);
    case Half::KeepLow:
      return result << 16 | (before & 0xffff);
  }
  return result;
}

}  // namespace

void finish_result(Wave& w, const Op* op) {
  std::byte* data = pending_result(w);
  const isa::Shape& shape = *op->shape;
  const isa::Instruction& in = *op->instruction;
  const unsigned registers = shape.registers(shape.result);
  if (op->finish) apply_output_modifiers(data, w, shape, in);
  const std::uint64_t mask = written_lanes(w, in);
  for (unsigned r = 0; r < registers; ++r) {
    for (unsigned s = 0; s < w.lanes / 16; ++s) {
      const unsigned at = r * w.register_bytes + s * 64;
      std::byte* to = w.bytes() + op->dst + at;
      const U32x16 before = load_slice(to);
      U32x16 result = load_slice(data + at);
      if (op->finish) result = place(result, before, op, in);
      const Mask<16> active =
          mask_from_bits<16>(static_cast<std::uint32_t>(mask >> (16 * s)) & 0xffff);
      store_slice(to, active.v ? result : before);
    }
  }
}

void write_carries(Wave& w, const Op* op, std::uint64_t bits) {
  if (!(op->flags & flag::write_bits)) return;
  std::uint64_t before = 0;
  std::memcpy(&before, w.bytes() + op->bit_dst, w.lanes / 8);
  const std::uint64_t made = is_dpp(*op->instruction) ? w.dpp_reads : ~0ull;
  bits = ((bits & made) | (before & ~made)) & w.exec();
  std::memcpy(w.bytes() + op->bit_dst, &bits, w.lanes / 8);
}

}  // namespace hipsight::engine::HIPSIGHT_HOST_ISA
