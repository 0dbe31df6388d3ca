// Keys and values of attention as tiles in shared memory.
#pragma once

#include "../tile/copy.h"
#include "tilings.h"

namespace hipsight::kernels {

/// Tiles of `tiling.keys` keys and of their values, which are transposed. Keys are `head` long,
/// values `value_head`.
template <class Value, int head, AttentionTiling tiling, int value_head = head>
struct AttentionTiles {
  using Step = arch::MatrixStep<Value>;
  static constexpr int threads = tiling.waves * arch::wave_size, keys = tiling.keys;
  static constexpr int bank_bytes = facts(arch::current).bank_bytes;

  /// Keys lie in panels that are as deep as a power of two: deeper ones if else some threads would
  /// have none of their chunks to copy, and the others more.
  static constexpr int panel = [] {
    int depth = head % 64 == 0 ? 64 : 32;
    while (head % (2 * depth) == 0 && keys * depth / chunk_size<Value> < threads) depth *= 2;
    return depth;
  }();
  static constexpr int panels = head / panel;
  using KeyPanel =
      SharedTile<Value, keys, panel,
                 swizzle_for<Value>(Step::layout.chained_b, panel * sizeof(Value), bank_bytes)>;
  using ValueTile =
      SharedTile<Value, value_head, keys,
                 swizzle_for<Value>(Step::layout.b, keys * sizeof(Value), bank_bytes)>;

  KeyPanel k[tiling.buffers][panels];
  ValueTile v[tiling.buffers];
};

/// Copies them from places as rows of memory, of elements of type From.
template <class Value, int head, AttentionTiling tiling, class From = Value, int value_head = head>
class AttentionCopy {
  using Tiles = AttentionTiles<Value, head, tiling, value_head>;
  using KeyPanel = typename Tiles::KeyPanel;
  using ValueTile = typename Tiles::ValueTile;
  static constexpr int threads = Tiles::threads, panel = Tiles::panel, panels = Tiles::panels;

 public:
  /// Past the registers.
  static constexpr bool direct =
      std::is_same_v<Value, From> && tiling.saved.direct && DirectCopy<KeyPanel, threads>::possible;
  static_assert(!direct || tiling.buffers > 1,
                "attention: what is asked for needs a buffer at once");

  using CopyK = std::conditional_t<direct, DirectCopy<KeyPanel, threads>,
                                   Copy<KeyPanel, true, threads, false, From>>;
  using CopyV = Copy<ValueTile, false, threads, false, From>;

  static constexpr int requests_of_keys = panels * CopyK::requests,
                       requests = requests_of_keys + CopyV::requests;

  /// Asks for a tile; the one asked for before must be finished. Direct copies need its buffer at
  /// once, others when they finish.
  template <class Source>
  HIPSIGHT_INLINE void start_keys(const Source& k, KeyPanel (&to)[panels]) {
    if constexpr (many) {
      unroll<panels>([&](auto p) { k_[p].start(k.from(0, p * panel), to[p]); });
    } else {
      HIPSIGHT_UNROLL
      for (int p = 0; p < panels; p++) k_[p].start(k.from(0, p * panel), to[p]);
    }
  }
  template <class Source>
  HIPSIGHT_INLINE void start_values(const Source& v, ValueTile& to) {
    v_.start(v, to);
  }

  /// Writes it when it is there; a barrier must follow.
  HIPSIGHT_INLINE void finish_keys(KeyPanel (&to)[panels]) const {
    if constexpr (many) {
      unroll<panels>([&](auto p) { k_[p].finish(to[p]); });
    } else {
      HIPSIGHT_UNROLL
      for (int p = 0; p < panels; p++) k_[p].finish(to[p]);
    }
  }
  HIPSIGHT_INLINE void finish_values(ValueTile& to) const { v_.finish(to); }

  /// Any tile, without work between.
  template <class Source>
  HIPSIGHT_INLINE static void keys_now(const Source& k, KeyPanel (&to)[panels]) {
    for (int p = 0; p < panels; p++) CopyK::now(k.from(0, p * panel), to[p]);
  }
  template <class Source>
  HIPSIGHT_INLINE static void values_now(const Source& v, ValueTile& to) {
    CopyV::now(v, to);
  }

 private:
  /// Loops over more the compiler unrolls too late to keep what they index in registers.
  static constexpr bool many = panels > 8;

  CopyK k_[panels];
  CopyV v_;
};

}  // namespace hipsight::kernels
