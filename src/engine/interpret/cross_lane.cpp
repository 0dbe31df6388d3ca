// Instructions whose lanes read other lanes.

#include <algorithm>

#include "engine/interpret/interpret.h"
#include "engine/interpret/permute.h"
#include "engine/launch/workgroup.h"
#include "isa/instruction.h"

namespace hipsight::engine::HIPSIGHT_HOST_ISA {
namespace {

std::uint32_t* lanes_at(Wave& w, std::uint64_t offset) {
  return reinterpret_cast<std::uint32_t*>(w.bytes() + offset);
}
/// A scalar operand: a scalar register, a constant, or lane 0 of what is in a vector register.
std::uint32_t scalar_value(Wave& w, const Op* op, int i) {
  std::uint32_t value;
  std::memcpy(&value, source(w, op, i), 4);
  return value;
}
bool is_active(const Wave& w, unsigned lane) {
  return w.exec() >> lane & 1;
}
template <class Body>
void for_active(const Wave& w, Body body) {
  for (std::uint64_t left = w.exec() & w.full; left; left &= left - 1)
    body(static_cast<unsigned>(__builtin_ctzll(left)));
}

const Op* read_first_lane(Wave& w, const Op* op) {
  const std::uint64_t exec = w.exec() & w.full;
  const unsigned lane = exec ? static_cast<unsigned>(__builtin_ctzll(exec)) : 0;
  const std::uint32_t value = op->step[0] ? lanes_at(w, op->src[0])[lane] : scalar_value(w, op, 0);
  std::memcpy(w.bytes() + op->dst, &value, 4);
  return op + 1;
}
const Op* read_lane(Wave& w, const Op* op) {
  const unsigned lane = scalar_value(w, op, 1) & (w.lanes - 1);
  const std::uint32_t value = op->step[0] ? lanes_at(w, op->src[0])[lane] : scalar_value(w, op, 0);
  std::memcpy(w.bytes() + op->dst, &value, 4);
  return op + 1;
}
const Op* write_lane(Wave& w, const Op* op) {
  const unsigned lane = scalar_value(w, op, 1) & (w.lanes - 1);
  lanes_at(w, op->dst)[lane] = scalar_value(w, op, 0);
  return op + 1;
}

/// v_permlane16 and v_permlanex16: lane i of a row reads lane select[i] of the same row, or of the
/// other row of its pair. The selectors are 64 scalar bits or, "var", in each lane. op_sel bit 0:
/// fetch inactive lanes; bit 1: bound control.
template <bool Across, bool ByLane = false>
const Op* permute_rows(Wave& w, const Op* op) {
  alignas(64) std::uint32_t words[64];
  std::memcpy(words, lanes_at(w, op->src[0]), w.register_bytes);
  const bool fetch_inactive = op->instruction->op_sel & 1, bound = op->instruction->op_sel & 2;
  const LaneWords active(fetch_inactive ? ~0ull : w.exec(), w.lanes);
  const auto select_at = [&](LaneNumbers lane) -> LaneNumbers {
    if constexpr (ByLane)
      return std::bit_cast<LaneNumbers>(
          load_slice(w.bytes() + op->src[1] + static_cast<unsigned>(lane[0]) * 4));
    const U32x16 low = scalar_value(w, op, 1), high = scalar_value(w, op, 2);
    return std::bit_cast<LaneNumbers>(((lane & 8) != 0 ? high : low) >>
                                      std::bit_cast<U32x16>(4 * (lane & 7)));
  };
  std::uint32_t* const to = lanes_at(w, op->dst);
  for (unsigned first = 0; first < w.lanes; first += 16) {
    const LaneNumbers from = select_at(lanes_from(first)) & 15;
    const unsigned row = first ^ (Across ? 16 : 0);
    const U32x16 readable = permute_row(active.word + row, from);
    const U32x16 written = mask_words(w.exec(), first) & (bound ? U32x16(~0u) : readable);
    auto* const slice = reinterpret_cast<std::byte*>(to + first);
    const U32x16 moved = permute_row(words + row, from) & readable;
    store_slice(slice, (moved & written) | (load_slice(slice) & ~written));
  }
  return op + 1;
}
/// v_permlane64: the halves of a wave64 change places.
const Op* swap_halves(Wave& w, const Op* op) {
  if (w.lanes != 64) return op + 1;
  std::uint32_t from[64];
  std::memcpy(from, lanes_at(w, op->src[0]), sizeof from);
  std::uint32_t* to = lanes_at(w, op->dst);
  for_active(w, [&](unsigned lane) { to[lane] = from[lane ^ 32]; });
  return op + 1;
}
/// v_permlane16_swap, v_permlane32_swap (gfx950): odd rows (or the upper half) of the destination
/// change places with even rows (the lower half) of the source.
template <unsigned Width>
const Op* swap_rows(Wave& w, const Op* op) {
  std::uint32_t* a = lanes_at(w, op->dst);
  std::uint32_t* b = lanes_at(w, op->src[0]);
  for (unsigned lane = Width; lane < w.lanes; lane += 2 * Width)
    std::swap_ranges(a + lane, a + lane + Width, b + lane - Width);
  return op + 1;
}
/// v_swap_b16: halves of registers.
const Op* swap_register_halves(Wave& w, const Op* op) {
  const auto half_at = [&](const isa::Operand& operand, unsigned lane) {
    return reinterpret_cast<std::byte*>(w.vgpr(operand.index) + lane) + (operand.high ? 2 : 0);
  };
  for_active(w, [&](unsigned lane) {
    std::byte* a = half_at(op->instruction->dst, lane);
    std::byte* b = half_at(op->instruction->src[0], lane);
    std::uint16_t first, second;
    std::memcpy(&first, a, sizeof first);
    std::memcpy(&second, b, sizeof second);
    std::memcpy(a, &second, sizeof second);
    std::memcpy(b, &first, sizeof first);
  });
  return op + 1;
}
const Op* swap_registers(Wave& w, const Op* op) {
  std::uint32_t* a = lanes_at(w, op->dst);
  std::uint32_t* b = lanes_at(w, op->src[0]);
  for_active(w, [&](unsigned lane) { std::swap(a[lane], b[lane]); });
  return op + 1;
}

/// v_mqsad_u32_u8: four sums of absolute differences of bytes; bytes of the reference that are zero
/// do not count.
const Op* quad_differences(Wave& w, const Op* op) {
  std::uint32_t result[4][64];
  const auto word = [&](int i, unsigned part, unsigned lane) {
    const bool scalars = op->base[i] == Base::Wave && !op->step[i];
    const std::byte* at =
        source(w, op, i) + (scalars ? part * 4 : part * w.register_bytes + lane * 4);
    std::uint32_t value;
    std::memcpy(&value, at, sizeof value);
    return value;
  };
  for_active(w, [&](unsigned lane) {
    const std::uint64_t bytes = word(0, 0, lane) | std::uint64_t{word(0, 1, lane)} << 32;
    const std::uint32_t reference = word(1, 0, lane);
    for (unsigned k = 0; k < 4; ++k) {
      result[k][lane] = word(2, k, lane);
      for (unsigned i = 0; i < 32; i += 8) {
        const int a = static_cast<int>(bytes >> (8 * k + i) & 255);
        const int b = static_cast<int>(reference >> i & 255);
        if (b) result[k][lane] += static_cast<std::uint32_t>(a > b ? a - b : b - a);
      }
    }
  });
  for_active(w, [&](unsigned lane) {
    for (unsigned k = 0; k < 4; ++k)
      lanes_at(w, op->dst + k * w.register_bytes)[lane] = result[k][lane];
  });
  return op + 1;
}

// --- permutations that go through the LDS crossbar ----------------------------------------------

/// Lane i reads the lane that its byte address names; inactive lanes give 0, or what they hold.
template <bool FetchInactive>
const Op* backward_permute(Wave& w, const Op* op) {
  std::uint32_t data[64], address[64];
  std::memcpy(address, lanes_at(w, op->src[0]), w.lanes * 4);
  std::memcpy(data, lanes_at(w, op->src[1]), w.lanes * 4);
  std::uint32_t* to = lanes_at(w, op->dst);
  if (w.exec() == w.full) {
    const auto offset = static_cast<std::uint32_t>(op->imm);
    for (unsigned lane = 0; lane < w.lanes; lane += 16) {
      const U32x16 at = load_slice(reinterpret_cast<const std::byte*>(address + lane)) + offset;
      const auto from = std::bit_cast<LaneNumbers>(at / 4 & (w.lanes - 1));
      store_slice(reinterpret_cast<std::byte*>(to + lane), permute(data, from, w.lanes));
    }
    return op + 1;
  }
  for_active(w, [&](unsigned lane) {
    const unsigned from = (address[lane] + static_cast<std::uint32_t>(op->imm)) / 4 % w.lanes;
    to[lane] = FetchInactive || is_active(w, from) ? data[from] : 0;
  });
  return op + 1;
}
/// Lane i writes to the lane that its byte address names; lanes nobody writes get 0.
const Op* forward_permute(Wave& w, const Op* op) {
  std::uint32_t data[64], address[64], result[64] = {};
  std::memcpy(address, lanes_at(w, op->src[0]), w.lanes * 4);
  std::memcpy(data, lanes_at(w, op->src[1]), w.lanes * 4);
  for_active(w, [&](unsigned lane) {
    result[(address[lane] + static_cast<std::uint32_t>(op->imm)) / 4 % w.lanes] = data[lane];
  });
  std::uint32_t* to = lanes_at(w, op->dst);
  for_active(w, [&](unsigned lane) { to[lane] = result[lane]; });
  return op + 1;
}
/// ds_swizzle_b32: a fixed pattern within 32 lanes, or within quads (offset bit 15).
const Op* swizzle(Wave& w, const Op* op) {
  alignas(64) std::uint32_t data[64];
  std::memcpy(data, lanes_at(w, op->src[0]), w.register_bytes);
  std::uint32_t* const to = lanes_at(w, op->dst);
  const auto pattern = static_cast<int>(op->imm & 0xffff);
  const LaneWords active(w.exec(), w.lanes);
  for (unsigned first = 0; first < w.lanes; first += 16) {
    const LaneNumbers lane = lanes_from(first);
    LaneNumbers from;
    if ((pattern & 0xe000) == 0xc000) {  // rotate
      const int amount = pattern >> 5 & 31, keep = pattern & 31;
      const LaneNumbers turned = pattern & 0x400 ? lane + 32 - amount : lane + amount;
      from = (lane & keep) | (turned & ~keep & 31);
    } else if (pattern & 0x8000) {
      from = (lane & 28) | (LaneNumbers(pattern) >> (2 * (lane & 3)) & 3);
    } else {
      const int and_mask = pattern & 31, or_mask = pattern >> 5 & 31, xor_mask = pattern >> 10 & 31;
      from = (((lane & 31) & and_mask) | or_mask) ^ xor_mask;
    }
    from |= lane & 32;
    auto* const slice = reinterpret_cast<std::byte*>(to + first);
    const U32x16 written = mask_words(w.exec(), first);
    const U32x16 moved = permute(data, from, w.lanes) & permute(active.word, from, w.lanes);
    store_slice(slice, (moved & written) | (load_slice(slice) & ~written));
  }
  return op + 1;
}

}  // namespace

void add_cross_lane(Table& table) {
  const auto add = [&](std::string_view name, Run run) { table.add(name, {run, run}); };
  add("V_READFIRSTLANE_B32", read_first_lane);
  add("V_READLANE_B32", read_lane);
  add("V_WRITELANE_B32", write_lane);
  add("V_PERMLANE16_B32", permute_rows<false>);
  add("V_PERMLANEX16_B32", permute_rows<true>);
  add("V_PERMLANE16_VAR_B32", permute_rows<false, true>);
  add("V_PERMLANEX16_VAR_B32", permute_rows<true, true>);
  add("V_PERMLANE64_B32", swap_halves);
  add("V_PERMLANE16_SWAP_B32", swap_rows<16>);
  add("V_PERMLANE32_SWAP_B32", swap_rows<32>);
  add("V_SWAP_B32", swap_registers);
  add("V_SWAP_B16", swap_register_halves);
  add("V_MQSAD_U32_U8", quad_differences);
  add("DS_BPERMUTE_B32", backward_permute<false>);
  add("DS_BPERMUTE_FI_B32", backward_permute<true>);
  add("DS_PERMUTE_B32", forward_permute);
  add("DS_SWIZZLE_B32", swizzle);
}

}  // namespace hipsight::engine::HIPSIGHT_HOST_ISA
