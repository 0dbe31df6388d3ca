#pragma once

#include <cstdint>
#include <span>

namespace hipsight::timing {

/// Compute units that take workgroups in order, each when it has room.
struct Schedule {
  std::uint64_t units;    ///< compute units
  std::uint64_t at_once;  ///< workgroups of each
  /// How long a workgroup of average work takes alone on its compute unit, and among so many.
  double alone, together;
};

/// How much longer a launch takes (or, less than 1, shorter) than if all its workgroups had the
/// same work: those that begin late and are long keep it from its end, and compute units that get
/// short ones take more of them. `work`: of all of them, in order; any unit.
double unevenness(const Schedule& schedule, std::span<const double> work);

/// Whether workgroups do unlike work: by 5 % of the average, on the average; or, where each has a
/// compute unit to itself, the longest of them. `work`: of those that were observed; any unit.
bool differ(std::span<const double> work, bool alone);

}  // namespace hipsight::timing
