// Scalar memory: loads of constants and kernel arguments; on GFX9 stores and atomics, too.

#include "engine/interpret/memory/accesses.h"

namespace hipsight::engine::HIPSIGHT_HOST_ISA {
namespace {

std::uint32_t scalar_offset_of(const Wave& w, const isa::Instruction& in) {
  return in.soffset.where == isa::Where::Sgpr ? w.scalar[in.soffset.index] : 0;
}

/// Whether it may be done.
bool check(Wave& w, const Op* op, std::uint64_t address, unsigned bytes, bool stores,
           const char* what) {
  KnownRange& known = w.known[known_index(op->instruction->address, stores)];
  const bool inside =
      known.epoch == epoch(w) && address >= known.begin && address + bytes <= known.end;
  const bool good = inside || is_known_overrun(w, op, address, bytes) ||
                    find_range(w, address, bytes, stores, known) ||
                    report_access(w, op, address, bytes, 0, what);
  if (w.observers) [[unlikely]]
    observe_access(w, op,
                   {.space = Access::Space::Scalar,
                    .bytes = bytes,
                    .lanes = w.lanes,
                    .mask = 1,
                    .at = &address,
                    .faults = good ? 0ull : 1ull});
  return good;
}
void load(Wave& w, const Op* op, std::uint64_t address, unsigned bytes) {
  if (!check(w, op, address, bytes, false, "scalar load")) [[unlikely]] {
    std::memset(w.bytes() + op->dst, 0, bytes);
    return;
  }
  copy_whole(w.bytes() + op->dst, reinterpret_cast<const void*>(address), bytes);
}

void store(Wave& w, const Op* op, std::uint64_t address, unsigned bytes) {
  if (!check(w, op, address, bytes, true, "scalar store")) [[unlikely]]
    return;
  copy_whole(reinterpret_cast<void*>(address), w.bytes() + op->dst, bytes);
}

/// Where an access begins: base, constant and register. Scratch counts 64 bytes (Vega ISA,
/// S_SCRATCH_LOAD_DWORD).
std::uint64_t offset_of(const Wave& w, const Op* op, unsigned unit = 1) {
  return (static_cast<std::uint64_t>(op->imm) + scalar_offset_of(w, *op->instruction)) * unit;
}

/// The address is that of a dword: its low bits are dropped; sub-dword loads (gfx12) keep them.
template <unsigned Dwords, unsigned Unit = 1>
const Op* load_scalar_dwords(Wave& w, const Op* op) {
  const std::uint64_t base = w.pair(op->instruction->base.index);
  load(w, op, (base + offset_of(w, op, Unit)) & ~std::uint64_t{3}, Dwords * 4);
  return op + 1;
}
template <unsigned Dwords, unsigned Unit = 1>
const Op* store_scalar_dwords(Wave& w, const Op* op) {
  const std::uint64_t base = w.pair(op->instruction->base.index);
  store(w, op, (base + offset_of(w, op, Unit)) & ~std::uint64_t{3}, Dwords * 4);
  return op + 1;
}

/// Extends the part of a dword that was loaded.
template <class T>
void extend(Wave& w, const Op* op) {
  T value;
  std::memcpy(&value, w.bytes() + op->dst, sizeof value);
  const auto extended = static_cast<std::uint32_t>(static_cast<std::int32_t>(value));
  std::memcpy(w.bytes() + op->dst, &extended, 4);
}
template <class T>
const Op* load_scalar_part(Wave& w, const Op* op) {
  load(w, op, w.pair(op->instruction->base.index) + offset_of(w, op), sizeof(T));
  extend<T>(w, op);
  return op + 1;
}

/// A buffer resource: what lies beyond its records reads as 0, and what is written there is lost.
struct Buffer {
  std::uint64_t base, size;

