// Global, flat, scratch and buffer instructions: from operands to host addresses, then the access.

#include "engine/interpret/memory/accesses.h"
#include "engine/interpret/memory/buffer.h"
#include "engine/interpret/memory/formatted.h"
#include "engine/interpret/memory/special_accesses.h"
#include "engine/memory/access_memory.h"

namespace hipsight::engine::HIPSIGHT_HOST_ISA {
namespace {

std::uint32_t scalar_at(Wave& w, std::uint64_t index) {
  return w.scalar[index];
}

KnownRange& known_range(Wave& w, const Op* op, bool stores) {
  return w.known[known_index(op->instruction->address, stores)];
}

/// How far on the wave is likely to be the next time that it comes to this load: as far as since
/// the last time.
std::uint64_t step_to_next(Wave& w, const Op* op, std::uintptr_t first) {
  auto& memory = *reinterpret_cast<AccessMemory*>(w.known);
  auto& last =
      memory.last[known_index(op->instruction->address)][w.index_in_group % AccessMemory::waves];
  return first - std::exchange(last, first);
}
/// Prefetches that: a line for four lanes with 16 bytes each.
void prefetch_next(Wave& w, const Op* op, Places<std::uint32_t> at) {
  at.base += step_to_next(w, op, reinterpret_cast<std::uintptr_t>(at(0)));
  for (unsigned lane = 0; lane < w.lanes; lane += 4) __builtin_prefetch(at(lane), 0, 2);
}

/// Checks that every active lane's bytes lie in one allocation each. Lanes where they do not, if
/// that is forgiven.
std::uint64_t check_global(Wave& w, const Op* op, const Addresses& a, unsigned bytes, bool stores,
                           const char* what) {
  KnownRange& known = known_range(w, op, stores);
  if (known.epoch == epoch(w) && known.end - known.begin >= bytes) [[likely]] {
    const std::uint64_t limit = known.end - known.begin - bytes;
    bool outside = false;
    for (unsigned lane = 0; lane < w.lanes; ++lane) outside |= a.at[lane] - known.begin > limit;
    if (!outside) [[likely]]
      return 0;
  }
  std::uint64_t faults = 0;
  for_lanes(a.mask, [&](unsigned lane) {
    if (a.at[lane] >= known.begin && a.at[lane] + bytes <= known.end && known.epoch == epoch(w))
      return;
    if (is_known_overrun(w, op, a.at[lane], bytes)) return;
    if (!find_range(w, a.at[lane], bytes, stores, known) &&
        !report_access(w, op, a.at[lane], bytes, lane, what))
      faults |= 1ull << lane;
  });
  return faults;
}

/// The least and the greatest of every lane's offset.
struct Extent {
  std::uint32_t lowest, highest;
};
Extent extent_of(const Wave& w, const std::uint32_t* offset) {
  U32x16 lowest = ~0u, highest = 0;
  for (unsigned lane = 0; lane < w.lanes; lane += 16) {
    const U32x16 slice = load_slice(reinterpret_cast<const std::byte*>(offset + lane));
    lowest = __builtin_elementwise_min(lowest, slice);
    highest = __builtin_elementwise_max(highest, slice);
  }
  return {__builtin_reduce_min(lowest), __builtin_reduce_max(highest)};
}

/// Every lane's dwords at base + offset, without a table of addresses, if all are where the
/// instruction was last.
template <bool Store, int Dwords>
bool move_at(Wave& w, const Op* op, std::uint64_t base, const std::uint32_t* offset,
             Extent extent) {
  const KnownRange& known = known_range(w, op, Store);
  constexpr unsigned bytes = 4 * Dwords;
  if (known.epoch != epoch(w) || known.end - known.begin < bytes) return false;
  const std::uint64_t limit = known.end - known.begin - bytes;
  if (base + extent.lowest - known.begin > limit || base + extent.highest - known.begin > limit)
    return false;
  const Places<std::uint32_t> at{base, offset};
  observe_all(w, op, Access::Space::Global, bytes, [&](unsigned l) { return base + offset[l]; });
  if constexpr (Store) {
    store_all_lanes<Dwords>(w, w.bytes() + op->src[1], at);
  } else {
    if constexpr (Dwords > 1) prefetch_next(w, op, at);  // one may be anywhere
    load_all_lanes<Dwords>(w, w.bytes() + op->dst, at);
  }
  return true;
}

/// An access, for the code that finds its addresses: that is written, and compiled, once for all.
struct AnyAccess {
  unsigned bytes;  ///< that a lane moves
  bool stores, atomic;
  void (*run)(Wave&, const Op*, const Addresses&);
  bool formatted = false;  ///< of a buffer's elements, which are in range or not as a whole

