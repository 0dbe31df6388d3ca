#pragma once
// Words that go from lane to lane, sixteen lanes at a time.

#ifdef __AVX512F__
#include <immintrin.h>
#endif

#include "engine/interpret/lanes/lanes.h"
#include "engine/interpret/registers.h"

namespace hipsight::engine::HIPSIGHT_HOST_ISA {

using LaneNumbers = Vec<std::int32_t, 16>;

/// Sixteen lanes from `first` on.
inline LaneNumbers lanes_from(unsigned first) {
  return LaneNumbers{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15} +
         static_cast<std::int32_t>(first);
}

/// The words of sixteen lanes anywhere in a wave of so many.
inline U32x16 permute(const std::uint32_t* words, LaneNumbers from,
                      [[maybe_unused]] unsigned lanes) {
#ifdef __AVX512F__
  const auto of_half = [&](const std::uint32_t* half) {
    return std::bit_cast<U32x16>(_mm512_permutex2var_epi32(
        _mm512_loadu_si512(half), std::bit_cast<__m512i>(from), _mm512_loadu_si512(half + 16)));
  };
  if (lanes == 32) return of_half(words);
  return (from & 32) != 0 ? of_half(words + 32) : of_half(words);
#else
  std::int32_t lane[16];
  std::memcpy(lane, &from, sizeof lane);
  U32x16 result;
  for (int l = 0; l < 16; ++l) result[l] = words[lane[l]];
  return result;
#endif
}
/// The same of one row of sixteen lanes, the one that `row` points to.
inline U32x16 permute_row(const std::uint32_t* row, LaneNumbers from) {
#ifdef __AVX512F__
  return std::bit_cast<U32x16>(
      _mm512_permutexvar_epi32(std::bit_cast<__m512i>(from), _mm512_loadu_si512(row)));
#else
  return permute(row, from & 15, 16);
#endif
}

/// Sixteen lanes of a mask, as words of ones and zeros.
inline U32x16 mask_words(std::uint64_t mask, unsigned first) {
  const auto bits = static_cast<std::uint32_t>(mask >> first) & 0xffff;
  return std::bit_cast<U32x16>(mask_from_bits<16>(bits).v);
}
inline std::uint64_t mask_bits(U32x16 words, unsigned first) {
  return std::uint64_t{bits_of(Mask<16>(std::bit_cast<LaneNumbers>(words)))} << first;
}
/// A wave's mask of lanes, as words.
struct LaneWords {
  alignas(64) std::uint32_t word[64];
  LaneWords(std::uint64_t mask, unsigned lanes) {
    for (unsigned first = 0; first < lanes; first += 16)
      store_slice(reinterpret_cast<std::byte*>(word + first), mask_words(mask, first));
  }
};

}  // namespace hipsight::engine::HIPSIGHT_HOST_ISA
