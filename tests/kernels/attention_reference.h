// Attention of one query in float64, and how far off a kernel's results may be.
#pragma once

#include <cmath>
#include <limits>
#include <vector>

/// A weight is off by what its score is, and by its rounding:
/// - a product and a sum of a score by 2^-23 of the sum of magnitudes each (matrix instructions
///   may truncate); the score scaled, shifted and raised by 2^-22 of it;
/// - the weight by what its type cuts off, or, of f16, by what CDNA2 flushes to zero: 2^-21 of
///   the largest weight;
/// - the sums of weights and of values by 2^-23 a key; the result by its rounding.
class AttentionReference {
  static constexpr double infinity = std::numeric_limits<double>::infinity();

 public:
  /// Of a query of `head` elements, and values of `value_head`, among `keys` keys, of which it sees
  /// those that sees(key) says: q(i), k(key, i) and v(key, i) give their elements. The scores count
  /// `scale` times; 0: as the library has it. Capped, unless the cap is 0, they are cap tanh(score
  /// / cap). A sink is a score without a value.
  template <class Sees, class Query, class Key, class Value>
  AttentionReference(int head, int value_head, int keys, double scale, Sees sees, Query q, Key k,
                     Value v, double cap = 0, double sink = -infinity)
      : keys_(keys), sum_(value_head), magnitude_(value_head), most_(sink) {
    if (scale == 0) scale = 1 / std::sqrt(head);
    std::vector<double> weight(keys);
    double reach = 0;
    for (int key = 0; key < keys; key++) {
      if (!sees(key)) continue;
      double score = 0, products = 0;
      for (int i = 0; i < head; i++) {
        const double product = q(i) * k(key, i);
        score += product;
        products += std::fabs(product);
      }
      weight[key] = cap > 0 ? cap * std::tanh(score * scale / cap) : score * scale;
      most_ = weight[key] > most_ || std::isnan(weight[key]) ? weight[key] : most_;
      reach = std::fmax(reach, products * scale);
    }
    if (sink > -infinity) total_ = std::exp(sink - most_);
    for (int key = 0; key < keys; key++) {
      if (!sees(key) || most_ == -infinity) continue;
      const double w = std::exp(weight[key] - most_);
      total_ += w;
      for (int i = 0; i < value_head; i++) {
        const double value = v(key, i);
        sum_[i] += w * value;
        magnitude_[i] += w * std::fabs(value);
        largest_ = std::fmax(largest_, std::fabs(value));
      }
    }
    of_score_ = (head + 8) * 2 * reach * 0x1p-23 + cap * 0x1p-20;
  }

  double result(int i) const { return total_ == 0 ? 0 : sum_[i] / total_; }

  /// Of result i, of a type that rounds by `rounding`, after so many sums more than one for each
  /// key.
  double tolerance(int i, double rounding, int more_sums = 0) const {
    if (total_ == 0) return 0;
    const double of_weights = 2 * rounding + of_score_ * 2 + (2 * keys_ + more_sums) * 0x1p-23;
    return of_weights * magnitude_[i] / total_ + keys_ * 0x1p-21 * largest_ / total_ +
           rounding * std::fabs(result(i));
  }

  /// The logarithm of the sum of the weights, and what it may be off by.
  double log_sum() const { return total_ == 0 ? -infinity : most_ + std::log(total_); }
  double log_sum_tolerance() const {
    return of_score_ + (keys_ + 16) * 0x1p-23 + 0x1p-22 * std::fabs(log_sum());
  }

 private:
  int keys_;
  std::vector<double> sum_, magnitude_;
  double most_, total_ = 0, largest_ = 0, of_score_ = 0;
};
