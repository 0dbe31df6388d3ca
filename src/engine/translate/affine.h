#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "engine/translate/liveness.h"

namespace hipsight::engine {

/// How a vector register's values lie across each aligned group of 16 lanes: the first one, plus
/// `stride` for every lane after it. Addresses made from work-item numbers are like this, and need
/// neither a look at each lane nor a gather.
struct Affine {
  bool known = false;
  std::uint32_t stride = 0;  ///< modulo 2^32
  std::uint8_t zeros = 0;    ///< low bits that are 0 in each group's first value
  std::uint8_t bits = 32;    ///< values are below 2^bits

  static constexpr unsigned group = 16;
  bool uniform() const { return known && stride == 0; }
  bool operator==(const Affine&) const = default;
};
/// Of the vector registers, by place; what is missing is not known.
using Affinities = std::map<unsigned, Affine>;

/// Follows work-item numbers and scalars through a function's vector arithmetic. What it finds
/// holds for waves with every lane on, of workgroups whose rows are whole groups of lanes.
class AffineFlow {
 public:
  AffineFlow(std::span<const Region> regions, const Liveness& liveness, bool kernel);

  const Affinities& before(std::size_t region) const { return before_[region]; }
  /// What holds after an op.
  static void step(Affinities& now, const Op& op, const RegisterFile& file, bool all_lanes);

 private:
  std::vector<Affinities> before_;
};

}  // namespace hipsight::engine
