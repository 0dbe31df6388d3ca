// Weights into the codes of int4_gemm: quantised here, or from the layouts of AWQ and GPTQ.
#pragma once

#include <cmath>

#include "problem.h"

namespace hipsight::kernels {

/// Weights N x K in Value, as linear layers have them, in groups: each becomes the nearest of 16
/// steps from the group's least to its largest, of which 0 is one.
template <class Value>
struct Int4FromValues {
  using Of = Value;
  const Value* weights;
  std::int64_t stride;  // from a column of B to the next

  struct Group {
    const Value* first;
    Int4Factors<Value> factors;
    HIPSIGHT_INLINE std::uint32_t code(int i) const {
      const float steps = static_cast<float>(first[i]) / static_cast<float>(factors.scale) +
                          static_cast<float>(factors.zero);
      return static_cast<std::uint32_t>(fminf(fmaxf(rintf(steps), 0), 15));
    }
  };
  HIPSIGHT_INLINE Group group(int column, int depth, int count, int) const {
    const Value* const first = weights + column * stride + depth;
    float least = 0, largest = 0;
    for (int i = 0; i < count; i++) {
      const float value = static_cast<float>(first[i]);
      least = fminf(least, value), largest = fmaxf(largest, value);
    }
    const Value scale = narrow<Value>((largest - least) / 15);
    const float step = static_cast<float>(scale);
    if (!(step > 0)) return {first, {narrow<Value>(1), narrow<Value>(0)}};
    return {first, {scale, narrow<Value>(fminf(rintf(-least / step), 15))}};
  }
};

/// GPTQ: words of 8 codes along K, K / 8 x N; scales and words of 8 zeros along N, for each group.
/// `zero_less`: how much less than the zero is stored: 1 in GPTQ's first format, 0 in its second.
template <class Value>
struct Int4FromGptq {
  using Of = Value;
  const std::uint32_t *codes, *zeros;  // zeros: null: 8
  const Value* scales;
  int columns, zero_less;

  struct Group {
    const std::uint32_t* first;
    int columns;
    Int4Factors<Value> factors;
    HIPSIGHT_INLINE std::uint32_t code(int i) const {
      return first[static_cast<std::int64_t>(i / 8) * columns] >> 4 * (i % 8) & 15;
    }
  };
  HIPSIGHT_INLINE Group group(int column, int depth, int, int number) const {
    const std::int64_t row = number;
    const int zero =
        zeros ? static_cast<int>(zeros[row * (columns / 8) + column / 8] >> 4 * (column % 8) & 15) +
                    zero_less
              : 8;
    return {codes + static_cast<std::int64_t>(depth / 8) * columns + column,
            columns,
            {scales[row * columns + column], narrow<Value>(static_cast<float>(zero))}};
  }
};

/// AWQ: words of 8 codes along N, K x N / 8, and of zeros alike; in a word the columns 0, 2, 4, 6,
/// 1, 3, 5, 7 come one after the other.
template <class Value>
struct Int4FromAwq {
  using Of = Value;
  const std::uint32_t *codes, *zeros;
  const Value* scales;
  int columns;

  HIPSIGHT_INLINE static int place(int column) { return 4 * (column % 8 / 2 + column % 2 * 4); }
  struct Group {
    const std::uint32_t* first;
    int words, place;
    Int4Factors<Value> factors;
    HIPSIGHT_INLINE std::uint32_t code(int i) const {
      return first[static_cast<std::int64_t>(i) * words] >> place & 15;
    }
  };
  HIPSIGHT_INLINE Group group(int column, int depth, int, int number) const {
    const int words = columns / 8;
    const std::int64_t row = number;
    const std::uint32_t zero = zeros[row * words + column / 8] >> place(column) & 15;
    return {codes + static_cast<std::int64_t>(depth) * words + column / 8,
            words,
            place(column),
            {scales[row * columns + column], narrow<Value>(static_cast<float>(zero))}};
  }
};

/// Each work-item packs a group of a column.
template <class From>
struct Int4Pack {
  using Value = typename From::Of;
  static constexpr int threads = 256;

  From from;
  std::uint32_t* codes;
  Int4Factors<Value>* factors;
  int depth, columns, group;

  HIPSIGHT_INLINE int groups() const { return depth / group; }
  HIPSIGHT_INLINE int workgroups() const {
    const std::int64_t items = static_cast<std::int64_t>(groups()) * columns;
    return static_cast<int>((items + threads - 1) / threads);
  }
  HIPSIGHT_INLINE void run(int workgroup) const {
    constexpr int at_once = arch::current == Architecture::host ? 1 : threads;
    for (int thread = arch::thread(); thread < threads; thread += at_once)
      pack(static_cast<std::int64_t>(workgroup) * threads + thread);
  }

 private:
  HIPSIGHT_INLINE void pack(std::int64_t number) const {
    // Neighbours take neighbouring columns, as GPTQ and AWQ have them in memory.
    const int of_group = static_cast<int>(number / columns),
              column = static_cast<int>(number % columns);
    if (of_group >= groups()) return;
    const auto known = from.group(column, of_group * group, group, of_group);
    factors[int4_place(column, of_group, groups())] = known.factors;
    for (int i = 0; i < group; i += 8) {
      std::uint32_t word = 0;
      HIPSIGHT_UNROLL
      for (int k = 0; k < 8; k++) word |= known.code(i + k) << (4 * (k / 2) + 16 * (k % 2));
      const int k = of_group * group + i;
      codes[int4_place(column, k / int4_chunk, depth / int4_chunk) * 4 + k % int4_chunk / 8] = word;
    }
  }
};

template <class From>
std::string wrong_with(const Int4Pack<From>& pack) {
  Check check("int4_pack");
  check_int4(check, pack.depth, pack.columns, pack.group);
  if (!check.failed() && pack.depth > 0 && pack.columns > 0) {
    if constexpr (requires { pack.from.weights; })
      check.pointer("the weights", pack.from.weights);
    else
      check.pointer("the codes", pack.from.codes), check.pointer("the scales", pack.from.scales);
    if constexpr (std::is_same_v<From, Int4FromAwq<typename From::Of>>)
      check.pointer("the zeros", pack.from.zeros);
    check.pointer("the result's codes", pack.codes);
    check.pointer("the result's factors", pack.factors);
  }
  return check.error();
}

}  // namespace hipsight::kernels
