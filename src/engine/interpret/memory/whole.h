#pragma once
// Accesses to memory that others see change: other workgroups run on other host threads. A lane's
// access is one of the host's, so that nobody sees a part of it.
//
// Where it is aligned, x86 does an access of up to 8 bytes at once, and one of 16 if it has AVX
// (Intel SDM, vol. 3A, "Guaranteed Atomic Operations"; AMD APM, vol. 2, "Access Atomicity"). Of the
// wider ones, which serve several lanes, the manuals promise nothing; but all processors are made
// so that they do them in such pieces or larger ones.

#include <cstdint>
#include <cstring>

#include "engine/interpret/lanes/lanes.h"

namespace hipsight::engine::HIPSIGHT_HOST_ISA {

/// Memory of one workgroup: the compiler does as it likes.
struct Own {
  template <class T>
  static T load(const void* from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
  }
  template <class T>
  static void store(void* to, T value) {
    std::memcpy(to, &value, sizeof value);
  }
};

/// Memory of all. Volatile, since then the compiler must not split or repeat an access that the
/// host has, nor move one past another (LLVM's LangRef, "Volatile Memory Accesses").
struct Shared {
  template <class T>
  static T load(const void* from) {
    using Unaligned [[gnu::aligned(1), gnu::may_alias]] = T;
    return *static_cast<const volatile Unaligned*>(from);
  }
  template <class T>
  static void store(void* to, T value) {
    using Unaligned [[gnu::aligned(1), gnu::may_alias]] = T;
    *static_cast<volatile Unaligned*>(to) = value;
  }
};

/// What a lane's dwords are moved as; three are two and one. A `double`, not an integer: it is in a
/// vector register already, or goes to one.
using Dwords4 = Vec<std::uint32_t, 4>;
using Dwords2 = double;

/// One lane's dwords, side by side in memory.
template <class Memory, int Dwords>
inline void load_whole(const void* from, std::uint32_t (&out)[Dwords]) {
  const auto* const at = static_cast<const std::byte*>(from);
  const auto load = [&]<class T>(T, unsigned dword) {
    const T value = Memory::template load<T>(at + dword * 4);
    std::memcpy(out + dword, &value, sizeof value);
  };
  if constexpr (Dwords == 4) load(Dwords4{}, 0);
  if constexpr (Dwords == 2 || Dwords == 3) load(std::uint64_t{}, 0);
  if constexpr (Dwords % 2) load(std::uint32_t{}, Dwords - 1);
}
template <class Memory, int Dwords>
inline void store_whole(void* to, const std::uint32_t (&in)[Dwords]) {
  auto* const at = static_cast<std::byte*>(to);
  const auto store = [&]<class T>(T value, unsigned dword) {
    std::memcpy(&value, in + dword, sizeof value);
    Memory::template store<T>(at + dword * 4, value);
  };
  if constexpr (Dwords == 4) store(Dwords4{}, 0);
  if constexpr (Dwords == 2 || Dwords == 3) store(std::uint64_t{}, 0);
  if constexpr (Dwords % 2) store(std::uint32_t{}, Dwords - 1);
}

/// Bytes by accesses as large as they can be.
inline void copy_whole(void* to, const void* from, unsigned bytes) {
  auto* out = static_cast<std::byte*>(to);
  const auto* in = static_cast<const std::byte*>(from);
  const auto copy = [&]<class T>(T) {
    Shared::store(out, Shared::load<T>(in));
    out += sizeof(T), in += sizeof(T);
  };
  for (; bytes >= 16; bytes -= 16) copy(Dwords4{});
  if (bytes & 8) copy(std::uint64_t{});
  if (bytes & 4) copy(std::uint32_t{});
  if (bytes & 2) copy(std::uint16_t{});
  if (bytes & 1) copy(std::uint8_t{});
}

}  // namespace hipsight::engine::HIPSIGHT_HOST_ISA
