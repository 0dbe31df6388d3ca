// Which experts a token goes to, and with what weights.
#pragma once

#include "../activations.h"
#include "../matrix.h"
#include "../wave.h"

namespace hipsight::kernels {

inline constexpr int most_experts = 512, most_chosen = 16, most_groups = 32;

struct Smaller {
  HIPSIGHT_INLINE int operator()(int a, int b) const { return a < b ? a : b; }
};

/// What becomes of scores before they are compared.
enum class Scoring { softmax, sigmoid };

struct RouteOptions {
  Scoring scoring = Scoring::softmax;
  int chosen = 2;               // experts of a token
  bool renormalise = true;      // the weights of a token's experts add up to `factor`
  float factor = 1;             // of all weights
  const float* bias = nullptr;  // added for the comparison alone, one for each expert; or null
  // Experts are in so many groups of as many neighbours each; those of the best `chosen_groups` are
  // compared. A group is as good as its best `of_group` experts together, one or two.
  int groups = 1, chosen_groups = 1, of_group = 1;
};

template <class Value>
struct Route {
  RowMajor<const Value> scores;  // tokens x experts
  RowMajor<int> experts;         // tokens x chosen: the best one first
  RowMajor<float> weights;       // tokens x chosen
  RouteOptions options;

  static constexpr int waves = arch::current == Architecture::host ? 1 : 4;
  static constexpr int threads = waves * arch::wave_size;

  /// A wave takes a token: expert i is with lane i % wave_size. Of equal ones the first is taken;
  /// what is not a number comes last.
  HIPSIGHT_INLINE void run(int workgroup) const {
    const int token = workgroup * waves + arch::wave();
    if (token >= scores.rows) return;
    Lane lane;
    read(lane, token);
    score(lane);
    if (options.groups > 1) leave_groups(lane);
    choose(lane, token);
  }

 private:
  static constexpr int slots = most_experts / arch::wave_size;
  static constexpr float nothing = -__builtin_huge_valf();

  /// Of its experts: scores, what is compared, and which are out.
  struct Lane {
    float score[slots], rank[slots];
    bool out[slots];
  };

  HIPSIGHT_INLINE static int expert(int slot) { return slot * arch::wave_size + arch::lane(); }

  template <class Function>
  HIPSIGHT_INLINE static void for_slots(Function f) {
    HIPSIGHT_UNROLL
    for (int slot = 0; slot < slots; slot++) f(slot);
  }

  HIPSIGHT_INLINE void read(Lane& lane, int token) const {
    for_slots([&](int slot) {
      const bool exists = expert(slot) < scores.columns;
      const float x =
          exists ? static_cast<float>(scores.data[token * scores.stride + expert(slot)]) : nothing;
      lane.score[slot] = x == x ? x : nothing;
      lane.out[slot] = !exists;
    });
  }

  HIPSIGHT_INLINE void score(Lane& lane) const {
    if (options.scoring == Scoring::softmax) {
      float most = nothing, sum = 0;
      for_slots([&](int slot) { most = fmaxf(most, lane.score[slot]); });
      most = over_lanes(most, Larger{});
      if (most == nothing) most = 0;
      for_slots([&](int slot) {
        lane.score[slot] = exponential(lane.score[slot] - most);
        sum += lane.score[slot];
      });
      sum = over_lanes(sum, Plus{});
      for_slots([&](int slot) { lane.score[slot] /= sum; });
    } else {
      for_slots([&](int slot) {
        const float x = lane.score[slot];
        lane.score[slot] = x < -87 ? 0 : arch::reciprocal(1 + exponential(-x));
      });
    }
    for_slots([&](int slot) {
      const bool biased = options.bias && !lane.out[slot];
      const float rank = lane.score[slot] + (biased ? options.bias[expert(slot)] : 0);
      lane.rank[slot] = rank == rank ? rank : nothing;
    });
  }

  /// The best of those that `counts` says are in question: its number, which all lanes get; or one
  /// beyond all experts.
  template <class Function>
  HIPSIGHT_INLINE int best(const Lane& lane, float& rank, Function counts) const {
    float most = nothing;
    for_slots([&](int slot) {
      if (counts(slot)) most = fmaxf(most, lane.rank[slot]);
    });
    rank = over_lanes(most, Larger{});
    int first = most_experts;
    for_slots([&](int slot) {
      if (counts(slot) && lane.rank[slot] == rank && expert(slot) < first) first = expert(slot);
    });
    return over_lanes(first, Smaller{});
  }

  HIPSIGHT_INLINE void leave_groups(Lane& lane) const {
    const int size = scores.columns / options.groups;
    float good[most_groups];
    HIPSIGHT_UNROLL
    for (int group = 0; group < most_groups; group++) {
      good[group] = nothing;
      if (group >= options.groups) continue;
      int taken = most_experts;
      const auto counts = [&](int slot) {
        return !lane.out[slot] && expert(slot) / size == group && expert(slot) != taken;
      };
      taken = best(lane, good[group], counts);
      if (options.of_group == 2) {
        float second = 0;
        best(lane, second, counts);
        if (second != nothing) good[group] += second;
      }
    }
    unsigned chosen = 0;
    for (int round = 0; round < options.chosen_groups; round++) {
      int which = -1;
      float most = nothing;
      HIPSIGHT_UNROLL
      for (int group = 0; group < most_groups; group++) {
        const bool open = group < options.groups && (chosen >> group & 1u) == 0;
        if (open && (which < 0 || good[group] > most)) which = group, most = good[group];
      }
      if (which >= 0) chosen |= 1u << which;
    }
    for_slots([&](int slot) {
      if (!lane.out[slot]) lane.out[slot] = (chosen >> expert(slot) / size & 1u) == 0;
    });
  }

  HIPSIGHT_INLINE void choose(Lane& lane, int token) const {
    float weight[most_chosen], sum = 0;
    HIPSIGHT_UNROLL
    for (int i = 0; i < most_chosen; i++) {
      weight[i] = 0;
      if (i >= options.chosen) continue;
      float rank = 0;
      const int which = best(lane, rank, [&](int slot) { return !lane.out[slot]; });
      float own = 0;
      for_slots([&](int slot) {
        if (expert(slot) != which) return;
        own = lane.score[slot];
        lane.out[slot] = true;
      });
      weight[i] = over_lanes(own, Plus{});
      sum += weight[i];
      if (arch::lane() == 0) experts.data[token * experts.stride + i] = which;
    }
    const float scale = options.renormalise ? options.factor / sum : options.factor;
    if (arch::lane() != 0) return;
    HIPSIGHT_UNROLL
    for (int i = 0; i < most_chosen; i++)
      if (i < options.chosen) weights.data[token * weights.stride + i] = weight[i] * scale;
  }
};

}  // namespace hipsight::kernels
