#pragma once
// Moving data between lanes and memory: addresses are host addresses by now.

#include <utility>

#include "engine/interpret/interpret.h"
#include "engine/interpret/memory/whole.h"
#include "engine/launch/workgroup.h"
#include "engine/watch/observe.h"
#include "isa/instruction.h"

namespace hipsight::engine::HIPSIGHT_HOST_ISA {

/// Where each lane's data is. Lanes that are off repeat a lane that is on, so that whole slices can
/// be checked and read at once.
struct Addresses {
  alignas(64) std::uint64_t at[64];
  std::uint64_t mask = 0;        ///< lanes that are on
  std::uint32_t dword_step = 4;  ///< bytes from a lane's dword to its next: more in scratch
  // Lanes of a buffer that are partly out of range read and write here instead.
  alignas(16) std::byte staged[64][16];
};

/// Tells of an access, if the wave is observed.
inline void observe(const Wave& w, const Op* op, Access::Space space, unsigned bytes,
                    const Addresses& a, std::uint64_t faults = 0) {
  if (w.observers) [[unlikely]]
    observe_access(w, op,
                   {.space = space,
                    .bytes = bytes,
                    .lanes = w.lanes,
                    .mask = a.mask,
                    .at = a.at,
                    .faults = faults});
}
/// The same of every lane's, `base + at(lane)`, before it is done without a table of addresses.
template <class At>
inline void observe_all(const Wave& w, const Op* op, Access::Space space, unsigned bytes, At at) {
  if (!w.observers) [[likely]]
    return;
  alignas(64) std::uint64_t table[64];
  for (unsigned lane = 0; lane < w.lanes; ++lane) table[lane] = at(lane);
  observe_access(w, op,
                 {.space = space, .bytes = bytes, .lanes = w.lanes, .mask = w.full, .at = table});
}

/// Tells ranges that were looked up before an allocation ended from those that still hold.
inline std::uint64_t epoch(const Wave& w) {
  return w.memory_epoch->load(std::memory_order_acquire);
}

template <class Body>
inline void for_lanes(std::uint64_t mask, Body body) {
  for (; mask; mask &= mask - 1) body(static_cast<unsigned>(__builtin_ctzll(mask)));
}

/// Repeats the first active lane's address in the inactive lanes.
inline void fill_inactive(const Wave& w, Addresses& a) {
  if (a.mask == w.full) return;
  const std::uint64_t first = a.at[__builtin_ctzll(a.mask)];
  for (unsigned lane = 0; lane < w.lanes; ++lane)
    if (!(a.mask >> lane & 1)) a.at[lane] = first;
}

/// Lanes that are to do nothing: they read zeros, and what they write is lost.
inline void set_aside(const Wave& w, Addresses& a, std::uint64_t lanes) {
  if (!lanes) [[likely]]
    return;
  for_lanes(lanes, [&](unsigned lane) {
    std::memset(a.staged[lane], 0, sizeof a.staged[lane]);
    a.at[lane] = reinterpret_cast<std::uintptr_t>(a.staged[lane]);
  });
  fill_inactive(w, a);
}

inline std::uint32_t* register_at(Wave& w, std::uint64_t offset) {
  return reinterpret_cast<std::uint32_t*>(w.bytes() + offset);
}

/// Whether lane i's address is the first lane's plus i * step, for `count` lanes.
template <class T>
inline bool contiguous(const T* at, T step, unsigned count) {
  T different = 0;
  for (unsigned lane = 0; lane < count; ++lane)
    different |= at[lane] ^ (at[0] + static_cast<T>(lane) * step);
  return different == 0;
}

/// Where rows of eight or sixteen lanes have a dword each, side by side: that of each row's first
/// lane.
template <unsigned Lanes>
struct Rows {
  static constexpr unsigned lanes = Lanes, bytes = 4 * lanes;
  std::uint64_t at[64 / lanes];
};
/// The rows of addresses in registers (`high` may be null: words only), if all are such rows.
template <unsigned Lanes>
inline bool find_rows(const Wave& w, const std::uint32_t* low, const std::uint32_t* high,
                      Rows<Lanes>& rows) {
  using Words = Vec<std::uint32_t, Lanes>;
  const auto row_of = [](const std::uint32_t* words) {
    Words row;
    std::memcpy(&row, words, sizeof row);
    return row;
  };
  constexpr U32x16 all_steps{0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60};
  Words steps;
  std::memcpy(&steps, &all_steps, sizeof steps);
  Words different = 0;
  for (unsigned lane = 0; lane < w.lanes; lane += Lanes) {
    const std::uint32_t first = low[lane];
    different |= row_of(low + lane) ^ (steps + first);
    different |= first > ~0u - Rows<Lanes>::bytes;  // then it wraps
    rows.at[lane / Lanes] = first;
    if (!high) continue;
    different |= row_of(high + lane) ^ high[lane];
    rows.at[lane / Lanes] |= std::uint64_t{high[lane]} << 32;
  }
  return !__builtin_reduce_or(different);
}
/// Between a register and the rows, `base` bytes on.
template <bool Store, unsigned Lanes>
inline void copy_rows(const Wave& w, std::byte* reg, std::uint64_t base, const Rows<Lanes>& rows) {
  constexpr unsigned bytes = Rows<Lanes>::bytes;
  for (unsigned r = 0; r < w.lanes / Lanes; ++r) {
    auto* const memory = reinterpret_cast<std::byte*>(base + rows.at[r]);
    if constexpr (Store)
      std::memcpy(memory, reg + r * bytes, bytes);
    else
      std::memcpy(reg + r * bytes, memory, bytes);
  }
}

/// Where lanes' bytes are: base + offset[lane].
template <class Offset>
struct Places {
  std::uintptr_t base;
  const Offset* offset;

