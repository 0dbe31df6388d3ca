// The scalar reference: a workgroup of one work-item with one lane, on the host. The same kernels
// run on it, one workgroup after the other, in plain C++.
#pragma once

#include <cmath>
#include <cstring>

#include "architecture.h"
#include "lane_fma.h"
#include "no_direct_copies.h"
#include "no_fp8.h"

namespace hipsight::kernels::arch {

inline constexpr Architecture current = Architecture::host;

template <class Value>
using MatrixStep = LaneFma<Value, fma_4x4(chunk_size<Value>)>;

template <int dimension = 0>
HIPSIGHT_INLINE int workgroup() {
  return 0;
}

HIPSIGHT_INLINE int thread() {
  return 0;
}

HIPSIGHT_INLINE int uniform(int x) {
  return x;
}

template <bool = false>
HIPSIGHT_INLINE void barrier() {}
HIPSIGHT_INLINE void wave_barrier() {}

template <int Level>
HIPSIGHT_INLINE void set_priority() {}

HIPSIGHT_INLINE void publish() {}
HIPSIGHT_INLINE void refresh() {}
HIPSIGHT_INLINE void set_flag(unsigned* flag, unsigned value) {
  *flag = value;
}
HIPSIGHT_INLINE unsigned read_flag(const unsigned* flag) {
  return *flag;
}
HIPSIGHT_INLINE void pause() {}

HIPSIGHT_INLINE void keep_order() {}

template <int reads, int requests>
HIPSIGHT_INLINE void interleave() {}
template <int reads, int requests, int parts = 1>
HIPSIGHT_INLINE void read_ahead() {}

/// There is no other lane.
template <int mask, class Value>
HIPSIGHT_INLINE Value exchange(Value value) {
  return value;
}

HIPSIGHT_INLINE float exp2(float x) {
  return exp2f(x);
}

HIPSIGHT_INLINE float reciprocal(float x) {
  return 1 / x;
}

inline constexpr bool any_alignment = true;

HIPSIGHT_INLINE bool any(bool condition) {
  return condition;
}

/// log2(x); -inf of 0.
HIPSIGHT_INLINE float log2(float x) {
  return std::log2(x);
}

HIPSIGHT_INLINE Vector<float, 2> fma(Vector<float, 2> x, float y, float z) {
  return {std::fma(x[0], y, z), std::fma(x[1], y, z)};
}

/// Both in Value, of 16 bits, the first one in the low half.
template <class Value>
HIPSIGHT_INLINE std::uint32_t rounded(Vector<float, 2> x) {
  const Value both[] = {static_cast<Value>(x[0]), static_cast<Value>(x[1])};
  std::uint32_t bits;
  std::memcpy(&bits, both, sizeof bits);
  return bits;
}

template <class Value>
HIPSIGHT_INLINE std::uint32_t nearest(Vector<float, 2> x) {
  return rounded<Value>(x);
}

template <class Value>
HIPSIGHT_INLINE std::uint32_t cut(Vector<float, 2> x) {
  return rounded<Value>(x);
}

/// The same, added to a sum.
template <class Value>
inline constexpr float cut_share = 0;
template <class Value>
HIPSIGHT_INLINE std::uint32_t weights(Vector<float, 2> x, Vector<float, 2>& sum) {
  sum[0] += x[0], sum[1] += x[1];
  return cut<Value>(x);
}

/// 16 bytes of memory that is known to exist.
template <class Values>
HIPSIGHT_INLINE Values load(const void* from) {
  return *static_cast<const Values*>(from);
}

template <class Values>
HIPSIGHT_INLINE Values load(const void* base, std::uint32_t offset, std::uint32_t limit) {
  Values value{};
  if (offset < limit) std::memcpy(&value, static_cast<const char*>(base) + offset, sizeof value);
  return value;
}

template <class Values>
HIPSIGHT_INLINE void store(void* base, std::uint32_t offset, std::uint32_t limit,
                           const Values& value) {
  if (offset < limit) std::memcpy(static_cast<char*>(base) + offset, &value, sizeof value);
}

template <class OfC>
HIPSIGHT_INLINE OfC zeros() {
  return {};
}

}  // namespace hipsight::kernels::arch
