// Which keys a query sees.
#pragma once

#include "../types.h"

namespace hipsight::kernels {

/// Query i of n stands at the place of key i + keys - n: the last query at the last key's. It sees
/// the keys from `before` places before its own to `after` places after it.
struct Band {
  static constexpr int all = 1 << 29;
  int before = all, after = all;

  /// The same, in numbers that places can be added to.
  constexpr Band limited() const {
    return {before < all ? before : all, after < all ? after : all};
  }

  static constexpr Band causal() { return {all, 0}; }
  /// Causal, and no more than `keys` keys.
  static constexpr Band window(int keys) { return {keys > 0 ? keys - 1 : -1, 0}; }
};

/// The keys from `begin` on and before `end`.
struct Range {
  int begin, end;
};

/// What queries of a sequence see: both ends rise from query to query.
struct Sight {
  Band band;
  int queries, keys;

  HIPSIGHT_INLINE Range of(int query) const {
    const int place = query + keys - queries;
    const int begin = place - band.before, end = place + band.after + 1;
    return {begin < 0 ? 0 : begin, end < keys ? end : keys};
  }

  /// What some of the queries first to last see, what all of them do.
  HIPSIGHT_INLINE Range of_some(int first, int last) const {
    return {of(first).begin, of(last).end};
  }
  HIPSIGHT_INLINE Range of_all(int first, int last) const {
    return {of(last).begin, of(first).end};
  }
};

}  // namespace hipsight::kernels
