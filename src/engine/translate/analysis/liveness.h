#pragma once

#include <span>
#include <vector>

#include "engine/program/program.h"
#include "engine/translate/analysis/effects.h"

namespace hipsight::engine {

/// Which places may still be read after each region of a function, so that code need not keep what
/// nobody reads.
///
/// Lanes that are off keep their values, so a write ends the life of what a register held only
/// where it reaches every lane that is on anywhere: where EXEC is what it was at the function's
/// entry. That is followed through the scalar registers that compilers save EXEC in.
class Liveness {
 public:
  /// The regions of one function, in the order of its code.
  explicit Liveness(std::span<const Region> regions);

  /// Places that may be read from region `index` on, and once it has run.
  const Places& before(std::size_t index) const { return before_[index]; }
  const Places& after(std::size_t index) const { return after_[index]; }
  /// Whether every lane of the function's entry is on while the region runs.
  bool all_lanes(std::size_t index) const { return all_lanes_[index]; }
  /// Regions that control goes to from a region.
  const std::vector<std::size_t>& next(std::size_t index) const { return next_[index]; }
  /// Whether control comes to a region in ways that are not seen in the function.
  bool is_entered_from_elsewhere(std::size_t index) const { return elsewhere_[index]; }

 private:
  std::vector<Places> before_, after_;
  std::vector<bool> all_lanes_, elsewhere_;
  std::vector<std::vector<std::size_t>> next_;
};

/// What is live at a point of a region. The region itself reads under the EXEC that it writes
/// under; what comes after it may read other lanes.
struct Live {
  Places here;   ///< read in the rest of the region
  Places after;  ///< read after the region, and not written for all lanes before that
  Places all() const { return here | after; }

  /// Goes back over ops.
  void step_back(std::span<const Op* const> ops, const RegisterFile& file, bool all_lanes);
};

}  // namespace hipsight::engine