  const char* kind() const { return atomic ? "atomic" : stores ? "store" : "load"; }
};
template <class Access>
constexpr AnyAccess any_access{Access::bytes, Access::stores, is_atomic<Access>, Access::run};

/// Lanes that are to do nothing.
std::uint64_t check_access(Wave& w, const Op* op, const AnyAccess& access, Addresses& a) {
  fill_inactive(w, a);
  std::uint64_t faults = check_global(w, op, a, access.bytes, access.stores, access.kind());
  if (access.atomic) faults |= check_alignment(w, op, a, access.bytes);
  return faults;
}
/// Runs an access on addresses of global memory.
void access_global(Wave& w, const Op* op, const AnyAccess& access, Addresses& a) {
  const std::uint64_t faults = check_access(w, op, access, a);
  observe(w, op, Access::Space::Global, access.bytes, a, faults);
  set_aside(w, a, faults);
  access.run(w, op, a);
}

/// Scratch address of a lane: dwords of the lanes of a wave lie side by side.
std::uint64_t scratch_address(const Wave& w, unsigned lane, std::uint32_t offset) {
  return reinterpret_cast<std::uintptr_t>(w.scratch) +
         (std::uint64_t{offset / 4} * w.lanes + lane) * 4 + offset % 4;
}

/// Runs an access on scratch offsets. One that is not dword-aligned moves byte by byte through a
/// staging area, since a lane's bytes lie apart.
void access_scratch(Wave& w, const Op* op, const AnyAccess& access, const std::uint32_t* offset,
                    std::uint64_t mask) {
  Addresses a;
  a.mask = mask;
  a.dword_step = w.lanes * 4;
  bool split = false;
  std::uint64_t faults = 0;
  for_lanes(mask, [&](unsigned lane) {
    if (std::uint64_t{offset[lane]} + access.bytes > w.scratch_bytes &&
        !report_access(w, op, offset[lane], access.bytes, lane, "scratch access"))
      faults |= 1ull << lane;
    split |= offset[lane] % 4 + (access.bytes < 4 ? access.bytes : 4) > 4;
    a.at[lane] = scratch_address(w, lane, offset[lane]);
  });
  observe(w, op, Access::Space::Scratch, access.bytes, a, faults);
  if (!split && !faults) {
    fill_inactive(w, a);
    access.run(w, op, a);
    return;
  }
  a.dword_step = 4;
  set_aside(w, a, faults);
  const auto copy = [&](bool out) {
    for_lanes(mask & ~faults, [&](unsigned lane) {
      for (unsigned i = 0; i < access.bytes; ++i) {
        auto* byte = reinterpret_cast<std::byte*>(scratch_address(w, lane, offset[lane] + i));
        if (out)
          *byte = a.staged[lane][i];
        else
          a.staged[lane][i] = *byte;
      }
      a.at[lane] = reinterpret_cast<std::uintptr_t>(a.staged[lane]);
    });
  };
  copy(false);
  fill_inactive(w, a);
  access.run(w, op, a);
  if (access.stores) copy(true);
}

struct Global {
  /// One dword of every lane, in rows that lie side by side: no table of addresses.
  template <bool Store>
  static bool move_rows(Wave& w, const Op* op) {
    return move_rows_of<16, Store>(w, op) || move_rows_of<8, Store>(w, op);
  }
  template <unsigned Lanes, bool Store>
  static bool move_rows_of(Wave& w, const Op* op) {
    const isa::Instruction& in = *op->instruction;
    const bool words = in.base.where == isa::Where::Sgpr;
    const std::uint32_t* low = register_at(w, op->src[0]);
    Rows<Lanes> rows;
    if (!find_rows(w, low, words ? nullptr : register_at(w, op->src[0] + w.register_bytes), rows))
      return false;
    const std::uint64_t base =
        static_cast<std::uint64_t>(op->imm) + (words ? w.pair(in.base.index) : 0);
    const KnownRange& known = known_range(w, op, Store);
    if (known.epoch != epoch(w) || known.end - known.begin < rows.bytes) return false;
    const std::uint64_t limit = known.end - known.begin - rows.bytes;
    const unsigned count = w.lanes / Lanes;
    bool outside = false;
    for (unsigned r = 0; r < count; ++r) {
      rows.at[r] += base;
      outside |= rows.at[r] - known.begin > limit;
    }
    if (outside) return false;
    observe_all(w, op, Access::Space::Global, 4,
                [&](unsigned l) { return rows.at[l / Lanes] + l % Lanes * 4; });
    if constexpr (!Store) {
      const std::uint64_t step = step_to_next(w, op, rows.at[0]);
      for (unsigned r = 0; r < count; ++r)
        __builtin_prefetch(reinterpret_cast<const void*>(rows.at[r] + step), 0, 2);
    }
    copy_rows<Store>(w, w.bytes() + (Store ? op->src[1] : op->dst), 0, rows);
    return true;
  }

