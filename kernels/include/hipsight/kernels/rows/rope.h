// Rotary position embedding (J. Su et al., arXiv 2104.09864).
#pragma once

#include "../matrix.h"
#include "../unaligned.h"
#include "check.h"

namespace hipsight::kernels {

/// Vectors of `size` values, one for each head of each token. Strides count elements.
template <class Value>
struct Heads {
  Value* data = nullptr;
  int tokens = 0, heads = 0, size = 0;
  std::int64_t token_stride = 0, head_stride = 0;

  template <class Read>
    requires std::is_same_v<Read, const Value>
  HIPSIGHT_INLINE constexpr operator Heads<Read>() const {
    return {data, tokens, heads, size, token_stride, head_stride};
  }
};

/// The input of an operation whose output has T.
template <class Value>
using ReadHeads = Heads<const std::type_identity_t<Value>>;

/// Which values make a pair: i and i + pairs (as Llama has them in its public weights), or 2 i and
/// 2 i + 1.
enum class Pairing { halves, neighbours };

/// (x, y) becomes (x cos - y sin, x sin + y cos), with row positions[token] of the tables (without
/// positions: row `token`), column by pair. Values beyond twice the tables' columns are copied.
/// Output and input may be the same memory.
template <Pairing pairing, class Value>
struct Rope {
  Heads<const Value> in;
  Heads<Value> out;
  RowMajor<const float> cosine, sine;
  const int* positions;

  static constexpr int n = 8;  // pairs of an item, which lie side by side

  /// Of a head, first the items that rotate, then those that copy.
  HIPSIGHT_INLINE int rotating() const { return ceil_div(cosine.columns, n); }
  HIPSIGHT_INLINE int items_of_head() const {
    return rotating() + ceil_div(in.size - 2 * cosine.columns, 2 * n);
  }
  HIPSIGHT_INLINE std::int64_t items() const {
    return static_cast<std::int64_t>(in.tokens) * in.heads * items_of_head();
  }

  HIPSIGHT_INLINE void run(int item) const {
    if (item >= items()) return;
    const int part = item % items_of_head(), all_heads = item / items_of_head();
    const int head = all_heads % in.heads, token = all_heads / in.heads;
    const Value* const from = in.data + token * in.token_stride + head * in.head_stride;
    Value* const to = out.data + token * out.token_stride + head * out.head_stride;
    const int pairs = cosine.columns, first = part * n;
    const std::int64_t position = positions ? positions[token] : token;
    const float* const c = cosine.data + position * cosine.stride + first;
    const float* const s = sine.data + position * sine.stride + first;
    if (first + n <= pairs) {
      rotate_all(from, to, first, c, s);
    } else if (first < pairs) {
      for (int i = 0; first + i < pairs; i++) {
        const int x = halves ? first + i : 2 * (first + i), y = halves ? x + pairs : x + 1;
        const Pair turned = turn(from[x], from[y], c[i], s[i]);
        to[x] = turned.x, to[y] = turned.y;
      }
    } else {
      const int copied = 2 * pairs + (part - rotating()) * 2 * n;
      for (int i = copied; i < in.size && i < copied + 2 * n; i++) to[i] = from[i];
    }
  }

 private:
  static constexpr bool halves = pairing == Pairing::halves;
  struct Pair {
    Value x, y;
  };

  HIPSIGHT_INLINE static Pair turn(Value x, Value y, float c, float s) {
    const auto a = static_cast<float>(x), b = static_cast<float>(y);
    return {static_cast<Value>(a * c - b * s), static_cast<Value>(a * s + b * c)};
  }

  /// Pairs first to first + n: n values in two places, or 2 n in one.
  HIPSIGHT_INLINE void rotate_all(const Value* from, Value* to, int first, const float* cosines,
                                  const float* sines) const {
    const int low_at = halves ? first : 2 * first, high_at = low_at + (halves ? cosine.columns : n);
    auto low = read<n>(from + low_at), high = read<n>(from + high_at);
    const auto c = read<n>(cosines), s = read<n>(sines);
    HIPSIGHT_UNROLL
    for (int i = 0; i < n; i++) {
      if constexpr (halves) {
        const Pair turned = turn(low[i], high[i], c[i], s[i]);
        low[i] = turned.x, high[i] = turned.y;
      } else {
        auto& values = i < n / 2 ? low : high;
        const int x = 2 * (i % (n / 2));
        const Pair turned = turn(values[x], values[x + 1], c[i], s[i]);
        values[x] = turned.x, values[x + 1] = turned.y;
      }
    }
    write<n, Value>(to + low_at, low), write<n, Value>(to + high_at, high);
  }
};

}  // namespace hipsight::kernels
