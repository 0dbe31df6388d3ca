// The results of all splits as one.
#pragma once

#include "../unaligned.h"
#include "arguments.h"

namespace hipsight::kernels {

/// A workgroup is one wave, and takes one head of one query, or some columns of its: the mean of
/// the splits' results, each weighted by its sum.
template <class Value, int head>
struct CombineWorkgroup {
  using Arguments = PagedResults<Value, head>;
  static constexpr int threads = arch::wave_size;
  /// Workgroups of a row. Long rows are shared, so that enough splits are read at once.
  static constexpr int parts = head > 256 ? head / 256 : 1;

  HIPSIGHT_INLINE static void run(const Arguments& all, int workgroup) {
    const int heads = all.o.heads, queries = all.o.length;
    const int row = parts == 1 ? workgroup : workgroup / parts;
    const int begin = parts == 1 ? 0 : workgroup % parts * columns;
    const int h = row % heads, query = row / heads % queries;
    const int batch = row / heads / queries;
    const auto at = [&](const auto& of) {
      return of.data + batch * of.batch_stride + query * of.stride + h * of.head_stride;
    };
    const float* const log_sums = at(all.log_sums_of(0));
    const float* const results = at(all.of_split(0)) + begin;
    Mean mean;
    for (int first = 0; first < all.splits; first += at_once)
      mean.add(results, log_sums, first, all.splits);
    mean.store(at(all.o) + begin);
  }

 private:
  static constexpr int width = 2;  // values of a lane
  static constexpr int columns = head / parts;
  static_assert(columns * parts == head);
  static constexpr int turns = ceil_div(columns, width* threads);
  static constexpr int at_once = turns > 8 ? 1 : 16 / turns;  // splits whose loads are under way

  struct Mean {
    Vector<float, width> sum[turns] = {};
    float weights = 0, shift = -__builtin_huge_valf();

    HIPSIGHT_INLINE void add(const float* results, const float* log_sums, int first, int splits) {
      Vector<float, width> values[at_once][turns];
      float log_sum[at_once], most = shift;
      HIPSIGHT_UNROLL
      for (int i = 0; i < at_once; i++) {
        const int split = first + i < splits ? first + i : splits - 1;
        log_sum[i] = log_sums[split];
        for_columns([&](int turn, int column) {
          values[i][turn] = read<width>(results + split * head + column);
        });
      }
      HIPSIGHT_UNROLL
      for (int i = 0; i < at_once; i++) most = fmaxf(most, log_sum[i]);
      const float from = most == -__builtin_huge_valf() ? 0 : most;  // if none has seen a key
      scale(arch::exp2(shift - from));
      shift = most;
      HIPSIGHT_UNROLL
      for (int i = 0; i < at_once; i++) {
        const float weight = first + i < splits ? arch::exp2(log_sum[i] - from) : 0;
        weights += weight;
        for_columns([&](int turn, int) {
          sum[turn][0] += weight * values[i][turn][0];
          sum[turn][1] += weight * values[i][turn][1];
        });
      }
    }

    HIPSIGHT_INLINE void store(Value* to) const {
      const float inverse = weights == 0 ? 0 : 1 / weights;
      for_columns([&](int turn, int column) {
        write<width>(to + column, Vector<Value, width>{static_cast<Value>(sum[turn][0] * inverse),
                                                       static_cast<Value>(sum[turn][1] * inverse)});
      });
    }

   private:
    HIPSIGHT_INLINE void scale(float factor) {
      weights *= factor;
      HIPSIGHT_UNROLL
      for (int turn = 0; turn < turns; turn++) sum[turn][0] *= factor, sum[turn][1] *= factor;
    }

    template <class Function>
    HIPSIGHT_INLINE static void for_columns(Function f) {
      HIPSIGHT_UNROLL
      for (int turn = 0; turn < turns; turn++) {
        const int column = (turn * threads + arch::thread()) * width;
        if (columns % (width * threads) != 0 && column >= columns) break;
        f(turn, column);
      }
    }
  };
};

}  // namespace hipsight::kernels