  /// Every lane on, with a scalar base: as `move_at`.
  template <bool Store, int Dwords>
  static bool move_all_lanes(Wave& w, const Op* op) {
    const isa::Operand& scalar = op->instruction->base;
    if (scalar.where != isa::Where::Sgpr) return false;
    const std::uint32_t* offset = register_at(w, op->src[0]);
    return move_at<Store, Dwords>(w, op, w.pair(scalar.index) + static_cast<std::uint64_t>(op->imm),
                                  offset, extent_of(w, offset));
  }

  static void access(Wave& w, const Op* op, const AnyAccess& access, std::uint64_t mask) {
    const isa::Instruction& in = *op->instruction;
    Addresses a;
    a.mask = mask;
    const std::uint32_t* low = register_at(w, op->src[0]);
    const auto offset = static_cast<std::uint64_t>(op->imm);
    if (in.base.where == isa::Where::Sgpr) {
      const std::uint64_t base = w.pair(in.base.index) + offset;
      for (unsigned lane = 0; lane < w.lanes; ++lane) a.at[lane] = base + low[lane];
    } else {
      const std::uint32_t* high = register_at(w, op->src[0] + w.register_bytes);
      for (unsigned lane = 0; lane < w.lanes; ++lane)
        a.at[lane] = (low[lane] | std::uint64_t{high[lane]} << 32) + offset;
    }
    access_global(w, op, access, a);
  }
};

struct Flat {
  static void access(Wave& w, const Op* op, const AnyAccess& access, std::uint64_t mask) {
    Addresses a;
    const std::uint32_t* low = register_at(w, op->src[0]);
    const std::uint32_t* high = register_at(w, op->src[0] + w.register_bytes);
    std::uint64_t shared = 0, scratch = 0, faults = 0;
    std::uint32_t scratch_offset[64];
    std::uint64_t lds_offset[64];
    for_lanes(mask, [&](unsigned lane) {
      const std::uint64_t address =
          (low[lane] | std::uint64_t{high[lane]} << 32) + static_cast<std::uint64_t>(op->imm);
      a.at[lane] = address;
      if (address - aperture::shared_base < aperture::size) {
        shared |= 1ull << lane;
        const std::uint64_t at = address - aperture::shared_base;
        if (at + access.bytes > w.lds_bytes &&
            !report_access(w, op, at, access.bytes, lane, "LDS access"))
          faults |= 1ull << lane;
        lds_offset[lane] = at;
        a.at[lane] = reinterpret_cast<std::uintptr_t>(w.lds) + at;
      } else if (address - aperture::private_base < aperture::size) {
        scratch |= 1ull << lane;
        scratch_offset[lane] = static_cast<std::uint32_t>(address - aperture::private_base);
      }
    });
    const auto part = [&](std::uint64_t lanes, auto run) {
      if (!lanes) return;
      Addresses some = a;
      some.mask = lanes;
      run(some);
    };
    part(mask & ~shared & ~scratch, [&](Addresses& some) { access_global(w, op, access, some); });
    part(shared, [&](Addresses& some) {
      fill_inactive(w, some);
      if (access.atomic) faults |= check_alignment(w, op, some, access.bytes);
      if (w.observers) [[unlikely]]
        observe_access(w, op,
                       {.space = Access::Space::Lds,
                        .bytes = access.bytes,
                        .lanes = w.lanes,
                        .mask = shared,
                        .at = lds_offset,
                        .faults = faults});
      set_aside(w, some, faults);
      access.run(w, op, some);
    });
    if (scratch) access_scratch(w, op, access, scratch_offset, scratch);
  }
};

struct Scratch {
  static void access(Wave& w, const Op* op, const AnyAccess& access, std::uint64_t mask) {
    const isa::Instruction& in = *op->instruction;
    std::uint32_t base = static_cast<std::uint32_t>(op->imm);
    if (in.base.where == isa::Where::Sgpr) base += scalar_at(w, in.base.index);
    std::uint32_t offset[64];
    if (in.src[0].where == isa::Where::Vgpr) {
      const std::uint32_t* address = register_at(w, op->src[0]);
      for (unsigned lane = 0; lane < w.lanes; ++lane) offset[lane] = base + address[lane];
    } else {
      for (unsigned lane = 0; lane < w.lanes; ++lane) offset[lane] = base;
    }
    access_scratch(w, op, access, offset, mask);
  }
};

struct Buffer {
  static std::uint32_t scalar_offset(Wave& w, const isa::Instruction& in) {
    if (in.soffset.where == isa::Where::Sgpr) return scalar_at(w, in.soffset.index);
    return in.soffset.where == isa::Where::Constant ? in.soffset.value : 0;
  }

