// What becomes of scores before their softmax, and what has a share of it beside them. Kernels are
// compiled for what a call asks for.
#pragma once

#include "../arch/current.h"

namespace hipsight::kernels {

/// The scores, scaled, become cap tanh(score / cap), as Gemma 2 has them.
struct SoftCap {
  float cap;
};

/// A number for each head of Q, in the memory of the device: a score that has its share of the
/// weights of each query, and no value ("attention sinks", as gpt-oss has them). -inf: none.
struct Sinks {
  const float* data;
};

template <bool used>
struct Capping {
  HIPSIGHT_INLINE Capping times(float) const { return {}; }
  template <class Scores>
  HIPSIGHT_INLINE void operator()(Scores&) const {}
};
/// Scores become `outward` tanh(`inward` score / (2 log2(e))), which is less than `outward`. An
/// infinite score gives the limit; one that is no number stays so.
template <>
struct Capping<true> {
  float inward, outward;

  /// Of scores that are later taken `factor` times.
  HIPSIGHT_INLINE Capping times(float factor) const { return {inward * factor, outward / factor}; }
  template <class Scores>
  HIPSIGHT_INLINE void operator()(Scores& scores) const {
    scores.update([&](auto, int, float score) {
      arch::keep_order();  // else all of them are under way, in registers that are not there
      // tanh(x) = 1 - 2 / (1 + exp(2 x))
      return outward - 2 * outward * arch::reciprocal(1 + arch::exp2(inward * score));
    });
  }
};

template <bool used>
struct Sinking {
  HIPSIGHT_INLINE float of(int) const { return 0; }
};
template <>
struct Sinking<true> {
  const float* data;

  /// As a power of 2.
  HIPSIGHT_INLINE float of(int head) const {
    constexpr float log2_e = 1.44269504f;
    return data[head] * log2_e;
  }
};

template <bool capped, bool sunk>
struct ScoreChange {
  static constexpr bool has_sinks = sunk;
  [[no_unique_address]] Capping<capped> cap = {};
  [[no_unique_address]] Sinking<sunk> sinks = {};
};
using PlainScores = ScoreChange<false, false>;

/// What a call asks for: any of the above, each once.
struct ScoreOptions {
  float cap = 1;
  const float* sinks = nullptr;

  void set(const SoftCap& given) { cap = given.cap; }
  void set(const Sinks& given) { sinks = given.data; }
};

}  // namespace hipsight::kernels