  Buffer(const Wave& w, const isa::Instruction& in) {
    const std::uint32_t* resource = &w.scalar[in.base.index];
    const std::uint32_t stride = resource[1] >> 16 & 0x3fff;
    base = resource[0] | std::uint64_t{resource[1] & 0xffff} << 32;
    size = std::uint64_t{resource[2]} * (stride ? stride : 1);
  }
  bool has(std::uint64_t offset, unsigned bytes) const { return offset + bytes <= size; }
  /// Bytes of so many dwords at an offset that it has.
  unsigned bytes_in(std::uint64_t offset, unsigned dwords) const {
    const std::uint64_t left = offset < size ? (size - offset) / 4 : 0;
    return 4 * (left < dwords ? static_cast<unsigned>(left) : dwords);
  }
};

template <unsigned Dwords>
const Op* load_buffer_dwords(Wave& w, const Op* op) {
  const Buffer buffer(w, *op->instruction);
  const std::uint64_t offset = offset_of(w, op) & ~3ull;
  const unsigned bytes = buffer.bytes_in(offset, Dwords);
  if (bytes) load(w, op, buffer.base + offset, bytes);
  std::memset(w.bytes() + op->dst + bytes, 0, Dwords * 4 - bytes);
  return op + 1;
}
template <class T>
const Op* load_buffer_part(Wave& w, const Op* op) {
  const Buffer buffer(w, *op->instruction);
  const std::uint64_t at = offset_of(w, op);
  if (buffer.has(at, sizeof(T)))
    load(w, op, buffer.base + at, sizeof(T));
  else
    std::memset(w.bytes() + op->dst, 0, sizeof(T));
  extend<T>(w, op);
  return op + 1;
}
template <unsigned Dwords>
const Op* store_buffer_dwords(Wave& w, const Op* op) {
  const Buffer buffer(w, *op->instruction);
  const std::uint64_t offset = offset_of(w, op) & ~3ull;
  const unsigned bytes = buffer.bytes_in(offset, Dwords);
  if (bytes) store(w, op, buffer.base + offset, bytes);
  return op + 1;
}

/// The old value comes back if GLC (bit 16) says so. A comparand follows the new value.
template <class T, class Operation, bool InBuffer>
const Op* scalar_atomic(Wave& w, const Op* op) {
  using Word = std::make_unsigned_t<T>;
  const isa::Instruction& in = *op->instruction;
  std::uint64_t address = offset_of(w, op) & ~3ull;
  if constexpr (InBuffer) {
    const Buffer buffer(w, in);
    if (!buffer.has(address, sizeof(T))) return op + 1;
    address += buffer.base;
  } else {
    address += w.pair(in.base.index);
  }
  if (!check(w, op, address, sizeof(T), true, "scalar atomic")) return op + 1;
  if (address % sizeof(T) && !report_access(w, op, address, sizeof(T), 0, "misaligned atomic"))
    return op + 1;
  Word data[2];
  std::memcpy(data, w.bytes() + op->dst, sizeof data);
  const Word old = exchange<Word>(address, [&](Word value) {
    if constexpr (std::is_void_v<Operation>)
      return value == data[1] ? data[0] : value;
    else
      return static_cast<Word>(Operation{}(static_cast<T>(value), static_cast<T>(data[0])));
  });
  if (in.words[0] >> 16 & 1) std::memcpy(w.bytes() + op->dst, &old, sizeof old);
  return op + 1;
}

}  // namespace

void add_scalar_memory(Table& table) {
  const auto add = [&](std::string_view name, Run run) { table.add(name, {run, run}); };
  add("S_LOAD_DWORD", load_scalar_dwords<1>);
  add("S_LOAD_DWORDX2", load_scalar_dwords<2>);
  add("S_LOAD_DWORDX3", load_scalar_dwords<3>);
  add("S_LOAD_DWORDX4", load_scalar_dwords<4>);
  add("S_LOAD_DWORDX8", load_scalar_dwords<8>);
  add("S_LOAD_DWORDX16", load_scalar_dwords<16>);
  add("S_LOAD_U8", load_scalar_part<std::uint8_t>);
  add("S_LOAD_I8", load_scalar_part<std::int8_t>);
  add("S_LOAD_U16", load_scalar_part<std::uint16_t>);
  add("S_LOAD_I16", load_scalar_part<std::int16_t>);
  add("S_BUFFER_LOAD_DWORD", load_buffer_dwords<1>);
  add("S_BUFFER_LOAD_DWORDX2", load_buffer_dwords<2>);
  add("S_BUFFER_LOAD_DWORDX3", load_buffer_dwords<3>);
  add("S_BUFFER_LOAD_DWORDX4", load_buffer_dwords<4>);
  add("S_BUFFER_LOAD_DWORDX8", load_buffer_dwords<8>);
  add("S_BUFFER_LOAD_DWORDX16", load_buffer_dwords<16>);
  add("S_BUFFER_LOAD_U8", load_buffer_part<std::uint8_t>);
  add("S_BUFFER_LOAD_I8", load_buffer_part<std::int8_t>);
  add("S_BUFFER_LOAD_U16", load_buffer_part<std::uint16_t>);
  add("S_BUFFER_LOAD_I16", load_buffer_part<std::int16_t>);
  add("S_STORE_DWORD", store_scalar_dwords<1>);
  add("S_STORE_DWORDX2", store_scalar_dwords<2>);
  add("S_STORE_DWORDX4", store_scalar_dwords<4>);
  add("S_BUFFER_STORE_DWORD", store_buffer_dwords<1>);
  add("S_BUFFER_STORE_DWORDX2", store_buffer_dwords<2>);
  add("S_BUFFER_STORE_DWORDX4", store_buffer_dwords<4>);
  add("S_SCRATCH_LOAD_DWORD", load_scalar_dwords<1, 64>);
  add("S_SCRATCH_LOAD_DWORDX2", load_scalar_dwords<2, 64>);
  add("S_SCRATCH_LOAD_DWORDX4", load_scalar_dwords<4, 64>);
  add("S_SCRATCH_STORE_DWORD", store_scalar_dwords<1, 64>);
  add("S_SCRATCH_STORE_DWORDX2", store_scalar_dwords<2, 64>);
  add("S_SCRATCH_STORE_DWORDX4", store_scalar_dwords<4, 64>);
#define HIPSIGHT_SCALAR_ATOMIC(NAME, SIGN, OPERATION)                            \
  add("S_ATOMIC_" NAME, scalar_atomic<std::SIGN##32_t, OPERATION, false>);       \
  add("S_ATOMIC_" NAME "_X2", scalar_atomic<std::SIGN##64_t, OPERATION, false>); \
  add("S_BUFFER_ATOMIC_" NAME, scalar_atomic<std::SIGN##32_t, OPERATION, true>); \
  add("S_BUFFER_ATOMIC_" NAME "_X2", scalar_atomic<std::SIGN##64_t, OPERATION, true>);
  HIPSIGHT_SCALAR_ATOMIC("SWAP", uint, atomic::Swap)
  HIPSIGHT_SCALAR_ATOMIC("CMPSWAP", uint, void)
  HIPSIGHT_SCALAR_ATOMIC("ADD", uint, atomic::Add)
  HIPSIGHT_SCALAR_ATOMIC("SUB", uint, atomic::Sub)
  HIPSIGHT_SCALAR_ATOMIC("SMIN", int, atomic::Min)
  HIPSIGHT_SCALAR_ATOMIC("UMIN", uint, atomic::Min)
  HIPSIGHT_SCALAR_ATOMIC("SMAX", int, atomic::Max)
  HIPSIGHT_SCALAR_ATOMIC("UMAX", uint, atomic::Max)
  HIPSIGHT_SCALAR_ATOMIC("AND", uint, atomic::And)
  HIPSIGHT_SCALAR_ATOMIC("OR", uint, atomic::Or)
  HIPSIGHT_SCALAR_ATOMIC("XOR", uint, atomic::Xor)
  HIPSIGHT_SCALAR_ATOMIC("INC", uint, atomic::Increment)
  HIPSIGHT_SCALAR_ATOMIC("DEC", uint, atomic::Decrement)
#undef HIPSIGHT_SCALAR_ATOMIC
}

}  // namespace hipsight::engine::HIPSIGHT_HOST_ISA
