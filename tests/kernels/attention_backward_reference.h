// The gradients of attention in float64, and how far off a kernel's may be.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

/// A number, and what a kernel's may be off by, before it is rounded to its type.
struct Bounded {
  double value = 0, tolerance = 0;
};

/// Of one head of queries, `keys` keys and `head` elements a vector. Of the weights P, the gradient
/// of the scores is dS = P (dP - D), D = sum of P dP over the keys. With u, what a type's rounding
/// is off by:
/// - a score is off by 2^-22 of its magnitudes for each of its products and sums (matrix
///   instructions may truncate), and so, relatively, is P; and by u where it is an operand;
/// - dP is, by its own magnitudes; D comes of the given O, which is rounded, and so is off by u of
///   the magnitudes of its products;
/// - dS is rounded to an operand, too, and less than `least` may be lost of it.
class AttentionGradientsReference {
 public:
  struct Rounding {
    double unit, least;
  };

  std::vector<double> o;          // queries x head
  std::vector<double> sums;       // log(sum of exp(scale score)) of each query
  std::vector<Bounded> d_q;       // queries x head
  std::vector<Bounded> d_k, d_v;  // keys x head: what these queries add

  /// q_of(query, i), k_of(key, i), v_of(key, i) and d_o_of(query, i) give the elements; sees(query,
  /// key) says which key a query sees.
  template <class Sees, class Query, class Key, class Value, class Gradient>
  AttentionGradientsReference(int head, int queries, int keys, double scale, Rounding rounding,
                              Sees sees, Query q_of, Key k_of, Value v_of, Gradient d_o_of)
      : o(queries * head),
        sums(queries, -std::numeric_limits<double>::infinity()),
        d_q(queries * head),
        d_k(keys * head),
        d_v(keys * head) {
    if (scale == 0) scale = 1 / std::sqrt(head);
    const std::vector<double> q = all_of(queries, head, q_of), d_o = all_of(queries, head, d_o_of),
                              k = all_of(keys, head, k_of), v = all_of(keys, head, v_of);
    const double u = rounding.unit, of_sum = (head + 8) * 0x1p-22;
    std::vector<double> p(keys), d_p(keys), of_score(keys), of_d_p(keys);
    for (int i = 0; i < queries; i++) {
      double most = -std::numeric_limits<double>::infinity(), total = 0;
      for (int j = 0; j < keys; j++) {
        p[j] = d_p[j] = 0;
        if (!sees(i, j)) continue;
        double score = 0, magnitude = 0, d_magnitude = 0;
        for (int e = 0; e < head; e++) {
          score += q[i * head + e] * k[j * head + e],
              magnitude += std::fabs(q[i * head + e] * k[j * head + e]);
          d_p[j] += d_o[i * head + e] * v[j * head + e],
              d_magnitude += std::fabs(d_o[i * head + e] * v[j * head + e]);
        }
        p[j] = score * scale, of_score[j] = of_sum * (magnitude * scale + 1);
        of_d_p[j] = of_sum * d_magnitude;
        most = std::fmax(most, p[j]);
      }
      double reach = 0;  // of the query's sum, and so of all its weights
      for (int j = 0; j < keys; j++) {
        if (!sees(i, j)) continue;
        total += p[j] = std::exp(p[j] - most);
        reach = std::fmax(reach, of_score[j]);
      }
      if (total == 0) continue;
      sums[i] = most + std::log(total);
      double d = 0, of_d = 0;
      for (int j = 0; j < keys; j++) {
        p[j] /= total;
        d += p[j] * d_p[j];
        for (int e = 0; e < head; e++) o[i * head + e] += p[j] * v[j * head + e];
      }
      for (int e = 0; e < head; e++)
        of_d += (u + of_sum) * std::fabs(d_o[i * head + e] * o[i * head + e]);
      for (int j = 0; j < keys; j++) {
        if (!sees(i, j)) continue;
        const double of_weight = 2 * (of_score[j] + reach) + std::fabs(sums[i]) * 0x1p-22 + 0x1p-20;
        const double d_s = p[j] * (d_p[j] - d);
        const double of_d_s = p[j] * (of_d_p[j] + of_d) + std::fabs(d_s) * (of_weight + 1.1 * u) +
                              p[j] * std::fabs(d) * 0x1p-22 + rounding.least;
        for (int e = 0; e < head; e++) {
          add(d_v[j * head + e], p[j] * d_o[i * head + e],
              (p[j] * (of_weight + 1.1 * u + (queries + 8) * 0x1p-23) + 0x1p-29) *
                  std::fabs(d_o[i * head + e]));
          const double sums_of_q = std::fabs(d_s) * (keys + 8) * 0x1p-23,
                       sums_of_k = std::fabs(d_s) * (queries + 8) * 0x1p-23;
          add(d_q[i * head + e], scale * d_s * k[j * head + e],
              scale * (of_d_s + sums_of_q) * std::fabs(k[j * head + e]));
          add(d_k[j * head + e], scale * d_s * q[i * head + e],
              scale * (of_d_s + sums_of_k) * std::fabs(q[i * head + e]));
        }
      }
    }
  }

 private:
  /// Each is taken many times, and may take long to convert.
  template <class Elements>
  static std::vector<double> all_of(int vectors, int head, Elements element) {
    std::vector<double> all;
    for (int i = 0; i < vectors; i++)
      for (int e = 0; e < head; e++) all.push_back(element(i, e));
    return all;
  }
  static void add(Bounded& to, double value, double tolerance) {
    to.value += value, to.tolerance += tolerance;
  }
};