  std::byte* operator()(unsigned lane) const {
    return reinterpret_cast<std::byte*>(base + offset[lane]);
  }
};

/// Whether eight lanes have the same place.
template <class Offset>
inline bool is_uniform(const Offset* offset) {
  Vec<Offset, 8> v;
  std::memcpy(&v, offset, sizeof v);
  return __builtin_reduce_or(v ^ Vec<Offset, 8>(v[0])) == 0;
}

/// Of each four elements of two registers: two of each, from `First` on, in turn; or those of `a`
/// before those of `b`.
template <int First, int N, std::size_t... I>
inline auto unpack(Vec<std::uint32_t, N> a, Vec<std::uint32_t, N> b, std::index_sequence<I...>) {
  return __builtin_shufflevector(a, b, (I / 4 * 4 + First + I % 4 / 2 + I % 2 * N)...);
}
template <int First, int N, std::size_t... I>
inline auto append(Vec<std::uint32_t, N> a, Vec<std::uint32_t, N> b, std::index_sequence<I...>) {
  return __builtin_shufflevector(a, b, (I / 4 * 4 + First + I % 2 + I % 4 / 2 * N)...);
}
/// Each four elements of four registers as a matrix, transposed: within quarters of AVX-512's
/// registers, which is cheaper than across.
template <int N>
inline void turn(const Vec<std::uint32_t, N> (&in)[4], Vec<std::uint32_t, N>* out) {
  constexpr std::make_index_sequence<N> all;
  const auto low_01 = unpack<0, N>(in[0], in[1], all), low_23 = unpack<0, N>(in[2], in[3], all);
  const auto high_01 = unpack<2, N>(in[0], in[1], all), high_23 = unpack<2, N>(in[2], in[3], all);
  out[0] = append<0, N>(low_01, low_23, all);
  out[1] = append<2, N>(low_01, low_23, all);
  out[2] = append<0, N>(high_01, high_23, all);
  out[3] = append<2, N>(high_01, high_23, all);
}

/// Four dwords of every fourth lane, lane after lane, from `lane` on.
template <int N, class Memory, class At>
inline Vec<std::uint32_t, N> load_fourth(At at, unsigned lane) {
  if constexpr (N == 4) {
    return Memory::template load<Dwords4>(at(lane));
  } else {
    const auto join = []<std::size_t... I>(auto a, auto b, std::index_sequence<I...>) {
      return __builtin_shufflevector(a, b, I...);
    };
    return join(load_fourth<N / 2, Memory>(at, lane), load_fourth<N / 2, Memory>(at, lane + N / 2),
                std::make_index_sequence<N>());
  }
}
/// Four dwords of N lanes, whose places `at` gives, turned so that each result holds one dword of
/// every lane; and back.
template <int N, class Memory, class At>
inline void load_x4(At at, Vec<std::uint32_t, N>* result) {
  const Vec<std::uint32_t, N> rows[]{load_fourth<N, Memory>(at, 0), load_fourth<N, Memory>(at, 1),
                                     load_fourth<N, Memory>(at, 2), load_fourth<N, Memory>(at, 3)};
  turn<N>(rows, result);
}
template <int N, class At>
inline void store_x4(At at, const Vec<std::uint32_t, N>* dword) {
  const Vec<std::uint32_t, N> in[]{dword[0], dword[1], dword[2], dword[3]};
  Vec<std::uint32_t, N> rows[4];
  turn<N>(in, rows);
  for (unsigned lane = 0; lane < N; ++lane)
    Shared::store(at(lane), Own::load<Dwords4>(reinterpret_cast<const std::byte*>(&rows[lane % 4]) +
                                               lane / 4 * sizeof(Dwords4)));
}

/// Two dwords of eight lanes, in the same way, and back.
template <class Memory, class At>
inline void load_8x2(At at, Vec<std::uint32_t, 8>* result) {
  using V4 = Vec<std::uint32_t, 4>;
  V4 lanes[4];  // two in each
  for (unsigned i = 0; i < 4; ++i) {
    const auto first = Memory::template load<Dwords2>(at(2 * i));
    const auto second = Memory::template load<Dwords2>(at(2 * i + 1));
    lanes[i] = std::bit_cast<V4>(Vec<Dwords2, 2>{first, second});
  }
  const auto a = __builtin_shufflevector(lanes[0], lanes[2], 0, 1, 2, 3, 4, 5, 6, 7);
  const auto b = __builtin_shufflevector(lanes[1], lanes[3], 0, 1, 2, 3, 4, 5, 6, 7);
  result[0] = __builtin_shufflevector(a, b, 0, 2, 8, 10, 4, 6, 12, 14);
  result[1] = __builtin_shufflevector(a, b, 1, 3, 9, 11, 5, 7, 13, 15);
}
template <class At>
inline void store_8x2(At at, const Vec<std::uint32_t, 8>* dword) {
  const auto a = __builtin_shufflevector(dword[0], dword[1], 0, 8, 1, 9, 4, 12, 5, 13);
  const auto b = __builtin_shufflevector(dword[0], dword[1], 2, 10, 3, 11, 6, 14, 7, 15);
  const std::byte* const halves[]{reinterpret_cast<const std::byte*>(&a),
                                  reinterpret_cast<const std::byte*>(&b)};
  for (unsigned lane = 0; lane < 8; ++lane)
    Shared::store(at(lane),
                  Own::load<Dwords2>(halves[lane / 2 % 2] + lane / 4 * 16 + lane % 2 * 8));
}

/// One lane's dwords.
template <int Dwords>
inline void load_lane(const Wave& w, std::byte* out, unsigned lane, const void* from) {
  std::uint32_t d[Dwords];
  load_whole<Shared>(from, d);
  for (int k = 0; k < Dwords; ++k) std::memcpy(out + k * w.register_bytes + lane * 4, &d[k], 4);
}
template <int Dwords>
inline void store_lane(const Wave& w, const std::byte* in, unsigned lane, void* to) {
  std::uint32_t d[Dwords];
  for (int k = 0; k < Dwords; ++k) std::memcpy(&d[k], in + k * w.register_bytes + lane * 4, 4);
  store_whole<Shared>(to, d);
}

/// Every lane's dwords, side by side in memory, to registers. The offsets may be in registers that
/// are loaded: a lane's are read before its own dwords are written.
template <int Dwords, class Offset>
inline void load_all_lanes(Wave& w, std::byte* out, Places<Offset> at) {
  if constexpr (Dwords == 1) {
    // Tiles' rows are often some dwords side by side.
    for (unsigned lane = 0; lane < w.lanes; lane += 8) {
      if (contiguous(at.offset + lane, Offset{4}, 8)) {
        std::memcpy(out + lane * 4, at(lane), 32);
        continue;
      }
      for (unsigned i = lane; i < lane + 8; ++i) std::memcpy(out + i * 4, at(i), 4);
    }
  } else if constexpr (Dwords % 2 == 0) {
    for (unsigned lane = 0; lane < w.lanes; lane += 8) {
      Vec<std::uint32_t, 8> dword[Dwords];
      const auto place = [&](unsigned i) { return at(lane + i); };
      if constexpr (Dwords == 4) {
        // Tiles are often read with one address in many lanes.
        if (is_uniform(at.offset + lane)) {
          const auto one = Shared::load<Dwords4>(at(lane));
          for (unsigned k = 0; k < 4; ++k) dword[k] = one[k];
        } else {
          load_x4<8, Shared>(place, dword);
        }
      } else {
        load_8x2<Shared>(place, dword);
      }
      for (unsigned k = 0; k < Dwords; ++k)
        std::memcpy(out + lane * 4 + k * w.register_bytes, &dword[k], 32);
    }
  } else {
    for (unsigned lane = 0; lane < w.lanes; ++lane) {
      load_lane<Dwords>(w, out, lane, at(lane));
    }
  }
}
template <int Dwords, class Offset>
inline void store_all_lanes(Wave& w, const std::byte* in, Places<Offset> at) {
  if constexpr (Dwords == 1) {
    for (unsigned lane = 0; lane < w.lanes; lane += 8) {
      if (contiguous(at.offset + lane, Offset{4}, 8)) {
        std::memcpy(at(lane), in + lane * 4, 32);
        continue;
      }
      for (unsigned i = lane; i < lane + 8; ++i) std::memcpy(at(i), in + i * 4, 4);
    }
    return;
  }
  if constexpr (Dwords % 2 == 0) {
    for (unsigned lane = 0; lane < w.lanes; lane += 8) {
      Vec<std::uint32_t, 8> dword[Dwords];
      for (unsigned k = 0; k < Dwords; ++k)
        std::memcpy(&dword[k], in + lane * 4 + k * w.register_bytes, 32);
      const auto place = [&](unsigned i) { return at(lane + i); };
      if constexpr (Dwords == 4)
        store_x4<8>(place, dword);
      else
        store_8x2(place, dword);
    }
    return;
  }
  for (unsigned lane = 0; lane < w.lanes; ++lane) {
    store_lane<Dwords>(w, in, lane, at(lane));
  }
}

template <int Dwords>
inline void load_dwords(Wave& w, std::uint64_t dst, const Addresses& a) {
  std::byte* out = w.bytes() + dst;
  if (a.mask == w.full && a.dword_step == 4) {
    load_all_lanes<Dwords>(w, out, Places<std::uint64_t>{0, a.at});
    return;
  }
  if (a.dword_step == 4) {
    for_lanes(a.mask, [&](unsigned lane) {
      load_lane<Dwords>(w, out, lane, reinterpret_cast<const void*>(a.at[lane]));
    });
    return;
  }
  // A lane may not overwrite its own address register before its last dword is read: addresses were
  // taken beforehand.
  for_lanes(a.mask, [&](unsigned lane) {
    for (int k = 0; k < Dwords; ++k)
      std::memcpy(out + k * w.register_bytes + lane * 4,
                  reinterpret_cast<const void*>(a.at[lane] + k * a.dword_step), 4);
  });
}

template <int Dwords>
inline void store_dwords(Wave& w, std::uint64_t src, const Addresses& a) {
  const std::byte* in = w.bytes() + src;
  if (a.mask == w.full && a.dword_step == 4) {
    store_all_lanes<Dwords>(w, in, Places<std::uint64_t>{0, a.at});
    return;
  }
  if (a.dword_step == 4) {
    for_lanes(a.mask, [&](unsigned lane) {
      store_lane<Dwords>(w, in, lane, reinterpret_cast<void*>(a.at[lane]));
    });
    return;
  }
  for_lanes(a.mask, [&](unsigned lane) {
    for (int k = 0; k < Dwords; ++k)
      std::memcpy(reinterpret_cast<void*>(a.at[lane] + k * a.dword_step),
                  in + k * w.register_bytes + lane * 4, 4);
  });
}

// --- accesses: what an instruction moves, whatever the space -----------------------------------

/// Which half of a register a 16-bit access is of. Loads keep the other half; `...Alone` are those
/// of registers with ECC, which clear it (docs/isa.md).
enum class Part { Whole, Low, High, LowAlone, HighAlone };

template <int Dwords_>
struct LoadDwords {
  static constexpr int dwords = Dwords_;
  static constexpr unsigned bytes = 4 * Dwords_;
  static constexpr bool stores = false;
  static void run(Wave& w, const Op* op, const Addresses& a) {
    load_dwords<Dwords_>(w, op->dst, a);
  }
};
template <class T, Part part = Part::Whole>
struct LoadPart {
  static constexpr unsigned bytes = sizeof(T);
  static constexpr bool stores = false;
  static void move(std::uint32_t& word, std::byte* memory) {
    T value;
    std::memcpy(&value, memory, sizeof value);
    const auto extended = static_cast<std::uint32_t>(static_cast<std::int32_t>(value));
    if constexpr (part == Part::Whole) word = extended;
    if constexpr (part == Part::Low) word = (word & 0xffff0000u) | (extended & 0xffff);
    if constexpr (part == Part::High) word = (word & 0xffff) | extended << 16;
    if constexpr (part == Part::LowAlone) word = extended & 0xffff;
    if constexpr (part == Part::HighAlone) word = extended << 16;
  }
  static void run(Wave& w, const Op* op, const Addresses& a) {
    std::uint32_t* out = register_at(w, op->dst);
    for_lanes(a.mask,
              [&](unsigned lane) { move(out[lane], reinterpret_cast<std::byte*>(a.at[lane])); });
  }
};
template <int Dwords_>
struct StoreDwords {
  static constexpr int dwords = Dwords_;
  static constexpr unsigned bytes = 4 * Dwords_;
  static constexpr bool stores = true;
  static void run(Wave& w, const Op* op, const Addresses& a) {
    store_dwords<Dwords_>(w, op->src[1], a);
  }
};
template <class T, Part part = Part::Whole>
struct StorePart {
  static constexpr unsigned bytes = sizeof(T);
  static constexpr bool stores = true;
  static void move(std::uint32_t& word, std::byte* memory) {
    const T value = static_cast<T>(part == Part::High ? word >> 16 : word);
    std::memcpy(memory, &value, sizeof value);
  }
  static void run(Wave& w, const Op* op, const Addresses& a) {
    std::uint32_t* in = register_at(w, op->src[1]);
    for_lanes(a.mask,
              [&](unsigned lane) { move(in[lane], reinterpret_cast<std::byte*>(a.at[lane])); });
  }
};

// --- atomics ------------------------------------------------------------------------------------

/// Operations of atomics: the new value from the old one and the operand.
namespace atomic {
struct Swap {
  template <class T>
  T operator()(T, T b) const {
    return b;
  }
};
struct Add {
  template <class T>
  T operator()(T a, T b) const {
    return a + b;
  }
};
struct Sub {
  template <class T>
  T operator()(T a, T b) const {
    return a - b;
  }
};
struct ReverseSub {
  template <class T>
  T operator()(T a, T b) const {
    return b - a;
  }
};
struct And {
  template <class T>
  T operator()(T a, T b) const {
    return a & b;
  }
};
struct Or {
  template <class T>
  T operator()(T a, T b) const {
    return a | b;
  }
};
struct Xor {
  template <class T>
  T operator()(T a, T b) const {
    return a ^ b;
  }
};
struct Min {
  template <class T>
  T operator()(T a, T b) const {
    return b < a ? b : a;
  }
};
struct Max {
  template <class T>
  T operator()(T a, T b) const {
    return b > a ? b : a;
  }
};
struct Increment {
  template <class T>
  T operator()(T a, T b) const {
    return a >= b ? 0 : a + 1;
  }
};
struct Decrement {
  template <class T>
  T operator()(T a, T b) const {
    return a == 0 || a > b ? b : a - 1;
  }
};
struct ClampedSub {
  template <class T>
  T operator()(T a, T b) const {
    return a < b ? 0 : a - b;
  }
};
struct ConditionalSub {
  template <class T>
  T operator()(T a, T b) const {
    return a >= b ? a - b : a;
  }
};
// With a second operand.
struct Wrap {
  template <class T>
  T operator()(T a, T b, T c) const {
    return a >= b ? a - b : a + c;
  }
};
struct MaskedOr {
  template <class T>
  T operator()(T a, T b, T c) const {
    return (a & ~b) | c;
  }
};
/// Each dword is exchanged if bit 31 of its operand says so, and then holds the other bits.
struct ConditionalExchange {
  std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const {
    std::uint64_t result = 0;
    for (unsigned shift = 0; shift < 64; shift += 32) {
      const auto old = static_cast<std::uint32_t>(a >> shift);
      const auto word = static_cast<std::uint32_t>(b >> shift);
      result |= std::uint64_t{word >> 31 ? word & 0x7fffffff : old} << shift;
    }
    return result;
  }
};
struct AddF32 {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const {
    return std::bit_cast<std::uint32_t>(add(Lanes<isa::f32, 1>(std::bit_cast<float>(a)),
                                            Lanes<isa::f32, 1>(std::bit_cast<float>(b)))
                                            .v);
  }
};
template <bool Minimum, class Tag, class Word>
struct Ordered {
  Word operator()(Word a, Word b) const {
    using E = typename Host<Tag>::type;
    const Lanes<Tag, 1> x(std::bit_cast<E>(a)), y(std::bit_cast<E>(b));
    return std::bit_cast<Word>((Minimum ? min(x, y) : max(x, y)).v);
  }
};
struct AddF64 {
  std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const {
    return std::bit_cast<std::uint64_t>(add(Lanes<isa::f64, 1>(std::bit_cast<double>(a)),
                                            Lanes<isa::f64, 1>(std::bit_cast<double>(b)))
                                            .v);
  }
};
template <class Tag>
struct AddPacked {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const {
    std::uint32_t result = 0;
    for (unsigned h = 0; h < 32; h += 16) {
      const auto x = from_bits<Tag, 1>(Vec<std::uint32_t, 1>(a >> h & 0xffff));
      const auto y = from_bits<Tag, 1>(Vec<std::uint32_t, 1>(b >> h & 0xffff));
      result |= to_bits<Tag, 1>(add(x, y))[0] << h;
    }
    return result;
  }
};
}  // namespace atomic

/// A lane's word of one register or of two.
template <class T>
T data_word(Wave& w, std::uint64_t offset, unsigned lane) {
  T value = static_cast<T>(register_at(w, offset)[lane]);
  if constexpr (sizeof(T) == 8)
    value |= static_cast<T>(std::uint64_t{register_at(w, offset + w.register_bytes)[lane]} << 32);
  return value;
}
template <class T>
void set_data_word(Wave& w, std::uint64_t offset, unsigned lane, T value) {
  register_at(w, offset)[lane] = static_cast<std::uint32_t>(value);
  if constexpr (sizeof(T) == 8)
    register_at(w, offset + w.register_bytes)[lane] = static_cast<std::uint32_t>(value >> 32);
}

/// Who else may change a word meanwhile: in LDS no one, as a workgroup's waves share a host thread.
enum class Sharing { Workgroup, All };

/// Makes a word what `change` makes of it. @returns what it was.
template <class Word, Sharing sharing = Sharing::All, class Change>
Word exchange(std::uint64_t address, Change change) {
  if constexpr (sharing == Sharing::Workgroup) {
    Word old;
    std::memcpy(&old, reinterpret_cast<const void*>(address), sizeof old);
    const Word fresh = change(old);
    std::memcpy(reinterpret_cast<void*>(address), &fresh, sizeof fresh);
    return old;
  }
  auto* word = reinterpret_cast<Word*>(address);
  Word old = __atomic_load_n(word, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(word, &old, static_cast<Word>(change(old)), true,
                                      __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {
  }
  return old;
}

/// Atomics on words of T, each lane in turn. The old value goes to dst when the instruction returns
/// it. Other workgroups run on other host threads: host atomics.
template <class T, class Operation, Sharing sharing = Sharing::All>
struct Atomic {
  static constexpr unsigned bytes = sizeof(T);
  static constexpr bool stores = true;
  static void run(Wave& w, const Op* op, const Addresses& a) {
    using Word = std::make_unsigned_t<T>;
    const bool returns = op->instruction->returns;
    for_lanes(a.mask, [&](unsigned lane) {
      const auto operand = static_cast<T>(data_word<Word>(w, op->src[1], lane));
      const Word old = exchange<Word, sharing>(a.at[lane], [&](Word value) {
        if constexpr (requires { Operation{}(operand, operand, operand); })
          return Operation{}(static_cast<T>(value), operand,
                             static_cast<T>(data_word<Word>(w, op->src[2], lane)));
        else
          return Operation{}(static_cast<T>(value), operand);
      });
      if (returns) set_data_word(w, op->dst, lane, old);
    });
  }
};

/// Compare and swap: of what is equal as `Equal` has it. VMEM: data holds the new value, then the
/// comparand; LDS: data0 the comparand (the new value on gfx11 and later), data1 the other.
template <class T, bool Lds, class Equal = T>
struct CompareSwap {
  static constexpr unsigned bytes = sizeof(T);
  static constexpr bool stores = true;
  static void run(Wave& w, const Op* op, const Addresses& a) {
    std::uint64_t fresh_at = op->src[1],
                  compare_at = op->src[1] + w.register_bytes * (sizeof(T) / 4);
    if constexpr (Lds) {
      compare_at = op->src[1], fresh_at = op->src[2];
      if (isa::is_rdna(op->instruction->gfx)) std::swap(compare_at, fresh_at);
    }
    const bool returns = op->instruction->returns;
    for_lanes(a.mask, [&](unsigned lane) {
      const auto comparand = std::bit_cast<Equal>(data_word<T>(w, compare_at, lane));
      const T fresh = data_word<T>(w, fresh_at, lane);
      constexpr Sharing sharing = Lds ? Sharing::Workgroup : Sharing::All;
      const T old = exchange<T, sharing>(a.at[lane], [&](T value) {
        return std::bit_cast<Equal>(value) == comparand ? fresh : value;
      });
      if (returns) set_data_word(w, op->dst, lane, old);
    });
  }
};

template <class Access>
inline constexpr bool is_atomic = false;
template <class T, class O, Sharing s>
inline constexpr bool is_atomic<Atomic<T, O, s>> = true;
template <class T, bool L, class E>
inline constexpr bool is_atomic<CompareSwap<T, L, E>> = true;

/// Atomics need naturally aligned words: the hardware faults on others. Lanes with such, where that
/// is forgiven.
inline std::uint64_t check_alignment(Wave& w, const Op* op, const Addresses& a, unsigned bytes) {
  std::uint64_t low = 0, faults = 0;
  for (unsigned lane = 0; lane < w.lanes; ++lane) low |= a.at[lane];
  if ((low & (bytes - 1)) == 0) [[likely]]
    return 0;
  for_lanes(a.mask, [&](unsigned lane) {
    if (a.at[lane] & (bytes - 1) &&
        !report_access(w, op, a.at[lane], bytes, lane, "misaligned atomic"))
      faults |= 1ull << lane;
  });
  return faults;
}

}  // namespace hipsight::engine::HIPSIGHT_HOST_ISA
