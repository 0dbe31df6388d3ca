// Softmax of rows that come piece by piece (M. Milakov and N. Gimelshein, "Online normalizer
// calculation for softmax", arXiv 1805.02867).
#pragma once

#include "../tile/rows.h"

namespace hipsight::kernels {

/// Of each row: the weights so far are 2^(factor * score - shift), and `sum` is what this lane has
/// of their sum. Scores may be -inf; a row of only those has the sum 0.
///
/// The largest weight of a row is from 2^lift, when the shift is set, to 2^(lift + slack): only
/// beyond does the shift follow, as results, divided by their sum, are as exact then (Dao et al.,
/// FlashAttention-4).
template <class Value, int Rows, int Columns>
class OnlineSoftmax {
 public:
  using Scores = Accumulator<Value, Rows, Columns, true>;
  using Weights = Chained<Value, Rows, Columns>;

  /// factor: from scores to powers of 2, positive.
  HIPSIGHT_INLINE explicit OnlineSoftmax(float factor) : factor_(factor) {
    HIPSIGHT_UNROLL
    for (int r = 0; r < rows; r++) shift_.row[r] = 0, limit_.row[r] = -infinity, sum_[r] = {0, 0};
  }

  /// Each row's sum is to have a weight more, of a sink: 2^log2_of(row), which no value has; -inf:
  /// none. Before any scores come.
  template <class Sinks>
  HIPSIGHT_INLINE void set_sinks(Sinks log2_of) {
    sunk_ = true;
    constexpr float least = -1e30f;  // not infinite: it is subtracted
    for_rows([&](int row, int r) { shift_.row[r] = fmaxf(log2_of(row) - lift, least); });
  }
  /// Adds the sinks to the rows' sums.
  template <class Sinks>
  HIPSIGHT_INLINE void add_sinks(RowVector<Scores>& sum, Sinks log2_of) const {
    for_rows(
        [&](int row, int r) { sum.row[r] += arch::exp2(log2_of(row) - (shift_.row[r] + of_cut)); });
  }

  /// The weights of scores. If a row's shift must change, rescales what is summed with the weights,
  /// a result.
  template <class Result>
  HIPSIGHT_INLINE Weights operator()(Scores& scores, Result& result) {
    RowVector<Scores> most;
    most.set(-infinity);
    scores.update([&](Place, int r, float score) {
      most.row[r] = fmaxf(most.row[r], score);
      return score;
    });
    bool beyond = false;
    HIPSIGHT_UNROLL
    for (int r = 0; r < rows; r++) beyond |= most.row[r] > limit_.row[r];
    if (arch::any(beyond)) rescale(most, result);
    return Weights(scores, [&](int r, Vector<float, 2> two) {
      two = arch::fma(two, factor_, -shift_.row[r]);
      return arch::weights<Value>(Vector<float, 2>{arch::exp2(two[0]), arch::exp2(two[1])},
                                  sum_[r]);
    });
  }

  /// Each row's sum, over all lanes.
  HIPSIGHT_INLINE RowVector<Scores> sum() const {
    RowVector<Scores> all;
    HIPSIGHT_UNROLL
    for (int r = 0; r < rows; r++) all.row[r] = sum_[r][0] + sum_[r][1];
    over_row(all, Plus{});
    return all;
  }
  /// The logarithm, to base 2, of row r's sum of 2^(factor * score), given its `sum`.
  HIPSIGHT_INLINE float log2_of(int r, float sum) const {
    return arch::log2(sum) + (shift_.row[r] + of_cut);
  }

 private:
  static constexpr int rows = Scores::rows_held;
  static constexpr float infinity = __builtin_huge_valf();
  /// log2(1 + cut_share): a sum of equal weights is then exact.
  static constexpr float of_cut = arch::cut_share<Value> * 1.442695f;
  /// f16 ends at 2^16; from the largest weight down to 2^-21 of it, all are normal then.
  static constexpr float slack = 8, lift = (std::is_same_v<Value, f16> ? 7 : 0) + of_cut;

  /// f(row, r) of each row that this lane holds something of.
  template <class Function>
  HIPSIGHT_INLINE static void for_rows(Function f) {
    int row_of[rows];
    Scores none;
    none.update([&](Place at, int r, float zero) {
      row_of[r] = at.row;
      return zero;
    });
    HIPSIGHT_UNROLL
    for (int r = 0; r < rows; r++) f(row_of[r], r);
  }

  template <class Result>
  HIPSIGHT_INLINE void rescale(RowVector<Scores>& most, Result& result) {
    over_row(most, Larger{});
    float by[rows];
    HIPSIGHT_UNROLL
    for (int r = 0; r < rows; r++) {
      const bool first = limit_.row[r] == -infinity, none = first && most.row[r] == -infinity;
      const float least = first && !sunk_ ? -infinity : shift_.row[r];
      const float now = fmaxf(most.row[r] * factor_ - lift, least);
      by[r] = first ? 0 : arch::exp2(shift_.row[r] - now);
      if (!none) shift_.row[r] = now, limit_.row[r] = (now + lift + slack) / factor_;
      sum_[r][0] *= by[r], sum_[r][1] *= by[r];
    }
    result.update([&](Place, int r, float value) { return value * by[r]; });
  }

  float factor_;
  bool sunk_ = false;
  RowVector<Scores> shift_, limit_;  // limit_: of scores, beyond which the shift must follow
  Vector<float, 2> sum_[rows];       // in two parts
};

}  // namespace hipsight::kernels
