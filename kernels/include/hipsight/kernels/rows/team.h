// The work-items that share a row, and what they make of their values together.
#pragma once

#include "../wave.h"

namespace hipsight::kernels {

template <int size>
class Team {
  static constexpr int wave = arch::wave_size;
  static constexpr int waves = size > wave ? size / wave : 1;
  static_assert((size & (size - 1)) == 0 && waves <= wave,
                "Team: its size must be a power of 2, and its waves no more than a wave's lanes");

 public:
  struct Shared {
    float of_wave[2][waves];
  };

  HIPSIGHT_INLINE explicit Team(Shared& shared) : shared_(shared) {}

  /// Who this is in the team.
  HIPSIGHT_INLINE static int member() { return arch::thread() % size; }

  /// op over the values of all members, for each of them, with the same bits.
  template <class Op>
  HIPSIGHT_INLINE float over_all(float value, Op op) {
    value = over_lanes < 1, size<wave ? size : wave>(value, op);
    if constexpr (waves > 1) {
      // Two places in turn: once all waves are past the next barrier, all have read this one.
      float (&of_wave)[waves] = shared_.of_wave[turn_];
      turn_ ^= 1;
      if (arch::lane() == 0) of_wave[arch::wave()] = value;
      arch::barrier();
      value = over_lanes<1, waves>(of_wave[arch::lane() % waves], op);
    }
    return value;
  }

 private:
  Shared& shared_;
  int turn_ = 0;
};

}  // namespace hipsight::kernels
