// Waves of a workgroup that do different things.
#pragma once

#include "arch/current.h"

namespace hipsight::kernels {

/// The first wave of a role.
template <int... Waves>
HIPSIGHT_INLINE constexpr int first_wave(int role) {
  constexpr int of_role[] = {Waves...};
  int sum = 0;
  for (int i = 0; i < role; i++) sum += of_role[i];
  return sum;
}

/// `Waves`: how many waves have each role, in the order of their numbers. Waves of all roles must
/// come to as many barriers. Copies of shared tiles are of the first work-items of a workgroup: so
/// who copies has the first role. AMD's GPUs give each wave as many registers as the largest role
/// takes.
template <int... Waves>
struct WaveRoles {
  static constexpr int count = sizeof...(Waves), waves = (Waves + ... + 0);
  static_assert(count > 1 && ((Waves > 0) && ...), "WaveRoles: two or more roles, of waves each");
  static constexpr int threads = waves * arch::wave_size;

  /// Work-items of a role.
  template <int role>
  static constexpr int threads_of =
      (first_wave<Waves...>(role + 1) - first_wave<Waves...>(role)) * arch::wave_size;

  /// Calls f(role, number of this wave among those of its role); the role is a Constant.
  template <class Function>
  HIPSIGHT_INLINE static void run(Function f) {
    const int wave = arch::wave();
    unroll<count>([&](auto role) {
      constexpr int first = first_wave<Waves...>(role), end = first_wave<Waves...>(role + 1);
      if (first <= wave && wave < end) f(role, wave - first);
    });
  }
};

}  // namespace hipsight::kernels
