// What attention to keys side by side and to a paged cache have in common: what callers say of
// them, and what is wrong with it, in a sentence.
#pragma once

#include <cmath>
#include <string>

#include "band.h"
#include "sequences.h"

namespace hipsight::kernels {

/// A score times this is a power of 2.
inline double factor_of_scores(float scale, int head) {
  constexpr double log2_e = 1.4426950408889634;
  return log2_e * (scale == 0 ? 1 / std::sqrt(head) : scale);
}

template <class T, int head>
std::string size_of(const Sequences<T, head>& heads) {
  return std::to_string(heads.length) + " places of " + std::to_string(heads.heads) + " heads";
}

/// Of a factor that must be a number above 0, or empty.
inline std::string error_of_scale(const std::string& name, float scale) {
  if (scale > 0 && std::isfinite(scale)) return {};
  return name + ", " + std::to_string(scale) + ", must be positive and finite";
}

/// Of sizes that are not negative; `name` is what the sentence begins with.
template <class T, int head, class Options>
std::string error_of_queries(const std::string& name, const Sequences<const T, head>& q,
                             const Sequences<T, head>& o, int key_heads, const Options& options) {
  if (q.length != o.length || q.heads != o.heads)
    return name + "Q has " + size_of(q) + " and O has " + size_of(o) + ": they must be the same";
  if (q.heads && (key_heads == 0 || q.heads % key_heads))
    return name + std::to_string(q.heads) + " heads of queries cannot share " +
           std::to_string(key_heads) + " heads of keys";
  if (options.batches < 0)
    return name + "there are " + std::to_string(options.batches) + " batches";
  if (options.band.before < 0 || options.band.after < 0)
    return name +
           "the band must reach from 0 or more keys before a query's place to 0 or more after it";
  return options.scale == 0 ? "" : error_of_scale(name + "the scale of scores", options.scale);
}

}  // namespace hipsight::kernels
