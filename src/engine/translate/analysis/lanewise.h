#pragma once
// Whether lanes do not depend on each other in a loop.

#include <functional>
#include <map>
#include <optional>
#include <set>

#include "engine/translate/analysis/lane_masks.h"
#include "engine/translate/analysis/loop.h"

namespace hipsight::engine {

/// What a loop's ops do, where each slice of lanes may go round it alone.
struct LanewiseLoop {
  std::map<const Op*, MaskOp> mask_ops;  ///< of those that have a mask among their sources
  std::set<unsigned> masks;              ///< places of masks that the loop writes, EXEC's too
  std::set<unsigned> scalars;            ///< scalar registers and SCC that it writes otherwise
  /// Parts whose branch on EXEC passes over writes to scalars that the next trip reads: lanes that
  /// take it must leave before that.
  std::set<int> must_leave;
};
/// Whether lanes do not depend on each other in this loop: vector instructions and scalar ones that
/// can be translated, masks only combined lane by lane, and nothing that lanes do changes for those
/// that have left.
std::optional<LanewiseLoop> lanewise(const Loop& loop, const RegisterFile& file,
                                     const std::function<bool(const Op&)>& translatable,
                                     const std::function<bool(const Op&)>& translatable_scalar);

}  // namespace hipsight::engine
