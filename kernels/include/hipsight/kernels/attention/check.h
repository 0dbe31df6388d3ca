// What attention to keys side by side and to a paged cache have in common: what callers say of
// them, and what is wrong with it, in a sentence.
#pragma once

#include <cmath>
#include <string>
#include <type_traits>

#include "../check.h"
#include "band.h"
#include "scores.h"
#include "sequences.h"

namespace hipsight::kernels {

/// A score times this is a power of 2.
inline double factor_of_scores(float scale, int head) {
  constexpr double log2_e = 1.4426950408889634;
  return log2_e * (scale == 0 ? 1 / std::sqrt(head) : scale);
}

template <class One, class... All>
inline constexpr bool is_among = (std::is_same_v<One, All> || ...);

/// `factor`: by which scores become powers of 2.
template <class... Asked>
auto change_of(const ScoreOptions& options, double factor) {
  static_assert(((std::is_same_v<Asked, SoftCap> || std::is_same_v<Asked, Sinks>) && ...),
                "attention: beside its options it takes SoftCap and Sinks");
  constexpr bool capped = is_among<SoftCap, Asked...>, sunk = is_among<Sinks, Asked...>;
  constexpr double log2_e = 1.4426950408889634;
  ScoreChange<capped, sunk> change;
  if constexpr (capped)
    change.cap = {static_cast<float>(2 * factor / options.cap),
                  static_cast<float>(options.cap * log2_e / factor)};
  if constexpr (sunk) change.sinks = {options.sinks};
  return change;
}
template <class... Asked>
ScoreOptions score_options(const Asked&... asked) {
  ScoreOptions options;
  (options.set(asked), ...);
  return options;
}

/// Of a change that is asked for.
template <class Change>
void check_change(Check& check, const ScoreOptions& options) {
  check.scale("the cap", options.cap);
  if (Change::has_sinks) check.pointer("the sinks", options.sinks);
}

/// Places and heads of sequences, and where they lie.
struct SequencesShape {
  int length, heads;
  std::int64_t stride, head_stride, batch_stride;

  bool operator==(const SequencesShape& other) const {
    return length == other.length && heads == other.heads;
  }
  bool is_negative() const { return length < 0 || heads < 0; }
};
template <class Value, int head>
SequencesShape shape_of(const Sequences<Value, head>& of) {
  return {of.length, of.heads, of.stride, of.head_stride, of.batch_stride};
}

/// Of sequences that are written. With starts, those of a batch lie where these say.
inline void check_results(Check& check, const char* name, const SequencesShape& of, int head,
                          int batches, Starts starts = nullptr) {
  check_overlap(check, name, head,
                {{"place", of.length, of.stride},
                 {"head", of.heads, of.head_stride},
                 {"sequence", starts && batches > 1 ? 1 : batches, of.batch_stride}});
}

/// Of what attention to keys side by side and to a paged cache have in common. `factor`: from
/// scores to powers of 2.
HIPSIGHT_APART inline void check_queries(Check& check, const SequencesShape& q,
                                         const SequencesShape& o, int key_heads, int batches,
                                         const Band& band, double factor, float scale) {
  if (!(q == o))
    check.fail("Q has ", q.length, " places of ", q.heads, " heads and O has ", o.length,
               " places of ", o.heads, " heads: they must be the same");
  if (q.heads && (key_heads == 0 || q.heads % key_heads))
    check.fail(q.heads, " heads of queries cannot share ", key_heads, " heads of keys");
  if (batches < 0) check.fail("there are ", batches, " batches");
  if (band.before < 0 || band.after < 0)
    check.fail(
        "the band must reach from 0 or more keys before a query's place to 0 or more after "
        "it");
  if (scale != 0) check.scale("the scale of scores", scale);
  if (!std::isfinite(static_cast<float>(factor)))
    check.fail("the scale of scores, ", scale, ", is too large");
}

}  // namespace hipsight::kernels
