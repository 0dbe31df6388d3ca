// How a GEMM is cut into tiles on each GPU: data, chosen by what bounds it (docs/kernels/gemm.md).
#pragma once

#include "../arch/architecture.h"
#include "../matrix.h"

namespace hipsight::kernels {

struct Tiling {
  int rows, columns;            // of the result, by a workgroup
  int depth_bytes;              // of the operands' lines in shared memory, at a time
  int wave_rows, wave_columns;  // of the result, by a wave
  int group;                    // rows of tiles that are taken together, to share what they read
  // Of the speed of large tiles that fill the GPU: four on each compute unit, and one. Predicted,
  // of bf16 at a depth of 4096 (docs/kernels/gemm.md); of f32 on RDNA and on NVIDIA guessed.
  int percent, percent_alone;
  int ahead = 1;       // tiles of each operand that are on their way while one is multiplied
  int deep_waves = 1;  // that share the depth of a tile, for the same part of the result
};

/// Tiny ones are for shares of results so small that nothing else has work for the GPU; not all
/// GPUs have them.
enum class TileSize { large, medium, small, tiny };

HIPSIGHT_INLINE constexpr bool has_tiny_tiles(Architecture architecture, int element_bytes,
                                              bool scaled) {
  return !scaled && (architecture == Architecture::cdna3 ||
                     (architecture == Architecture::cdna4 && element_bytes > 1));
}

/// Whether operands are bytes whose lines in memory do not run along the depth, so that they are
/// turned in registers.
template <class Value, Order order_a, Order order_b>
inline constexpr bool are_turned =
    sizeof(Value) == 1 && (order_a != Order::row_major || order_b != Order::column_major);

/// Of a B in 4 bits, whose tiles have few bytes: small ones have more of them on their way, and
/// fewer rows beside them, as a step of decoding has few. CDNA4 is as quick with its own.
HIPSIGHT_INLINE constexpr bool has_packed_tiles(Architecture architecture) {
  return architecture == Architecture::cdna2 || architecture == Architecture::cdna3 ||
         architecture == Architecture::rdna3 || architecture == Architecture::rdna4;
}

/// `scaled`: blocks of the depth have factors of their own. `turned`: are_turned. `packed`: B has 4
/// bits in memory.
HIPSIGHT_INLINE constexpr Tiling gemm_tiling(Architecture architecture, TileSize size,
                                             int element_bytes, bool scaled = false,
                                             bool turned = false, bool packed = false) {
#ifdef HIPSIGHT_GEMM_TILING  // to try one: docs/kernels/gemm.md
  if (architecture != Architecture::host) return {HIPSIGHT_GEMM_TILING};
#endif
  constexpr auto pick = [](TileSize one, Tiling large, Tiling medium, Tiling small) {
    return one == TileSize::large ? large : one == TileSize::medium ? medium : small;
  };
  if (packed && has_packed_tiles(architecture)) {
    const bool rdna = architecture == Architecture::rdna3 || architecture == Architecture::rdna4;
    if (size == TileSize::small || size == TileSize::tiny)
      return {32, 64, 128, rdna ? 16 : 32, 32, 8, 45, 30, 4};
    // Registers for codes, too: larger tiles would spill.
    if (architecture == Architecture::rdna3 && size == TileSize::large)
      return {64, 128, 64, 32, 32, 8, 85, 50};
    // To make numbers of codes takes as long in tiles of 128 x 128 as to multiply them.
    if (size == TileSize::medium && !rdna) {
      Tiling medium = gemm_tiling(architecture, TileSize::small, element_bytes);
      medium.percent = 65, medium.percent_alone = 55;
      return medium;
    }
  }
  // Shares in tiny tiles hide each other's waiting: as quick as that by trying.
  if (size == TileSize::tiny && has_tiny_tiles(architecture, element_bytes, scaled))
    return architecture == Architecture::cdna3 ? Tiling{64, 32, 128, 64, 32, 8, 70, 40, 2, 2}
                                               : Tiling{64, 32, 128, 64, 32, 8, 22, 16, 3, 2};
  // Both need registers, for a second sum and for what is turned: their tiles are smaller, so that
  // none of these spill (`./dev kernels`).
  if (turned && (scaled || architecture == Architecture::rdna3)) size = TileSize::small;
  switch (architecture) {
    case Architecture::cdna2:
      if (scaled && size == TileSize::large) size = TileSize::medium;
      return pick(size, {256, 256, 64, 128, 64, 4, 100, 100}, {128, 128, 64, 32, 64, 8, 104, 93, 2},
                  {64, 64, 128, 32, 32, 8, 83, 56});
    case Architecture::cdna3:
      if (scaled)
        return pick(size, {128, 128, 64, 64, 64, 8, 100, 79, 2},
                    {128, 128, 128, 32, 64, 8, 103, 99, 2}, {64, 64, 128, 32, 32, 8, 76, 60, 2});
      return pick(size, {256, 256, 64, 128, 64, 4, 100, 99}, {128, 128, 64, 32, 64, 8, 98, 91, 2},
                  {64, 64, 128, 64, 32, 8, 85, 70, 2, 2});
    case Architecture::cdna4:
      if (scaled)
        return pick(size, {128, 256, 128, 64, 64, 8, 100, 99}, {128, 128, 128, 64, 64, 8, 90, 80},
                    {64, 64, 128, 32, 32, 8, 48, 43, 3});
      if (turned && size != TileSize::small) return {128, 128, 128, 32, 64, 8, 55, 54};
      return pick(size, {256, 256, 128, 128, 64, 4, 100, 100},
                  {128, 128, 128, 32, 64, 8, 55, 54, 3}, {64, 64, 128, 32, 32, 8, 29, 27, 3});
    case Architecture::rdna3:
    case Architecture::rdna4:
      if (scaled && size == TileSize::large) size = TileSize::medium;
      if (element_bytes == 4)  // a step of 32 x 32
        return pick(size, {64, 128, 64, 32, 32, 8, 100, 65}, {64, 64, 64, 32, 32, 8, 90, 50},
                    {32, 64, 64, 32, 32, 8, 60, 25});
      if (architecture == Architecture::rdna3)
        return pick(size, {128, 128, 64, 64, 32, 8, 100, 65}, {64, 64, 64, 32, 32, 8, 71, 30},
                    {32, 32, 64, 16, 16, 8, 45, 12});
      return pick(size, {128, 128, 64, 64, 32, 8, 100, 45}, {64, 64, 64, 32, 32, 8, 53, 20},
                  {32, 32, 64, 16, 16, 8, 31, 8});
    case Architecture::ampere:
      if (scaled && size == TileSize::large) size = TileSize::medium;
      return pick(size, {128, 64, 128, 64, 32, 8, 100, 100}, {64, 64, 128, 32, 32, 8, 80, 80},
                  {32, 32, 128, 32, 32, 8, 40, 40});
    case Architecture::host:
      break;
  }
  return pick(size, {32, 32, 64, 32, 32, 4, 100, 100}, {16, 16, 64, 16, 16, 4, 100, 100},
              {16, 16, 64, 16, 16, 4, 100, 100});
}

/// How many multiply-adds a GPU of so many compute units does in large tiles in the time in which
/// its memory moves a byte: the figures of docs/kernels/gemm.md, of bf16 and of fp8 with factors,
/// over src/gpus' measured or achievable bandwidth, of the GPU with the units that are named here.
HIPSIGHT_INLINE constexpr double multiply_adds_a_byte(Architecture architecture, int element_bytes,
                                                      int compute_units) {
  switch (architecture) {
    case Architecture::cdna2:
      return 58.0 / 104 * compute_units;
    case Architecture::cdna3:
      return (element_bytes == 1 ? 80.0 : 54.0) / 304 * compute_units;
    case Architecture::cdna4:
      return 114.0 / 256 * compute_units;
    case Architecture::rdna3:
      return 68.0 / 48 * compute_units;
    case Architecture::rdna4:
      return 117.0 / 32 * compute_units;
    default:
      return 100.0 / 108 * compute_units;
  }
}

HIPSIGHT_INLINE constexpr int waves(const Tiling& tiling) {
  return tiling.rows / tiling.wave_rows * (tiling.columns / tiling.wave_columns) *
         tiling.deep_waves;
}

HIPSIGHT_INLINE constexpr int threads(const Tiling& tiling, Architecture architecture) {
  return waves(tiling) * facts(architecture).wave;
}

}  // namespace hipsight::kernels
