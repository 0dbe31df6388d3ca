// The results of all splits as one.
#pragma once

#include "../unaligned.h"
#include "../wave.h"
#include "arguments.h"

namespace hipsight::kernels {

/// A workgroup is one wave, and takes one head of one query: the mean of the splits' results, each
/// weighted by its sum.
template <class T, int head>
struct CombineWorkgroup {
  using Arguments = PagedResults<T, head>;
  static constexpr int threads = arch::wave_size;

  HIPSIGHT_INLINE static void run(const Arguments& all, int workgroup) {
    const int heads = all.o.heads, queries = all.o.length;
    const int h = workgroup % heads, query = workgroup / heads % queries,
              batch = workgroup / heads / queries;
    const auto at = [&](const auto& of) {
      return of.data + batch * of.batch_stride + query * of.stride + h * of.head_stride;
    };
    const float* const log_sums = at(all.log_sums_of(0));
    const float* const results = at(all.of_split(0));
    const float shift = shift_of(log_sums, all.splits);

    Mean mean;
    for (int first = 0; first < all.splits; first += at_once)
      mean.add(results, log_sums, shift, first, all.splits);
    mean.store(at(all.o));
  }

 private:
  static constexpr int width = 2,
                       at_once = 8;  // values of a lane, splits whose loads are under way
  static constexpr int turns = ceil_div(head, width* threads);

  /// The largest logarithm; 0 if no split has seen a key.
  HIPSIGHT_INLINE static float shift_of(const float* log_sums, int splits) {
    constexpr float none = -__builtin_huge_valf();
    float most = none;
    for (int i = arch::thread(); i < splits; i += threads) most = fmaxf(most, log_sums[i]);
    most = over_lanes(most, Larger{});
    return most == none ? 0 : most;
  }

  struct Mean {
    Vector<float, width> sum[turns] = {};
    float weights = 0;

    HIPSIGHT_INLINE void add(const float* results, const float* log_sums, float shift, int first,
                             int splits) {
      Vector<float, width> values[at_once][turns];
      float weight[at_once];
      HIPSIGHT_UNROLL
      for (int i = 0; i < at_once; i++) {
        const int split = first + i < splits ? first + i : splits - 1;
        weight[i] = first + i < splits ? arch::exp2(log_sums[split] - shift) : 0;
        for_columns([&](int turn, int column) {
          values[i][turn] = read<width>(results + split * head + column);
        });
      }
      HIPSIGHT_UNROLL
      for (int i = 0; i < at_once; i++) {
        weights += weight[i];
        for_columns([&](int turn, int) {
          sum[turn][0] += weight[i] * values[i][turn][0];
          sum[turn][1] += weight[i] * values[i][turn][1];
        });
      }
    }

    HIPSIGHT_INLINE void store(T* to) const {
      const float inverse = weights == 0 ? 0 : 1 / weights;
      for_columns([&](int turn, int column) {
        write<width>(to + column, Vector<T, width>{static_cast<T>(sum[turn][0] * inverse),
                                                   static_cast<T>(sum[turn][1] * inverse)});
      });
    }

   private:
    template <class F>
    HIPSIGHT_INLINE static void for_columns(F f) {
      HIPSIGHT_UNROLL
      for (int turn = 0; turn < turns; turn++) {
        const int column = (turn * threads + arch::thread()) * width;
        if (head % (width * threads) != 0 && column >= head) break;
        f(turn, column);
      }
    }
  };
};

}  // namespace hipsight::kernels
