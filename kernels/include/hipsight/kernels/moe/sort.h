// Tokens in the order of their experts, and their results together again.
#pragma once

#include "../unaligned.h"
#include "route.h"

namespace hipsight::kernels {

/// The workgroup of an expert goes over all choices, counts those of experts before its own, and
/// writes where its own ones go, in the order in which they come.
struct SortByExpert {
  const int* experts;  // of each choice: those of token 0, of token 1, ...
  int choices, chosen, count;
  int *starts, *rows, *places;

  static constexpr int waves = arch::current == Architecture::host ? 1 : 1024 / arch::wave_size;
  static constexpr int threads = waves * arch::wave_size;
  struct Shared {
    int before[waves], own[2][waves];
  };

  HIPSIGHT_INLINE void run(int workgroup, Shared& shared) const {
    const int mine = workgroup;
    int before = 0;
    for (int i = arch::thread(); i < choices; i += threads) {
      const int expert = experts[i];
      before += expert >= 0 && expert < mine;
      if (mine == 0 && (expert < 0 || expert >= count)) places[i] = -1;
    }
    before = over_lanes(before, Sum{});
    if (arch::lane() == 0) shared.before[arch::wave()] = before;
    arch::barrier();
    int next = 0;
    HIPSIGHT_UNROLL
    for (int wave = 0; wave < waves; wave++) next += shared.before[wave];
    if (arch::thread() == 0) starts[mine] = next;
    // All waves as often.
    for (int first = 0, turn = 0; first < choices; first += threads, turn ^= 1) {
      const int i = first + arch::thread();
      const int own = i < choices && experts[i] == mine ? 1 : 0;
      const Counts of_wave = counts({0, own});
      if (arch::lane() == 0) shared.own[turn][arch::wave()] = of_wave.all;
      arch::barrier();
      int place = next + of_wave.before;
      HIPSIGHT_UNROLL
      for (int wave = 0; wave < waves; wave++) {
        const int all = shared.own[turn][wave];
        if (wave < arch::wave()) place += all;
        next += all;
      }
      if (own) {
        rows[place] = i / chosen;
        places[i] = place;
      }
    }
    if (mine == count - 1 && arch::thread() == 0) starts[count] = next;
  }

 private:
  struct Sum {
    HIPSIGHT_INLINE int operator()(int a, int b) const { return a + b; }
  };
  struct Counts {
    int before, all;
  };
  /// Of lanes before this one, and of all.
  template <int distance = 1>
  HIPSIGHT_INLINE static Counts counts(Counts c) {
    if constexpr (distance < arch::wave_size) {
      const int others = arch::exchange<distance>(c.all);
      return counts<distance * 2>(
          Counts{c.before + ((arch::lane() & distance) != 0 ? others : 0), c.all + others});
    } else {
      return c;
    }
  }
};

/// out[token] = sum of weights(token, i) times the row that its choice i has; choices without one
/// count for nothing.
template <class Value>
struct CombineExperts {
  RowMajor<const Value> in;  // a row for each choice, in the order of experts
  const int* places;
  RowMajor<const float> weights;
  RowMajor<Value> out;

  static constexpr int threads = arch::current == Architecture::host ? 1 : 256;
  static constexpr int width = 8;

  /// A workgroup takes a token.
  HIPSIGHT_INLINE void run(int token) const {
    const int columns = out.columns;
    for (int column = arch::thread() * width; column < columns; column += threads * width) {
      float sum[width] = {};
      const bool whole = column + width <= columns;
      for (int i = 0; i < weights.columns; i++) {
        const int place = places[token * weights.columns + i];
        if (place < 0) continue;
        const float weight = weights.data[token * weights.stride + i];
        const Value* const from = in.data + place * in.stride + column;
        if (whole) {
          const auto values = read<width>(from);
          HIPSIGHT_UNROLL
          for (int k = 0; k < width; k++) sum[k] += weight * static_cast<float>(values[k]);
        } else {
          HIPSIGHT_UNROLL
          for (int k = 0; k < width; k++)
            if (column + k < columns) sum[k] += weight * static_cast<float>(from[k]);
        }
      }
      Value* const to = out.data + token * out.stride + column;
      HIPSIGHT_UNROLL
      for (int k = 0; k < width; k++)
        if (column + k < columns) to[k] = static_cast<Value>(sum[k]);
    }
  }
};

}  // namespace hipsight::kernels
