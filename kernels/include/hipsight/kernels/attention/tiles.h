// Keys and values of attention as tiles in shared memory.
#pragma once

#include "../tile/copy.h"
#include "tilings.h"

namespace hipsight::kernels {

/// Tiles of `tiling.keys` keys and of their values, which are transposed.
template <class T, int head, AttentionTiling tiling>
struct AttentionTiles {
  using Step = arch::MatrixStep<T>;
  static constexpr int threads = tiling.waves * arch::wave_size, keys = tiling.keys;
  static constexpr int bank_bytes = facts(arch::current).bank_bytes;

  /// Keys lie in panels that are as deep as a power of two.
  static constexpr int panel = head % 64 == 0 ? 64 : 32, panels = head / panel;
  using KeyPanel =
      SharedTile<T, keys, panel,
                 swizzle_for<T>(Step::layout.chained_b, panel * sizeof(T), bank_bytes)>;
  using ValueTile =
      SharedTile<T, head, keys, swizzle_for<T>(Step::layout.b, keys * sizeof(T), bank_bytes)>;

  KeyPanel k[tiling.buffers][panels];
  ValueTile v[tiling.buffers];
};

/// Copies them from places as rows of memory, of elements of type From.
template <class T, int head, AttentionTiling tiling, class From = T>
class AttentionCopy {
  using Tiles = AttentionTiles<T, head, tiling>;
  using KeyPanel = typename Tiles::KeyPanel;
  static constexpr int threads = Tiles::threads, panel = Tiles::panel, panels = Tiles::panels;

 public:
  /// Past the registers.
  static constexpr bool direct =
      std::is_same_v<T, From> && tiling.buffers > 1 && DirectCopy<KeyPanel, threads>::possible;

  /// Asks for a tile; the one asked for before must be finished. Direct copies need its buffer at
  /// once, others when they finish.
  template <class Source>
  HIPSIGHT_INLINE void start(const Source& k, const Source& v, Tiles& to, int buffer) {
    HIPSIGHT_UNROLL
    for (int p = 0; p < panels; p++) k_[p].start(k.from(0, p * panel), to.k[buffer][p]);
    v_.start(v, to.v[buffer]);
  }

  /// Writes it when it is there; a barrier must follow.
  HIPSIGHT_INLINE void finish(Tiles& to, int buffer) const {
    HIPSIGHT_UNROLL
    for (int p = 0; p < panels; p++) k_[p].finish(to.k[buffer][p]);
    v_.finish(to.v[buffer]);
  }

  /// Any tile, without work between.
  template <class Source>
  HIPSIGHT_INLINE static void now(const Source& k, const Source& v, Tiles& to, int buffer) {
    for (int p = 0; p < panels; p++) CopyK::now(k.from(0, p * panel), to.k[buffer][p]);
    CopyV::now(v, to.v[buffer]);
  }

 private:
  using CopyK = std::conditional_t<direct, DirectCopy<KeyPanel, threads>,
                                   Copy<KeyPanel, true, threads, false, From>>;
  using CopyV = Copy<typename Tiles::ValueTile, false, threads, false, From>;

  CopyK k_[panels];
  CopyV v_;
};

/// Tiles `first` to `end`: while the waves work on one, the next one is on its way.
template <int buffers, class Source, class Work>
HIPSIGHT_INLINE void through_tiles(Source& tiles, int first, int end, Work work) {
  tiles.start(first);
  tiles.finish(first);
  arch::barrier();
  for (int t = first; t < end; t++) {
    if (t + 1 < end) tiles.start(t + 1);
    work(t);
    if (buffers == 1) arch::barrier();
    if (t + 1 < end) tiles.finish(t + 1);
    arch::barrier();
  }
}

}  // namespace hipsight::kernels