  /// Every lane on and in range, offsets in a register: no table of addresses.
  template <bool Store, int Dwords>
  static bool move_all_lanes(Wave& w, const Op* op) {
    const isa::Instruction& in = *op->instruction;
    const BufferResource buffer(w, in);
    if (!in.offen || !buffer.counts_bytes(in)) return false;
    const auto immediate = static_cast<std::uint32_t>(op->imm);
    const std::uint32_t soffset = scalar_offset(w, in);
    const auto* offset = register_at(w, op->src[0]);
    const Extent extent = extent_of(w, offset);
    constexpr unsigned bytes = 4 * Dwords;
    const std::uint64_t last = std::uint64_t{extent.highest} + immediate;
    if (last >> 32 || last + soffset + bytes > buffer.records) return false;
    return move_at<Store, Dwords>(w, op, buffer.base + soffset + immediate, offset, extent);
  }

  static void access(Wave& w, const Op* op, const AnyAccess& access, std::uint64_t mask) {
    const isa::Instruction& in = *op->instruction;
    const BufferResource buffer(w, in);
    const std::uint32_t soffset = scalar_offset(w, in);
    const std::uint32_t* first = register_at(w, op->src[0]);
    const std::uint32_t* second = register_at(w, op->src[0] + (in.idxen ? w.register_bytes : 0));
    BufferResource::Place place[64];
    for_lanes(mask, [&](unsigned lane) {
      const std::uint32_t record = in.idxen ? first[lane] : 0;
      place[lane] = {.record = record,
                     .index = record + (buffer.add_lane ? lane : 0),
                     .offset = static_cast<std::uint32_t>(op->imm) + (in.offen ? second[lane] : 0),
                     .soffset = soffset};
    });
    // Scratch of gfx90a: the wave's own memory; the scalar offset counts bytes of the whole wave.
    const std::uint64_t in_scratch = buffer.base - reinterpret_cast<std::uintptr_t>(w.scratch);
    if (buffer.add_lane && buffer.element && !buffer.rdna &&
        in_scratch <= std::uint64_t{w.scratch_bytes} * w.lanes) {
      const auto shift = static_cast<std::uint32_t>((in_scratch + soffset) / w.lanes);
      std::uint32_t offset[64];
      for_lanes(mask, [&](unsigned lane) { offset[lane] = place[lane].offset + shift; });
      access_scratch(w, op, access, offset, mask);
      return;
    }
    Addresses a;
    a.mask = mask;
    std::uint64_t staged = 0;
    // Dwords of a lane that do not lie side by side.
    const bool apart = buffer.element && access.bytes > buffer.element && !access.atomic;
    std::uint32_t valid_bytes[64];
    for_lanes(mask, [&](unsigned lane) {
      a.at[lane] = buffer.address(in, place[lane]);
      valid_bytes[lane] =
          buffer.valid(in, place[lane], access.bytes, !access.atomic && !access.formatted);
      if (valid_bytes[lane] < access.bytes || apart) staged |= 1ull << lane;
    });
    if (staged) return access_staged(w, op, access, a, staged, buffer, place, valid_bytes);
    access_global(w, op, access, a);
  }

  /// Tells of such an access. Where dwords lie apart, of one after the other.
  static void observe_staged(const Wave& w, const Op* op, const AnyAccess& access,
                             const Addresses& a, std::uint64_t staged, const BufferResource& buffer,
                             const BufferResource::Place* place, const std::uint32_t* valid_bytes,
                             std::uint64_t faults) {
    const bool apart = buffer.element && access.bytes > buffer.element && !access.atomic;
    const unsigned size = apart ? 4 : access.bytes;
    for (std::uint32_t done = 0; done < access.bytes; done += size) {
      std::uint64_t at[64];
      std::uint32_t inside[64];
      for_lanes(a.mask, [&](unsigned lane) {
        BufferResource::Place part = place[lane];
        part.offset += done;
        at[lane] = buffer.address(*op->instruction, part);
        const std::uint32_t left = valid_bytes[lane] > done ? valid_bytes[lane] - done : 0;
        inside[lane] = left < size ? left : size;
      });
      observe_access(w, op,
                     {.space = Access::Space::Global,
                      .bytes = size,
                      .lanes = w.lanes,
                      .mask = a.mask,
                      .at = at,
                      .cut = staged,
                      .inside = inside,
                      .faults = faults});
    }
  }

