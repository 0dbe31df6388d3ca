// LDS instructions.

#include "engine/interpret/memory/accesses.h"

namespace hipsight::engine::HIPSIGHT_HOST_ISA {
namespace {

template <class T, class Operation>
using LdsAtomic = Atomic<T, Operation, Sharing::Workgroup>;

/// Tells of an access, if the wave is observed: addresses as registers have them.
void observe_lds(const Wave& w, const Op* op, std::uint64_t mask, const std::uint32_t* address,
                 std::uint32_t offset, unsigned bytes, std::uint64_t faults) {
  if (!w.observers) [[likely]]
    return;
  alignas(64) std::uint64_t at[64];
  for (unsigned lane = 0; lane < w.lanes; ++lane)
    at[lane] = static_cast<std::uint32_t>(address[lane] + offset);
  observe_access(w, op,
                 {.space = Access::Space::Lds,
                  .bytes = bytes,
                  .lanes = w.lanes,
                  .mask = mask,
                  .at = at,
                  .faults = faults});
}

/// Host addresses of the lanes' LDS bytes; an access beyond the workgroup's LDS is reported.
void lds_addresses(Wave& w, const Op* op, Addresses& a, std::uint32_t offset, unsigned bytes,
                   bool atomic = false) {
  const std::uint32_t* address = register_at(w, op->src[0]);
  const std::uint32_t size = w.lds_bytes;
  const auto base = reinterpret_cast<std::uintptr_t>(w.lds);
  if (a.mask == w.full && size >= bytes) [[likely]] {
    std::uint32_t highest = 0;
    for (unsigned lane = 0; lane < w.lanes; ++lane) {
      const std::uint32_t at = address[lane] + offset;
      highest = at > highest ? at : highest;
      a.at[lane] = base + at;
    }
    if (highest <= size - bytes && !atomic) [[likely]]
      return observe_lds(w, op, a.mask, address, offset, bytes, 0);
  }
  std::uint64_t outside = 0;
  for_lanes(a.mask, [&](unsigned lane) {
    const std::uint32_t at = address[lane] + offset;
    a.at[lane] = base + at;
    if (std::uint64_t{at} + bytes > size && !report_lds_access(w, op, at, bytes, lane))
      outside |= 1ull << lane;
  });
  fill_inactive(w, a);
  if (atomic) outside |= check_alignment(w, op, a, bytes);
  observe_lds(w, op, a.mask, address, offset, bytes, outside);
  set_aside(w, a, outside);
}

/// Whether all lanes' accesses of some bytes are in range, and their addresses, without the offset,
/// multiples of `alignment`.
bool all_in_range(const Wave& w, const std::uint32_t* address, std::uint32_t offset,
                  std::uint32_t bytes, std::uint32_t alignment) {
  const std::uint32_t size = w.lds_bytes;
  if (std::uint64_t{offset} + bytes > size) return false;
  const U32x16 limit = size - offset - bytes;
  U32x16 wrong = 0;
  for (unsigned lane = 0; lane < w.lanes; lane += 16) {
    const U32x16 at = load_slice(reinterpret_cast<const std::byte*>(address + lane));
    wrong |= std::bit_cast<U32x16>(at > limit) | (at & (alignment - 1));
  }
  return !__builtin_reduce_or(wrong);
}

/// Every lane on and in range: straight from the address register, without a table of addresses.
template <bool Store, int Dwords>
bool move_all_lanes(Wave& w, const Op* op, std::uint64_t data, std::uint32_t offset) {
  const std::uint32_t* address = register_at(w, op->src[0]);
  std::byte* const registers = w.bytes() + data;
  const auto base = reinterpret_cast<std::uintptr_t>(w.lds) + offset;
  if constexpr (Dwords == 1) {
    Rows<16> rows;
    if (find_rows(w, address, nullptr, rows)) {
      std::uint64_t highest = 0;
      for (unsigned r = 0; r < w.lanes / rows.lanes; ++r) highest = std::max(highest, rows.at[r]);
      if (highest + offset + rows.bytes > w.lds_bytes) return false;
      observe_lds(w, op, w.full, address, offset, 4, 0);
      copy_rows<Store>(w, registers, base, rows);
      return true;
    }
  }
  if (!all_in_range(w, address, offset, Dwords * 4, 1)) return false;
  observe_lds(w, op, w.full, address, offset, Dwords * 4, 0);
  const Places<std::uint32_t> at{base, address};
  if constexpr (Store)
    store_all_lanes<Dwords>(w, registers, at);
  else
    load_all_lanes<Dwords>(w, registers, at);
  return true;
}

/// The operation of an atomic on words of 32 bits with one operand.
template <class Access>
struct WordOperation {
  static constexpr bool exists = false;
};
template <class T, class O>
  requires(sizeof(T) == 4 && requires(O operation, T word) { operation(word, word); })
struct WordOperation<LdsAtomic<T, O>> {
  static constexpr bool exists = true;
  using Type = T;
  using Operation = O;
};

/// Such an atomic, of which nobody wants the old values, where every lane is on and in range.
template <class Access>
bool change_all_lanes(Wave& w, const Op* op) {
  using Word = WordOperation<Access>;
  using T = typename Word::Type;
  const std::uint32_t* address = register_at(w, op->src[0]);
  const std::uint32_t* operand = register_at(w, op->src[1]);
  const auto offset = static_cast<std::uint32_t>(op->imm);
  if (op->instruction->returns || offset % sizeof(T) ||
      !all_in_range(w, address, offset, sizeof(T), sizeof(T)))
    return false;
  observe_lds(w, op, w.full, address, offset, sizeof(T), 0);
  // What is stored might be the wave itself, for all that the compiler knows.
  std::byte* const lds = w.lds + offset;
  const unsigned lanes = w.lanes;
  for (unsigned lane = 0; lane < lanes; ++lane) {
    T word;
    std::memcpy(&word, lds + address[lane], sizeof word);
    word = typename Word::Operation{}(word, static_cast<T>(operand[lane]));
    std::memcpy(lds + address[lane], &word, sizeof word);
  }
  return true;
}

/// A part of a word, where every lane is on and in range.
template <class Access>
bool move_parts(Wave& w, const Op* op) {
  const std::uint32_t* address = register_at(w, op->src[0]);
  const auto offset = static_cast<std::uint32_t>(op->imm);
  if (!all_in_range(w, address, offset, Access::bytes, 1)) return false;
  observe_lds(w, op, w.full, address, offset, Access::bytes, 0);
  std::uint32_t* const words = register_at(w, Access::stores ? op->src[1] : op->dst);
  for (unsigned lane = 0; lane < w.lanes; ++lane)
    Access::move(words[lane], w.lds + offset + address[lane]);
  return true;
}

template <class Access>
[[gnu::noinline]] const Op* lds_some_lanes(Wave& w, const Op* op) {
  Addresses a;
  a.mask = w.exec() & w.full;
  if (!a.mask) return op + 1;
  lds_addresses(w, op, a, static_cast<std::uint32_t>(op->imm), Access::bytes, is_atomic<Access>);
  Access::run(w, op, a);
  return op + 1;
}

template <class Access>
const Op* lds(Wave& w, const Op* op) {
  if constexpr (requires { Access::dwords; })
    if (w.exec() == w.full && move_all_lanes<Access::stores, Access::dwords>(
                                  w, op, Access::stores ? op->src[1] : op->dst,
                                  static_cast<std::uint32_t>(op->imm))) [[likely]]
      return op + 1;
  if constexpr (WordOperation<Access>::exists)
    if (w.exec() == w.full && change_all_lanes<Access>(w, op)) [[likely]]
      return op + 1;
  if constexpr (requires { &Access::move; })
    if (w.exec() == w.full && move_parts<Access>(w, op)) [[likely]]
      return op + 1;
  return lds_some_lanes<Access>(w, op);
}

/// Two accesses with one address: offsets are eight bits each, in units of the access (times 64).
template <int Dwords, unsigned Scale, bool Store>
const Op* lds_pair(Wave& w, const Op* op) {
  Addresses a;
  a.mask = w.exec() & w.full;
  if (!a.mask) return op + 1;
  constexpr unsigned unit = Dwords * 4 * Scale;
  const auto offsets = static_cast<std::uint32_t>(op->imm);
  const std::uint32_t first = (offsets & 0xff) * unit, second = (offsets >> 8 & 0xff) * unit;
  if (a.mask == w.full && !w.observers) {
    const std::uint64_t data[]{Store ? op->src[1] : op->dst,
                               Store ? op->src[2] : op->dst + Dwords * w.register_bytes};
    if constexpr (!Store)
      if (second == first + Dwords * 4 && move_all_lanes<false, 2 * Dwords>(w, op, data[0], first))
        return op + 1;
    // What is loaded first may be put where the address lies.
    const bool address_stays = Store || op->src[0] - op->dst >= Dwords * w.register_bytes;
    if (address_stays && move_all_lanes<Store, Dwords>(w, op, data[0], first) &&
        move_all_lanes<Store, Dwords>(w, op, data[1], second))
      return op + 1;
  }
  Addresses b;
  b.mask = a.mask;
  lds_addresses(w, op, a, first, Dwords * 4);
  lds_addresses(w, op, b, second, Dwords * 4);
  if constexpr (Store) {
    store_dwords<Dwords>(w, op->src[1], a);
    store_dwords<Dwords>(w, op->src[2], b);
  } else {
    load_dwords<Dwords>(w, op->dst, a);
    load_dwords<Dwords>(w, op->dst + Dwords * w.register_bytes, b);
  }
  return op + 1;
}

/// Exchanges two words, with addresses as those of `lds_pair`.
template <class T, unsigned Scale>
const Op* exchange_pair(Wave& w, const Op* op) {
  const auto offsets = static_cast<std::uint32_t>(op->imm);
  Addresses a, b;
  a.mask = b.mask = w.exec() & w.full;
  if (!a.mask) return op + 1;
  lds_addresses(w, op, a, (offsets & 0xff) * sizeof(T) * Scale, sizeof(T), true);
  lds_addresses(w, op, b, (offsets >> 8 & 0xff) * sizeof(T) * Scale, sizeof(T), true);
  for_lanes(a.mask, [&](unsigned lane) {
    const T first = data_word<T>(w, op->src[1], lane), second = data_word<T>(w, op->src[2], lane);
    const T old_first = exchange<T, Sharing::Workgroup>(a.at[lane], [&](T) { return first; });
    const T old_second = exchange<T, Sharing::Workgroup>(b.at[lane], [&](T) { return second; });
    set_data_word(w, op->dst, lane, old_first);
    set_data_word(w, op->dst + w.register_bytes * (sizeof(T) / 4), lane, old_second);
  });
  return op + 1;
}

/// ds_append, ds_consume: counts the active lanes up or down, at M0 plus the offset; all get the
/// count that was there.
template <bool Up>
const Op* count_lanes(Wave& w, const Op* op) {
  const std::uint64_t mask = w.exec() & w.full;
  if (!mask) return op + 1;
  Addresses a;
  const std::uint32_t at = (m0(w, op) & 0xffff) + static_cast<std::uint32_t>(op->imm);
  const auto first = static_cast<unsigned>(__builtin_ctzll(mask));
  a.mask = 1ull << first;
  a.at[first] = at;
  const bool good =
      std::uint64_t{at} + 4 <= w.lds_bytes || report_access(w, op, at, 4, first, "LDS access");
  observe(w, op, Access::Space::Lds, 4, a, good ? 0 : a.mask);
  if (!good) {
    for_lanes(mask, [&](unsigned lane) { register_at(w, op->dst)[lane] = 0; });
    return op + 1;
  }
  const auto count = static_cast<std::uint32_t>(__builtin_popcountll(mask));
  const auto old = exchange<std::uint32_t, Sharing::Workgroup>(
      reinterpret_cast<std::uintptr_t>(w.lds) + at,
      [&](std::uint32_t value) { return Up ? value + count : value - count; });
  for_lanes(mask, [&](unsigned lane) { register_at(w, op->dst)[lane] = old; });
  return op + 1;
}

/// Addresses without a register: M0 plus the offset plus four times the lane.
template <bool Store>
const Op* by_lane(Wave& w, const Op* op) {
  Addresses a;
  a.mask = w.exec() & w.full;
  if (!a.mask) return op + 1;
  std::uint64_t faults = 0;
  for_lanes(a.mask, [&](unsigned lane) {
    a.at[lane] = std::uint64_t{m0(w, op) & 0xffff} + static_cast<std::uint32_t>(op->imm) + lane * 4;
    if (a.at[lane] + 4 > w.lds_bytes && !report_access(w, op, a.at[lane], 4, lane, "LDS access"))
      faults |= 1ull << lane;
  });
  observe(w, op, Access::Space::Lds, 4, a, faults);
  for_lanes(a.mask, [&](unsigned lane) { a.at[lane] += reinterpret_cast<std::uintptr_t>(w.lds); });
  set_aside(w, a, faults);
  for_lanes(a.mask, [&](unsigned lane) {
    auto* const memory = reinterpret_cast<std::byte*>(a.at[lane]);
    if constexpr (Store)
      std::memcpy(memory, register_at(w, op->src[1]) + lane, 4);
    else
      std::memcpy(register_at(w, op->dst) + lane, memory, 4);
  });
  return op + 1;
}

/// gfx950's transposing reads. Sixteen lanes read a tile of sixteen columns, a lane as many
/// elements of one row as fit; each lane gets a column (CDNA4 ISA, "LDS transpose loads").
template <unsigned Bits>
const Op* read_transposed(Wave& w, const Op* op) {
  constexpr unsigned bytes = Bits == 6 ? 12 : 8, elements = bytes * 8 / Bits;
  constexpr unsigned lanes_per_row = 16 / elements;
  Addresses a;
  a.mask = w.exec() & w.full;
  if (!a.mask) return op + 1;
  lds_addresses(w, op, a, static_cast<std::uint32_t>(op->imm), bytes);
  using Word = unsigned __int128;
  Word result[64];
  for (unsigned lane = 0; lane < w.lanes; ++lane) {
    result[lane] = 0;
    for (unsigned row = 0; row < elements; ++row) {
      const unsigned from = (lane & ~15u) + row * lanes_per_row + lane % 16 / elements;
      Word data = 0;
      std::memcpy(&data, reinterpret_cast<const void*>(a.at[from]), bytes);
      const Word element = data >> lane % elements * Bits & ((1u << Bits) - 1);
      result[lane] |= element << row * Bits;
    }
  }
  for_lanes(a.mask, [&](unsigned lane) {
    for (unsigned i = 0; i < bytes / 4; ++i)
      register_at(w, op->dst + i * w.register_bytes)[lane] =
          static_cast<std::uint32_t>(result[lane] >> 32 * i);
  });
  return op + 1;
}

}  // namespace

void add_lds(Table& table) {
  const auto add = [&](std::string_view name, Run run) { table.add(name, {run, run}); };
  add("DS_READ_U8", lds<LoadPart<std::uint8_t>>);
  add("DS_READ_I8", lds<LoadPart<std::int8_t>>);
  add("DS_READ_U16", lds<LoadPart<std::uint16_t>>);
  add("DS_READ_I16", lds<LoadPart<std::int16_t>>);
#define HIPSIGHT_LDS_D16(NAME, TYPE)                     \
  add(NAME, lds<LoadPart<TYPE, Part::Low>>);             \
  add(NAME "@ECC", lds<LoadPart<TYPE, Part::LowAlone>>); \
  add(NAME "_HI", lds<LoadPart<TYPE, Part::High>>);      \
  add(NAME "_HI@ECC", lds<LoadPart<TYPE, Part::HighAlone>>);
  HIPSIGHT_LDS_D16("DS_READ_U8_D16", std::uint8_t)
  HIPSIGHT_LDS_D16("DS_READ_I8_D16", std::int8_t)
  HIPSIGHT_LDS_D16("DS_READ_U16_D16", std::uint16_t)
#undef HIPSIGHT_LDS_D16
  add("DS_READ_B32", lds<LoadDwords<1>>);
  add("DS_READ_B64", lds<LoadDwords<2>>);
  add("DS_READ_B96", lds<LoadDwords<3>>);
  add("DS_READ_B128", lds<LoadDwords<4>>);
  add("DS_WRITE_B8", lds<StorePart<std::uint8_t>>);
  add("DS_WRITE_B8_D16_HI", lds<StorePart<std::uint8_t, Part::High>>);
  add("DS_WRITE_B16", lds<StorePart<std::uint16_t>>);
  add("DS_WRITE_B16_D16_HI", lds<StorePart<std::uint16_t, Part::High>>);
  add("DS_WRITE_B32", lds<StoreDwords<1>>);
  add("DS_WRITE_B64", lds<StoreDwords<2>>);
  add("DS_WRITE_B96", lds<StoreDwords<3>>);
  add("DS_WRITE_B128", lds<StoreDwords<4>>);
  add("DS_READ2_B32", lds_pair<1, 1, false>);
  add("DS_READ2_B64", lds_pair<2, 1, false>);
  add("DS_READ2ST64_B32", lds_pair<1, 64, false>);
  add("DS_READ2ST64_B64", lds_pair<2, 64, false>);
  add("DS_WRITE2_B32", lds_pair<1, 1, true>);
  add("DS_WRITE2_B64", lds_pair<2, 1, true>);
  add("DS_WRITE2ST64_B32", lds_pair<1, 64, true>);
  add("DS_WRITE2ST64_B64", lds_pair<2, 64, true>);

#define HIPSIGHT_LDS_ATOMIC(NAME, SUFFIX, ...)  \
  add("DS_" NAME "_" SUFFIX, lds<__VA_ARGS__>); \
  add("DS_" NAME "_RTN_" SUFFIX, lds<__VA_ARGS__>);
#define HIPSIGHT_LDS_INTEGER(NAME, LETTER, SIGN, OPERATION)                             \
  HIPSIGHT_LDS_ATOMIC(NAME, LETTER "32", LdsAtomic<std::SIGN##32_t, atomic::OPERATION>) \
  HIPSIGHT_LDS_ATOMIC(NAME, LETTER "64", LdsAtomic<std::SIGN##64_t, atomic::OPERATION>)
  HIPSIGHT_LDS_INTEGER("ADD", "U", uint, Add)
  HIPSIGHT_LDS_INTEGER("SUB", "U", uint, Sub)
  HIPSIGHT_LDS_INTEGER("RSUB", "U", uint, ReverseSub)
  HIPSIGHT_LDS_INTEGER("INC", "U", uint, Increment)
  HIPSIGHT_LDS_INTEGER("DEC", "U", uint, Decrement)
  HIPSIGHT_LDS_INTEGER("MIN", "I", int, Min)
  HIPSIGHT_LDS_INTEGER("MAX", "I", int, Max)
  HIPSIGHT_LDS_INTEGER("MIN", "U", uint, Min)
  HIPSIGHT_LDS_INTEGER("MAX", "U", uint, Max)
  HIPSIGHT_LDS_INTEGER("AND", "B", uint, And)
  HIPSIGHT_LDS_INTEGER("OR", "B", uint, Or)
  HIPSIGHT_LDS_INTEGER("XOR", "B", uint, Xor)
  HIPSIGHT_LDS_ATOMIC("ADD", "F32", LdsAtomic<std::uint32_t, atomic::AddF32>)
  HIPSIGHT_LDS_ATOMIC("ADD", "F64", LdsAtomic<std::uint64_t, atomic::AddF64>)
  HIPSIGHT_LDS_ATOMIC("PK_ADD", "F16", LdsAtomic<std::uint32_t, atomic::AddPacked<isa::f16>>)
  HIPSIGHT_LDS_ATOMIC("PK_ADD", "BF16", LdsAtomic<std::uint32_t, atomic::AddPacked<isa::bf16>>)
  HIPSIGHT_LDS_ATOMIC("MIN", "F32",
                      LdsAtomic<std::uint32_t, atomic::Ordered<true, isa::f32, std::uint32_t>>)
  HIPSIGHT_LDS_ATOMIC("MAX", "F32",
                      LdsAtomic<std::uint32_t, atomic::Ordered<false, isa::f32, std::uint32_t>>)
  HIPSIGHT_LDS_ATOMIC("MIN", "F64",
                      LdsAtomic<std::uint64_t, atomic::Ordered<true, isa::f64, std::uint64_t>>)
  HIPSIGHT_LDS_ATOMIC("MAX", "F64",
                      LdsAtomic<std::uint64_t, atomic::Ordered<false, isa::f64, std::uint64_t>>)
  HIPSIGHT_LDS_ATOMIC("CMPST", "B32", CompareSwap<std::uint32_t, true>)
  HIPSIGHT_LDS_ATOMIC("CMPST", "B64", CompareSwap<std::uint64_t, true>)
  HIPSIGHT_LDS_ATOMIC("CMPSTORE", "B32", CompareSwap<std::uint32_t, true>)
  HIPSIGHT_LDS_ATOMIC("CMPSTORE", "B64", CompareSwap<std::uint64_t, true>)
  HIPSIGHT_LDS_ATOMIC("CMPST", "F32", CompareSwap<std::uint32_t, true, float>)
  HIPSIGHT_LDS_ATOMIC("CMPST", "F64", CompareSwap<std::uint64_t, true, double>)
  HIPSIGHT_LDS_ATOMIC("CMPSTORE", "F32", CompareSwap<std::uint32_t, true, float>)
  HIPSIGHT_LDS_ATOMIC("CMPSTORE", "F64", CompareSwap<std::uint64_t, true, double>)
  HIPSIGHT_LDS_ATOMIC("MSKOR", "B32", LdsAtomic<std::uint32_t, atomic::MaskedOr>)
  HIPSIGHT_LDS_ATOMIC("MSKOR", "B64", LdsAtomic<std::uint64_t, atomic::MaskedOr>)
  HIPSIGHT_LDS_ATOMIC("SUB_CLAMP", "U32", LdsAtomic<std::uint32_t, atomic::ClampedSub>)
  HIPSIGHT_LDS_ATOMIC("COND_SUB", "U32", LdsAtomic<std::uint32_t, atomic::ConditionalSub>)
  add("DS_WRAP_RTN_B32", lds<LdsAtomic<std::uint32_t, atomic::Wrap>>);
  add("DS_CONDXCHG32_RTN_B64", lds<LdsAtomic<std::uint64_t, atomic::ConditionalExchange>>);
  add("DS_WRXCHG2_RTN_B32", exchange_pair<std::uint32_t, 1>);
  add("DS_WRXCHG2_RTN_B64", exchange_pair<std::uint64_t, 1>);
  add("DS_WRXCHG2ST64_RTN_B32", exchange_pair<std::uint32_t, 64>);
  add("DS_WRXCHG2ST64_RTN_B64", exchange_pair<std::uint64_t, 64>);
  add("DS_APPEND", count_lanes<true>);
  add("DS_CONSUME", count_lanes<false>);
  add("DS_READ_ADDTID_B32", by_lane<false>);
  add("DS_WRITE_ADDTID_B32", by_lane<true>);
  add("DS_READ_B64_TR_B16", read_transposed<16>);
  add("DS_READ_B64_TR_B8", read_transposed<8>);
  add("DS_READ_B64_TR_B4", read_transposed<4>);
  add("DS_READ_B96_TR_B6", read_transposed<6>);
  add("DS_WRXCHG_RTN_B32", lds<LdsAtomic<std::uint32_t, atomic::Swap>>);
  add("DS_WRXCHG_RTN_B64", lds<LdsAtomic<std::uint64_t, atomic::Swap>>);
#undef HIPSIGHT_LDS_INTEGER
#undef HIPSIGHT_LDS_ATOMIC
}

}  // namespace hipsight::engine::HIPSIGHT_HOST_ISA
