// The entries' meanings for the translator. This file becomes LLVM bitcode that is part of the
// engine: one straight-line function for each vector entry, on as many lanes as a host register
// has, from the same lambdas and primitives as the interpreter's code; and functions that load.

#include "engine/interpret/lanes/approximate.h"
#include "engine/interpret/lanes/conversions.h"
#include "engine/interpret/lanes/division.h"
#include "engine/interpret/lanes/dot.h"
#include "engine/interpret/lanes/graphics.h"
#include "engine/interpret/lanes/integers.h"
#include "engine/interpret/lanes/small_floats.h"
#include "engine/interpret/memory/accesses.h"
#include "engine/interpret/vector.h"
#include "isa/entries/all.h"

namespace hipsight::engine::HIPSIGHT_HOST_ISA {
namespace {

constexpr int lanes = HIPSIGHT_TRANSLATED_LANES;
using Bits = Vec<std::uint32_t, lanes>;

/// Where a function leaves its results: registers, and a mask of -1 or 0 per lane.
struct Results {
  Bits *low, *high, *bit;
};

template <class Tag>
inline auto operand(Bits low, Bits high, Bits lane) {
  using W = Vec<std::uint64_t, lanes>;
  if constexpr (std::is_same_v<Tag, isa::b1>)
    return Mask<lanes>(std::bit_cast<Vec<std::int32_t, lanes>>(low));
  else if constexpr (std::is_same_v<Tag, isa::lane_index>)
    return Lanes<isa::u32, lanes>(lane);
  else if constexpr (wide<Tag>)
    return Lanes<Tag, lanes>(std::bit_cast<typename Lanes<Tag, lanes>::Vector>(
        __builtin_convertvector(low, W) | __builtin_convertvector(high, W) << 32));
  else
    return from_bits<Tag, lanes>(low);
}

template <class Tag>
inline void put(Results out, Lanes<Tag, lanes> value) {
  if constexpr (std::is_same_v<Tag, isa::b1>) {
    *out.bit = std::bit_cast<Bits>(value.v);
  } else if constexpr (wide<Tag>) {
    const auto u = std::bit_cast<Vec<std::uint64_t, lanes>>(value.v);
    *out.low = __builtin_convertvector(u, Bits);
    *out.high = __builtin_convertvector(u >> 32, Bits);
  } else {
    *out.low = to_bits<Tag, lanes>(value);
  }
}

template <std::size_t>
using Argument = Bits;

/// An entry as a function: operands as registers hold them, the second registers of wide ones
/// after all first ones.
template <class E, class Indices>
struct Function;
template <class E, std::size_t... I>
struct Function<E, std::index_sequence<I...>> {
  using Operands = typename E::Operands;
  using Result = untagged<typename E::Result>;
  static void run(Bits* out_low, Bits* out_high, Bits* out_bit, Bits lane, Argument<I>... low,
                  Argument<I>... high) {
    const Results out{out_low, out_high, out_bit};
    const auto result = decltype(E::meaning){}(
        operand<untagged<std::tuple_element_t<I, Operands>>>(low, high, lane)...);
    if constexpr (isa::has_bit<typename E::Result>) {
      put<Result>(out, result.value);
      put<isa::b1>(out, result.bit);
    } else {
      put<Result>(out, result);
    }
  }
};

// --- loads
// ------------------------------------------------------------------------------------------

/// Lane i's place is base + offset[i].
template <class Offset>
inline bool is_uniform(Vec<Offset, lanes> offset) {
  return __builtin_reduce_or(offset ^ Vec<Offset, lanes>(offset[0])) == 0;
}
template <class Offset>
inline bool is_contiguous(Vec<Offset, lanes> offset) {
  Vec<Offset, lanes> expected;
  for (int i = 0; i < lanes; ++i) expected[i] = static_cast<Offset>(i) * 4;
  return __builtin_reduce_or(offset ^ (Vec<Offset, lanes>(offset[0]) + expected)) == 0;
}

template <int Dwords, class Memory, class At>
inline void gather(At at, Bits* result) {
  if constexpr (Dwords == 4) {
    load_x4<lanes, Memory>(at, result);
  } else if constexpr (Dwords == 2) {
    for (unsigned lane = 0; lane < lanes; lane += 8) {
      Vec<std::uint32_t, 8> part[Dwords];
      load_8x2<Memory>([&](unsigned i) { return at(lane + i); }, part);
      for (unsigned k = 0; k < Dwords; ++k)
        std::memcpy(reinterpret_cast<std::byte*>(&result[k]) + lane * 4, &part[k], sizeof part[k]);
    }
  } else {
#pragma unroll  // into one straight line: a loop would keep registers in memory
    for (unsigned lane = 0; lane < lanes; ++lane) {
      std::uint32_t one[Dwords];
      load_whole<Memory>(at(lane), one);
      for (int k = 0; k < Dwords; ++k) result[k][lane] = one[k];
    }
  }
}
using LaneIndices = std::make_index_sequence<lanes>;
/// Of two registers, one behind the other: every second lane from `First` on.
template <int First, std::size_t... I>
inline Bits every_second(Bits a, Bits b, std::index_sequence<I...>) {
  return __builtin_shufflevector(a, b, (2 * I + First)...);
}
/// The lanes of two registers in turn, from lane `First` on.
template <int First, std::size_t... I>
inline Bits in_turn(Bits a, Bits b, std::index_sequence<I...>) {
  return __builtin_shufflevector(a, b, (First + I / 2 + I % 2 * lanes)...);
}
/// Dwords of lanes, lane after lane, to registers that hold one dword of every lane; and back.
inline void deal(const Bits (&in)[1], Bits* out) {
  out[0] = in[0];
}
inline void deal(const Bits (&in)[2], Bits* out) {
  out[0] = every_second<0>(in[0], in[1], LaneIndices());
  out[1] = every_second<1>(in[0], in[1], LaneIndices());
}
[[maybe_unused]] inline void deal(const Bits (&in)[4], Bits* out) {
  Bits low[2], high[2];
  deal({in[0], in[1]}, low);
  deal({in[2], in[3]}, high);
  for (int k = 0; k < 2; ++k) {
    out[k] = every_second<0>(low[k], high[k], LaneIndices());
    out[k + 2] = every_second<1>(low[k], high[k], LaneIndices());
  }
}
inline void collect(const Bits (&in)[1], Bits* out) {
  out[0] = in[0];
}
inline void collect(const Bits (&in)[2], Bits* out) {
  out[0] = in_turn<0>(in[0], in[1], LaneIndices());
  out[1] = in_turn<lanes / 2>(in[0], in[1], LaneIndices());
}
inline void collect(const Bits (&in)[4], Bits* out) {
  Bits even[2], odd[2];
  collect({in[0], in[2]}, even);
  collect({in[1], in[3]}, odd);
  collect({even[0], odd[0]}, out);
  collect({even[1], odd[1]}, out + 2);
}

/// Keeps LLVM from turning each part of a register on its own.
inline Bits whole(Bits value) {
#pragma clang fp reassociate(on)  // or clang sees no need
  return std::bit_cast<Bits>(__arithmetic_fence(std::bit_cast<Vec<float, lanes>>(value)));
}

/// Four dwords of every lane to where `at` says, in one straight line: registers' quarters, none of
/// which goes through memory.
template <class Memory, class At>
inline void scatter_x4(At at, const Bits* value) {
  const Bits in[]{value[0], value[1], value[2], value[3]};
  Bits rows[4];
  turn<lanes>(in, rows);
  for (Bits& row : rows) row = whole(row);
#pragma unroll
  for (unsigned lane = 0; lane < lanes; ++lane)
    Memory::store(at(lane), Own::load<Dwords4>(reinterpret_cast<const std::byte*>(&rows[lane % 4]) +
                                               lane / 4 * sizeof(Dwords4)));
}

/// Lanes' dwords that lie side by side, lane after lane: whole registers, turned so that each
/// result holds one dword of every lane. Eight lanes of four dwords take no fewer steps in this way
/// than one by one.
template <int Dwords, class Memory>
inline void load_side_by_side(const std::byte* from, Bits* result) {
  if constexpr (Dwords == 4 && lanes == 8) {
    gather<Dwords, Memory>([&](unsigned lane) { return from + lane * 16; }, result);
  } else {
    Bits in[Dwords];
    for (int k = 0; k < Dwords; ++k) in[k] = Memory::template load<Bits>(from + k * sizeof(Bits));
    deal(in, result);
  }
}
template <int Dwords>
inline void store_side_by_side(const Bits* value, std::byte* to) {
  if constexpr (Dwords == 4 && lanes == 8) {
    scatter_x4<Shared>([&](unsigned lane) { return to + lane * 16; }, value);
  } else {
    Bits in[Dwords], out[Dwords];
    for (int k = 0; k < Dwords; ++k) in[k] = value[k];
    collect(in, out);
    for (int k = 0; k < Dwords; ++k) Shared::store(to + k * sizeof(Bits), out[k]);
  }
}
/// The same dwords for every lane.
template <int Dwords, class Memory>
inline void load_uniform(const std::byte* from, Bits* result) {
  std::uint32_t one[Dwords];
  load_whole<Memory>(from, one);
  for (int k = 0; k < Dwords; ++k) result[k] = one[k];
}
template <int Dwords>
inline void load_lanes(Vec<std::uint64_t, lanes> address, Bits* result) {
  const auto at = [&](unsigned lane) { return reinterpret_cast<const std::byte*>(address[lane]); };
  if (is_uniform(address)) {
    load_uniform<Dwords, Shared>(at(0), result);
  } else if (Dwords == 1 && is_contiguous(address)) {
    result[0] = Shared::load<Bits>(at(0));
  } else {
    gather<Dwords, Shared>(at, result);
  }
}

/// LDS addresses such that `extent` bytes from each are within the workgroup's.
struct CheckLds {
  static void run(Bits* safe, Bits*, Bits*, Bits*, const Wave* w, std::uint32_t extent,
                  Bits address) {
    const std::uint32_t size = w->lds_bytes;
    const auto beyond =
        (address > (size < extent ? 0 : size - extent)) | Bits(size < extent ? ~0u : 0);
    rare(mask_of<lanes>(beyond));
    *safe = beyond ? 0 : address;
  }
};
/// How the addresses of a slice lie: all in one place, each lane's dwords behind the one's before,
/// or in any way.
enum class Pattern { Uniform, Contiguous, Any };
/// From LDS, at address + offset.
template <int Dwords, Pattern pattern>
struct LoadLds {
  static void run(Bits* r0, Bits* r1, Bits* r2, Bits* r3, const Wave* w, std::uint32_t offset,
                  Bits address) {
    const std::byte* base = w->lds + offset;
    Bits result[Dwords];
    if constexpr (pattern == Pattern::Uniform) {
      load_uniform<Dwords, Own>(base + address[0], result);
    } else if constexpr (pattern == Pattern::Contiguous) {
      load_side_by_side<Dwords, Own>(base + address[0], result);
    } else {
      gather<Dwords, Own>([&](unsigned lane) { return base + address[lane]; }, result);
    }
    Bits* const out[]{r0, r1, r2, r3};
    for (int k = 0; k < Dwords; ++k) *out[k] = result[k];
  }
};

/// The same, where the address grows by a stride from lane to lane.
template <int Dwords>
struct LoadLdsStrided {
  static void run(Bits* r0, Bits* r1, Bits* r2, Bits* r3, const Wave* w, std::uint32_t offset,
                  std::int32_t stride, Bits address) {
    const std::byte* base = w->lds + offset + address[0];
    Bits result[Dwords];
    gather<Dwords, Own>(
        [&](unsigned lane) { return base + static_cast<std::int64_t>(lane) * stride; }, result);
    Bits* const out[]{r0, r1, r2, r3};
    for (int k = 0; k < Dwords; ++k) *out[k] = result[k];
  }
};

/// From memory, at low + high * 2^32 + base; `known` is the index of the instruction's range.
template <int Dwords>
struct LoadGlobal {
  static void run(Bits* r0, Bits* r1, Bits* r2, Bits* r3, const Wave* w, std::uint64_t base,
                  std::uint32_t known, Bits low, Bits high) {
    using W = Vec<std::uint64_t, lanes>;
    constexpr std::uint64_t bytes = Dwords * 4;
    const KnownRange& range = w->known[known];
    const bool usable = range.epoch == epoch(*w) && range.end - range.begin >= bytes;
    const std::uint64_t limit = usable ? range.end - range.begin - bytes : 0;
    const W at = (__builtin_convertvector(low, W) | __builtin_convertvector(high, W) << 32) + base;
    const auto outside = (at - range.begin > limit) | W(usable ? 0 : ~0ull);
    rare(mask_of<lanes>(outside));
    // Lanes outside read something harmless.
    const W safe = outside ? reinterpret_cast<std::uintptr_t>(w) : at;
    Bits result[Dwords];
    load_lanes<Dwords>(safe, result);
    Bits* const out[]{r0, r1, r2, r3};
    for (int k = 0; k < Dwords; ++k) *out[k] = result[k];
  }
};

// --- accesses whose places grow by a stride within each group of lanes

/// First and last lanes of groups in turn, at low + high * 2^32 + base: rare are those outside the
/// range of index `known`, and last ones that are not `span` behind the first.
struct CheckPlaces {
  using W = Vec<std::int64_t, lanes>;
  static void run(W* places_at, Bits*, Bits*, Bits*, const Wave* w, std::uint64_t base,
                  std::uint32_t known, std::uint64_t bytes, std::uint64_t span, Bits low,
                  Bits high) {
    const KnownRange& range = w->known[known];
    const W at = (__builtin_convertvector(low, W) | __builtin_convertvector(high, W) << 32) +
                 static_cast<std::int64_t>(base);
    // Without branches, for which LLVM takes its time: nothing is where it should be if the range
    // may have ended since. Ranges are of addresses that are positive as numbers with a sign.
    // A plain load, which LLVM need not repeat.
    const auto& epoch = reinterpret_cast<const std::uint64_t&>(*w->memory_epoch);
    const std::uint64_t behind = span + (range.epoch - epoch);
    W expected = at;
    for (int i = 1; i < lanes; i += 2)
      expected[i] = expected[i - 1] + static_cast<std::int64_t>(behind);
    rare(mask_of<lanes>((at != expected) | (at < static_cast<std::int64_t>(range.begin)) |
                        (at > static_cast<std::int64_t>(range.end - bytes))));
    *places_at = at;
  }
};

/// A slice's dwords, its first lane's at `address`.
template <int Dwords, Pattern pattern>
struct LoadAt {
  static void run(Bits* r0, Bits* r1, Bits* r2, Bits* r3, std::uint64_t address,
                  std::int64_t stride) {
    const auto* base = reinterpret_cast<const std::byte*>(address);
    Bits result[Dwords];
    if constexpr (pattern == Pattern::Uniform) {
      load_uniform<Dwords, Shared>(base, result);
    } else if constexpr (pattern == Pattern::Contiguous) {
      load_side_by_side<Dwords, Shared>(base, result);
    } else {
      gather<Dwords, Shared>(
          [&](unsigned lane) { return base + static_cast<std::int64_t>(lane) * stride; }, result);
    }
    Bits* const out[]{r0, r1, r2, r3};
    for (int k = 0; k < Dwords; ++k) *out[k] = result[k];
  }
};
template <int Dwords, Pattern pattern>
struct StoreAt {
  static void run(Bits*, Bits*, Bits*, Bits*, std::uint64_t address, std::int64_t stride, Bits v0,
                  Bits v1, Bits v2, Bits v3) {
    auto* base = reinterpret_cast<std::byte*>(address);
    const Bits value[]{v0, v1, v2, v3};
    if constexpr (pattern == Pattern::Uniform) {  // the last lane's stays
      std::uint32_t last[Dwords];
      for (int k = 0; k < Dwords; ++k) last[k] = value[k][lanes - 1];
      store_whole<Shared>(base, last);
    } else if constexpr (pattern == Pattern::Contiguous) {
      store_side_by_side<Dwords>(value, base);
    } else if constexpr (Dwords == 4) {
      scatter_x4<Shared>(
          [&](unsigned lane) { return base + static_cast<std::int64_t>(lane) * stride; }, value);
    } else if constexpr (Dwords == 2) {
      // Each lane's dwords are brought together all at once.
      Bits in[Dwords], out[Dwords];
      for (int k = 0; k < Dwords; ++k) in[k] = value[k];
      collect(in, out);
      for (unsigned lane = 0; lane < lanes; ++lane)
        Shared::store(
            base + static_cast<std::int64_t>(lane) * stride,
            Own::load<Dwords2>(reinterpret_cast<const std::byte*>(out) + lane * sizeof(Dwords2)));
    } else {
#pragma unroll
      for (unsigned lane = 0; lane < lanes; ++lane) {
        std::uint32_t one[Dwords];
        for (int k = 0; k < Dwords; ++k) one[k] = value[k][lane];
        store_whole<Shared>(base + static_cast<std::int64_t>(lane) * stride, one);
      }
    }
  }
};

/// A part of each lane's dword.
template <class T, Pattern pattern>
struct StorePartAt {
  static void run(Bits*, Bits*, Bits*, Bits*, std::uint64_t address, std::int64_t stride,
                  Bits value, Bits, Bits, Bits) {
    auto* base = reinterpret_cast<std::byte*>(address);
    const auto parts = __builtin_convertvector(value, Vec<T, lanes>);
    if constexpr (pattern == Pattern::Uniform) {
      Shared::store<T>(base, parts[lanes - 1]);
    } else if constexpr (pattern == Pattern::Contiguous) {
      Shared::store(base, parts);
    } else {
#pragma unroll
      for (unsigned lane = 0; lane < lanes; ++lane) {
        const T one = parts[lane];
        Shared::store(base + static_cast<std::int64_t>(lane) * stride, one);
      }
    }
  }
};
/// To LDS, at address + offset.
template <class T>
struct StorePartLds {
  static void run(Bits*, Bits*, Bits*, Bits*, const Wave* w, std::uint32_t offset, Bits address,
                  Bits value, Bits, Bits, Bits) {
#pragma unroll
    for (unsigned lane = 0; lane < lanes; ++lane) {
      const auto one = static_cast<T>(value[lane]);
      std::memcpy(w->lds + offset + address[lane], &one, sizeof one);
    }
  }
};
template <int Dwords>
struct StoreLds {
  static void run(Bits*, Bits*, Bits*, Bits*, const Wave* w, std::uint32_t offset, Bits address,
                  Bits v0, Bits v1, Bits v2, Bits v3) {
    std::byte* const base = w->lds + offset;
    const Bits value[]{v0, v1, v2, v3};
    if (Dwords == 1 && is_contiguous(address)) {
      std::memcpy(base + address[0], &v0, sizeof v0);
      return;
    }
    if constexpr (Dwords == 4)
      return scatter_x4<Own>([&](unsigned lane) { return base + address[lane]; }, value);
    Bits in[Dwords], out[Dwords];
    for (int k = 0; k < Dwords; ++k) in[k] = value[k];
    if constexpr (Dwords != 3) collect(in, out);
#pragma unroll
    for (unsigned lane = 0; lane < lanes; ++lane) {
      std::uint32_t one[Dwords];
      if constexpr (Dwords == 3)
        for (int k = 0; k < Dwords; ++k) one[k] = in[k][lane];
      else
        std::memcpy(one, reinterpret_cast<const std::byte*>(out) + std::size_t{lane} * sizeof one,
                    sizeof one);
      std::memcpy(base + address[lane], one, sizeof one);
    }
  }
};

// --- scalar entries
// --------------------------------------------------------------------------------

template <class Tag>
using Word = std::conditional_t<wide<Tag>, std::uint64_t, std::uint32_t>;

template <class Tag>
inline Lanes<Tag, 1> scalar_operand(Word<Tag> word) {
  if constexpr (std::is_same_v<Tag, isa::b1>)
    return mask_from_bits<1>(word);
  else if constexpr (wide<Tag>)
    return Lanes<Tag, 1>(std::bit_cast<typename Host<Tag>::type>(word));
  else
    return from_bits<Tag, 1>(Vec<std::uint32_t, 1>(word));
}

/// The result, and SCC as 0 or 1.
template <class E, class Indices>
struct ScalarFunction;
template <class E, std::size_t... I>
struct ScalarFunction<E, std::index_sequence<I...>> {
  using Operands = typename E::Operands;
  using Result = untagged<typename E::Result>;
  static void run(std::uint64_t* out, std::uint32_t* scc,
                  Word<untagged<std::tuple_element_t<I, Operands>>>... word) {
    const auto put_value = [&](auto value) {
      if constexpr (wide<Result>)
        *out = std::bit_cast<std::uint64_t>(value.v);
      else
        *out = to_bits<Result, 1>(value)[0];
    };
    const auto result = decltype(E::meaning){}(
        scalar_operand<untagged<std::tuple_element_t<I, Operands>>>(word)...);
    if constexpr (std::is_same_v<Result, isa::b1>) {
      *scc = bits_of(result);
    } else if constexpr (isa::has_bit<typename E::Result>) {
      put_value(result.value);
      *scc = bits_of(result.bit);
    } else {
      put_value(result);
    }
  }
};

template <class E>
const void* function_of() {
  using Indices = std::make_index_sequence<std::tuple_size_v<typename E::Operands>>;
  if constexpr (E::form == isa::Form::Scalar)
    return reinterpret_cast<const void*>(ScalarFunction<E, Indices>::run);
  else
    return reinterpret_cast<const void*>(Function<E, Indices>::run);
}

/// Reads like code, but is data: the translator takes names and functions from the calls in it.
extern "C" void hipsight_meaning(const char* name, const void* function);

}  // namespace

extern "C" [[gnu::used]] void hipsight_meanings() {
  isa::HIPSIGHT_HOST_ISA::for_each_group([](const auto& group) {
    group.apply([](const auto&... entry) {
      // Names are literals, which end in a 0.
      // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage)
      (hipsight_meaning(entry.name.data(), function_of<std::remove_cvref_t<decltype(entry)>>()),
       ...);
    });
  });
  const auto load = [](const char* name, auto function) {
    hipsight_meaning(name, reinterpret_cast<const void*>(function));
  };
  load("LDS check", CheckLds::run);
  load("LDS 1 uniform", LoadLds<1, Pattern::Uniform>::run);
  load("LDS 2 uniform", LoadLds<2, Pattern::Uniform>::run);
  load("LDS 3 uniform", LoadLds<3, Pattern::Uniform>::run);
  load("LDS 4 uniform", LoadLds<4, Pattern::Uniform>::run);
  load("LDS 1 contiguous", LoadLds<1, Pattern::Contiguous>::run);
  load("LDS 2 contiguous", LoadLds<2, Pattern::Contiguous>::run);
  load("LDS 4 contiguous", LoadLds<4, Pattern::Contiguous>::run);
  load("LDS 1 strided", LoadLdsStrided<1>::run);
  load("LDS 2 strided", LoadLdsStrided<2>::run);
  load("LDS 3 strided", LoadLdsStrided<3>::run);
  load("LDS 4 strided", LoadLdsStrided<4>::run);
  load("LDS 1 any", LoadLds<1, Pattern::Any>::run);
  load("LDS 2 any", LoadLds<2, Pattern::Any>::run);
  load("LDS 3 any", LoadLds<3, Pattern::Any>::run);
  load("LDS 4 any", LoadLds<4, Pattern::Any>::run);
  load("GLOBAL 1", LoadGlobal<1>::run);
  load("GLOBAL 2", LoadGlobal<2>::run);
  load("GLOBAL 3", LoadGlobal<3>::run);
  load("GLOBAL 4", LoadGlobal<4>::run);
  load("PLACES", CheckPlaces::run);
  load("LOAD 1 uniform", LoadAt<1, Pattern::Uniform>::run);
  load("LOAD 2 uniform", LoadAt<2, Pattern::Uniform>::run);
  load("LOAD 3 uniform", LoadAt<3, Pattern::Uniform>::run);
  load("LOAD 4 uniform", LoadAt<4, Pattern::Uniform>::run);
  load("LOAD 1 contiguous", LoadAt<1, Pattern::Contiguous>::run);
  load("LOAD 2 contiguous", LoadAt<2, Pattern::Contiguous>::run);
  load("LOAD 4 contiguous", LoadAt<4, Pattern::Contiguous>::run);
  load("LOAD 1 strided", LoadAt<1, Pattern::Any>::run);
  load("LOAD 2 strided", LoadAt<2, Pattern::Any>::run);
  load("LOAD 3 strided", LoadAt<3, Pattern::Any>::run);
  load("LOAD 4 strided", LoadAt<4, Pattern::Any>::run);
  load("STORE 1 uniform", StoreAt<1, Pattern::Uniform>::run);
  load("STORE 2 uniform", StoreAt<2, Pattern::Uniform>::run);
  load("STORE 3 uniform", StoreAt<3, Pattern::Uniform>::run);
  load("STORE 4 uniform", StoreAt<4, Pattern::Uniform>::run);
  load("STORE 1 contiguous", StoreAt<1, Pattern::Contiguous>::run);
  load("STORE 2 contiguous", StoreAt<2, Pattern::Contiguous>::run);
  load("STORE 4 contiguous", StoreAt<4, Pattern::Contiguous>::run);
  load("STORE 1 strided", StoreAt<1, Pattern::Any>::run);
  load("STORE 2 strided", StoreAt<2, Pattern::Any>::run);
  load("STORE 3 strided", StoreAt<3, Pattern::Any>::run);
  load("STORE 4 strided", StoreAt<4, Pattern::Any>::run);
  load("STORE part 1 uniform", StorePartAt<std::uint8_t, Pattern::Uniform>::run);
  load("STORE part 2 uniform", StorePartAt<std::uint16_t, Pattern::Uniform>::run);
  load("STORE part 1 contiguous", StorePartAt<std::uint8_t, Pattern::Contiguous>::run);
  load("STORE part 2 contiguous", StorePartAt<std::uint16_t, Pattern::Contiguous>::run);
  load("STORE part 1 strided", StorePartAt<std::uint8_t, Pattern::Any>::run);
  load("STORE part 2 strided", StorePartAt<std::uint16_t, Pattern::Any>::run);
  load("LDS STORE part 1", StorePartLds<std::uint8_t>::run);
  load("LDS STORE part 2", StorePartLds<std::uint16_t>::run);
  load("LDS STORE 1", StoreLds<1>::run);
  load("LDS STORE 2", StoreLds<2>::run);
  load("LDS STORE 3", StoreLds<3>::run);
  load("LDS STORE 4", StoreLds<4>::run);
}

}  // namespace hipsight::engine::HIPSIGHT_HOST_ISA