  /// Lanes out of range, or with dwords apart: loads give 0 for what is out of range, stores of it
  /// vanish, dword by dword.
  static void access_staged(Wave& w, const Op* op, const AnyAccess& access, Addresses& a,
                            std::uint64_t staged, const BufferResource& buffer,
                            const BufferResource::Place* place, const std::uint32_t* valid_bytes) {
    const std::uint64_t whole = a.mask & ~staged;
    const std::uint64_t all = a.mask;
    std::uint64_t faults = 0;
    if (whole) {
      Addresses inside = a;
      inside.mask = whole;
      faults = check_access(w, op, access, inside);
    }
    const auto each_part = [&](unsigned lane, auto use) {
      const std::uint32_t size = buffer.element ? 4 : valid_bytes[lane];
      for (std::uint32_t done = 0; done < valid_bytes[lane]; done += size) {
        BufferResource::Place part = place[lane];
        part.offset += done;
        use(buffer.address(*op->instruction, part), a.staged[lane] + done,
            std::min(size, valid_bytes[lane] - done));
      }
    };
    for_lanes(staged, [&](unsigned lane) {
      each_part(lane, [&](std::uint64_t at, const std::byte*, std::uint32_t bytes) {
        KnownRange range;
        if (!find_range(w, at, bytes, access.stores, range) &&
            !report_access(w, op, at, bytes, lane, access.kind()))
          faults |= 1ull << lane;
      });
    });
    if (w.observers) [[unlikely]]
      observe_staged(w, op, access, a, staged, buffer, place, valid_bytes, faults);
    set_aside(w, a, staged | faults);
    for_lanes(staged & ~faults, [&](unsigned lane) {
      each_part(lane, [&](std::uint64_t at, std::byte* copy, std::uint32_t bytes) {
        copy_whole(copy, reinterpret_cast<const void*>(at), bytes);
      });
    });
    a.mask = all;
    fill_inactive(w, a);
    access.run(w, op, a);
    if (!access.stores) return;
    for_lanes(staged & ~faults, [&](unsigned lane) {
      each_part(lane, [](std::uint64_t at, const std::byte* copy, std::uint32_t bytes) {
        copy_whole(reinterpret_cast<void*>(at), copy, bytes);
      });
    });
  }
};

/// Buffers whose elements have a format.
struct FormattedBuffer {
  static void access(Wave& w, const Op* op, const AnyAccess& access, std::uint64_t mask) {
    AnyAccess sized = access;
    sized.bytes = format_of(w, *op->instruction).bytes();
    sized.formatted = true;
    Buffer::access(w, op, sized, mask);
  }
};

/// Addresses that come from the scalar base and the lane alone (RDNA3 and later).
template <class Access>
const Op* by_lane(Wave& w, const Op* op) {
  const isa::Instruction& in = *op->instruction;
  Addresses a;
  a.mask = w.exec() & w.full;
  if (!a.mask) return op + 1;
  const std::uint64_t base = in.base.where == isa::Where::Sgpr ? w.pair(in.base.index) : 0;
  for (unsigned lane = 0; lane < w.lanes; ++lane)
    a.at[lane] = base + static_cast<std::uint64_t>(op->imm) + lane * 4;
  access_global(w, op, any_access<Access>, a);
  return op + 1;
}

template <class Space, class Access>
const Op* memory(Wave& w, const Op* op) {
  const std::uint64_t mask = w.exec() & w.full;
  if constexpr (std::is_same_v<Space, Global> && requires { requires Access::dwords == 1; })
    if (mask == w.full && Global::move_rows<Access::stores>(w, op)) return op + 1;
  if constexpr (
      requires { Access::dwords; } && requires { &Space::template move_all_lanes<false, 1>; })
    if (mask == w.full && Space::template move_all_lanes<Access::stores, Access::dwords>(w, op))
      return op + 1;
  if (mask) Space::access(w, op, any_access<Access>, mask);
  return op + 1;
}

/// Lanes of wave64 read half of what those of wave32 do.
struct Transposed {
  static void access(Wave& w, const Op* op, const AnyAccess& access, std::uint64_t mask) {
    AnyAccess sized = access;
    sized.bytes = access.bytes * 32 / w.lanes;
    Global::access(w, op, sized, mask);
  }
};

/// Registers of a block, those that M0 names, and dwords as far apart.
template <class Space, bool Store>
const Op* block(Wave& w, const Op* op) {
  using Dword = std::conditional_t<Store, StoreDwords<1>, LoadDwords<1>>;
  Op one = *op;
  // The address may lie in the block.
  constexpr unsigned copy = 0;
  if (op->step[0]) {
    std::memcpy(w.temporary[copy], w.bytes() + op->src[0], 2 * w.register_bytes);
    one.src[0] = offsetof(Wave, temporary) + copy * Wave::temporary_bytes;
  }
  for (std::uint32_t rest = w.scalar[reg::m0_rdna]; rest; rest &= rest - 1) {
    const auto i = static_cast<std::uint32_t>(__builtin_ctz(rest));
    one.imm = op->imm + 4 * i;
    one.dst = op->dst + i * w.register_bytes;
    one.src[1] = op->src[1] + i * w.register_bytes;
    memory<Space, Dword>(w, &one);
  }
  return op + 1;
}
template <class Space>
void add_block(Table& table, std::string_view space) {
  table.add(space, "LOAD_BLOCK", {block<Space, false>, block<Space, false>});
  table.add(space, "STORE_BLOCK", {block<Space, true>, block<Space, true>});
}

template <class Space, class Access>
void add(Table& table, std::string_view space, std::string_view name) {
  table.add(space, name, {memory<Space, Access>, memory<Space, Access>});
}
template <class Access>
void add_atomic(Table& table, std::string_view name) {
  add<Global, Access>(table, "GLOBAL_ATOMIC_", name);
  add<Flat, Access>(table, "FLAT_ATOMIC_", name);
  add<Buffer, Access>(table, "BUFFER_ATOMIC_", name);
}
template <class Access>
void add_access(Table& table, std::string_view name) {
  add<Global, Access>(table, "GLOBAL_", name);
  add<Flat, Access>(table, "FLAT_", name);
  add<Scratch, Access>(table, "SCRATCH_", name);
  add<Buffer, Access>(table, "BUFFER_", name);
}
/// 16-bit loads: to registers without ECC, and with it.
struct D16 {
  std::string_view name, with_ecc;
};
template <class T>
void add_d16_loads(Table& table, D16 low, D16 high) {
  add_access<LoadPart<T, Part::Low>>(table, low.name);
  add_access<LoadPart<T, Part::High>>(table, high.name);
  add_access<LoadPart<T, Part::LowAlone>>(table, low.with_ecc);
  add_access<LoadPart<T, Part::HighAlone>>(table, high.with_ecc);
}

template <unsigned components>
void add_formatted(Table& table, std::string_view load, std::string_view store, D16 load_d16,
                   std::string_view store_d16) {
  for (const char* space : {"BUFFER_", "TBUFFER_"}) {
    add<FormattedBuffer, LoadFormatted<components, Packing::Dwords>>(table, space, load);
    add<FormattedBuffer, StoreFormatted<components, Packing::Dwords>>(table, space, store);
    add<FormattedBuffer, LoadFormatted<components, Packing::Halves>>(table, space, load_d16.name);
    add<FormattedBuffer, LoadFormatted<components, Packing::HalvesAlone>>(table, space,
                                                                          load_d16.with_ecc);
    add<FormattedBuffer, StoreFormatted<components, Packing::Halves>>(table, space, store_d16);
  }
}

}  // namespace

void add_vector_memory(Table& table) {
  add_access<LoadPart<std::uint8_t>>(table, "LOAD_UBYTE");
  add_access<LoadPart<std::int8_t>>(table, "LOAD_SBYTE");
  add_access<LoadPart<std::uint16_t>>(table, "LOAD_USHORT");
  add_access<LoadPart<std::int16_t>>(table, "LOAD_SSHORT");
#define HIPSIGHT_D16(NAME) D16{NAME, NAME "@ECC"}
  add_d16_loads<std::uint8_t>(table, HIPSIGHT_D16("LOAD_UBYTE_D16"),
                              HIPSIGHT_D16("LOAD_UBYTE_D16_HI"));
  add_d16_loads<std::int8_t>(table, HIPSIGHT_D16("LOAD_SBYTE_D16"),
                             HIPSIGHT_D16("LOAD_SBYTE_D16_HI"));
  add_d16_loads<std::uint16_t>(table, HIPSIGHT_D16("LOAD_SHORT_D16"),
                               HIPSIGHT_D16("LOAD_SHORT_D16_HI"));
  add_access<LoadDwords<1>>(table, "LOAD_DWORD");
  add_access<LoadDwords<2>>(table, "LOAD_DWORDX2");
  add_access<LoadDwords<3>>(table, "LOAD_DWORDX3");
  add_access<LoadDwords<4>>(table, "LOAD_DWORDX4");
  add_access<StorePart<std::uint8_t>>(table, "STORE_BYTE");
  add_access<StorePart<std::uint8_t, Part::High>>(table, "STORE_BYTE_D16_HI");
  add_access<StorePart<std::uint16_t>>(table, "STORE_SHORT");
  add_access<StorePart<std::uint16_t, Part::High>>(table, "STORE_SHORT_D16_HI");
  add_access<StoreDwords<1>>(table, "STORE_DWORD");
  add_access<StoreDwords<2>>(table, "STORE_DWORDX2");
  add_access<StoreDwords<3>>(table, "STORE_DWORDX3");
  add_access<StoreDwords<4>>(table, "STORE_DWORDX4");

  add_atomic<Atomic<std::uint32_t, atomic::Swap>>(table, "SWAP");
  add_atomic<Atomic<std::uint64_t, atomic::Swap>>(table, "SWAP_X2");
  add_atomic<Atomic<std::uint32_t, atomic::Add>>(table, "ADD");
  add_atomic<Atomic<std::uint64_t, atomic::Add>>(table, "ADD_X2");
  add_atomic<Atomic<std::uint32_t, atomic::Sub>>(table, "SUB");
  add_atomic<Atomic<std::uint64_t, atomic::Sub>>(table, "SUB_X2");
  add_atomic<Atomic<std::int32_t, atomic::Min>>(table, "SMIN");
  add_atomic<Atomic<std::int64_t, atomic::Min>>(table, "SMIN_X2");
  add_atomic<Atomic<std::uint32_t, atomic::Min>>(table, "UMIN");
  add_atomic<Atomic<std::uint64_t, atomic::Min>>(table, "UMIN_X2");
  add_atomic<Atomic<std::int32_t, atomic::Max>>(table, "SMAX");
  add_atomic<Atomic<std::int64_t, atomic::Max>>(table, "SMAX_X2");
  add_atomic<Atomic<std::uint32_t, atomic::Max>>(table, "UMAX");
  add_atomic<Atomic<std::uint64_t, atomic::Max>>(table, "UMAX_X2");
  add_atomic<Atomic<std::uint32_t, atomic::And>>(table, "AND");
  add_atomic<Atomic<std::uint64_t, atomic::And>>(table, "AND_X2");
  add_atomic<Atomic<std::uint32_t, atomic::Or>>(table, "OR");
  add_atomic<Atomic<std::uint64_t, atomic::Or>>(table, "OR_X2");
  add_atomic<Atomic<std::uint32_t, atomic::Xor>>(table, "XOR");
  add_atomic<Atomic<std::uint64_t, atomic::Xor>>(table, "XOR_X2");
  add_atomic<Atomic<std::uint32_t, atomic::Increment>>(table, "INC");
  add_atomic<Atomic<std::uint64_t, atomic::Increment>>(table, "INC_X2");
  add_atomic<Atomic<std::uint32_t, atomic::Decrement>>(table, "DEC");
  add_atomic<Atomic<std::uint64_t, atomic::Decrement>>(table, "DEC_X2");
  add_atomic<Atomic<std::uint32_t, atomic::ClampedSub>>(table, "CSUB");
  add_atomic<Atomic<std::uint32_t, atomic::ClampedSub>>(table, "SUB_CLAMP_U32");
  add_atomic<Atomic<std::uint32_t, atomic::ConditionalSub>>(table, "COND_SUB_U32");
  add_atomic<CompareSwap<std::uint32_t, false>>(table, "CMPSWAP");
  add_atomic<CompareSwap<std::uint64_t, false>>(table, "CMPSWAP_X2");
  add_atomic<CompareSwap<std::uint32_t, false, float>>(table, "FCMPSWAP");
  add_atomic<CompareSwap<std::uint64_t, false, double>>(table, "FCMPSWAP_X2");
  add_atomic<Atomic<std::uint32_t, atomic::AddF32>>(table, "ADD_F32");
  add_atomic<Atomic<std::uint64_t, atomic::AddF64>>(table, "ADD_F64");
  add_atomic<Atomic<std::uint32_t, atomic::AddPacked<isa::f16>>>(table, "PK_ADD_F16");
  add_atomic<Atomic<std::uint32_t, atomic::AddPacked<isa::bf16>>>(table, "PK_ADD_BF16");
  add_atomic<Atomic<std::uint32_t, atomic::Ordered<true, isa::f32, std::uint32_t>>>(table, "FMIN");
  add_atomic<Atomic<std::uint32_t, atomic::Ordered<false, isa::f32, std::uint32_t>>>(table, "FMAX");
  add_atomic<Atomic<std::uint64_t, atomic::Ordered<true, isa::f64, std::uint64_t>>>(table,
                                                                                    "MIN_F64");
  add_atomic<Atomic<std::uint64_t, atomic::Ordered<false, isa::f64, std::uint64_t>>>(table,
                                                                                     "MAX_F64");

  add_block<Global>(table, "GLOBAL_");
  add_block<Scratch>(table, "SCRATCH_");
  add<Transposed, LoadTransposed<16>>(table, "GLOBAL_", "LOAD_TR_B128");
  add<Transposed, LoadTransposed<8>>(table, "GLOBAL_", "LOAD_TR_B64");
  add<Global, Atomic<std::uint64_t, atomic::OrderedAdd>>(table, "GLOBAL_ATOMIC_",
                                                         "ORDERED_ADD_B64");
  table.add("GLOBAL_LOAD_DWORD_ADDTID", {by_lane<LoadDwords<1>>, by_lane<LoadDwords<1>>});
  table.add("GLOBAL_STORE_DWORD_ADDTID", {by_lane<StoreDwords<1>>, by_lane<StoreDwords<1>>});
  add<Buffer, StoreFromLds>(table, "BUFFER_", "STORE_LDS_DWORD");
  add<Scratch, LoadToLds<std::uint8_t>>(table, "SCRATCH_", "LOAD_LDS_UBYTE");
  add<Scratch, LoadToLds<std::int8_t>>(table, "SCRATCH_", "LOAD_LDS_SBYTE");
  add<Scratch, LoadToLds<std::uint16_t>>(table, "SCRATCH_", "LOAD_LDS_USHORT");
  add<Scratch, LoadToLds<std::int16_t>>(table, "SCRATCH_", "LOAD_LDS_SSHORT");
  add<Scratch, LoadToLds<std::uint32_t>>(table, "SCRATCH_", "LOAD_LDS_DWORD");
  add<Global, LoadToLds<std::uint8_t>>(table, "GLOBAL_", "LOAD_LDS_UBYTE");
  add<Global, LoadToLds<std::int8_t>>(table, "GLOBAL_", "LOAD_LDS_SBYTE");
  add<Global, LoadToLds<std::uint16_t>>(table, "GLOBAL_", "LOAD_LDS_USHORT");
  add<Global, LoadToLds<std::int16_t>>(table, "GLOBAL_", "LOAD_LDS_SSHORT");
  add<Global, LoadToLds<std::uint32_t>>(table, "GLOBAL_", "LOAD_LDS_DWORD");
  add<Global, LoadToLds<std::uint32_t, 3>>(table, "GLOBAL_", "LOAD_LDS_DWORDX3");
  add<Global, LoadToLds<std::uint32_t, 4>>(table, "GLOBAL_", "LOAD_LDS_DWORDX4");
  add<Buffer, LoadToLds<std::uint8_t>>(table, "BUFFER_", "LOAD_UBYTE_LDS");
  add<Buffer, LoadToLds<std::int8_t>>(table, "BUFFER_", "LOAD_SBYTE_LDS");
  add<Buffer, LoadToLds<std::uint16_t>>(table, "BUFFER_", "LOAD_USHORT_LDS");
  add<Buffer, LoadToLds<std::int16_t>>(table, "BUFFER_", "LOAD_SSHORT_LDS");
  add<Buffer, LoadToLds<std::uint32_t>>(table, "BUFFER_", "LOAD_DWORD_LDS");
  add<Buffer, LoadToLds<std::uint32_t, 3>>(table, "BUFFER_", "LOAD_DWORDX3_LDS");
  add<Buffer, LoadToLds<std::uint32_t, 4>>(table, "BUFFER_", "LOAD_DWORDX4_LDS");

  add_formatted<1>(table, "LOAD_FORMAT_X", "STORE_FORMAT_X", HIPSIGHT_D16("LOAD_FORMAT_D16_X"),
                   "STORE_FORMAT_D16_X");
  add_formatted<2>(table, "LOAD_FORMAT_XY", "STORE_FORMAT_XY", HIPSIGHT_D16("LOAD_FORMAT_D16_XY"),
                   "STORE_FORMAT_D16_XY");
  add_formatted<3>(table, "LOAD_FORMAT_XYZ", "STORE_FORMAT_XYZ",
                   HIPSIGHT_D16("LOAD_FORMAT_D16_XYZ"), "STORE_FORMAT_D16_XYZ");
  add_formatted<4>(table, "LOAD_FORMAT_XYZW", "STORE_FORMAT_XYZW",
                   HIPSIGHT_D16("LOAD_FORMAT_D16_XYZW"), "STORE_FORMAT_D16_XYZW");
  add<FormattedBuffer, LoadFormatted<1, Packing::HighHalf>>(table, "BUFFER_",
                                                            "LOAD_FORMAT_D16_HI_X");
  add<FormattedBuffer, LoadFormatted<1, Packing::HighHalfAlone>>(table, "BUFFER_",
                                                                 "LOAD_FORMAT_D16_HI_X@ECC");
  add<FormattedBuffer, StoreFormatted<1, Packing::HighHalf>>(table, "BUFFER_",
                                                             "STORE_FORMAT_D16_HI_X");
#undef HIPSIGHT_D16
}

}  // namespace hipsight::engine::HIPSIGHT_HOST_ISA
