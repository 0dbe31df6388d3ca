#pragma once
// Loops whose lanes leave at different times: several regions, branches on EXEC and on scalars.

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "engine/program.h"
#include "engine/translate/effects.h"
#include "engine/translate/lane_masks.h"
#include "engine/translate/liveness.h"

namespace hipsight::engine {

/// How control leaves a region.
struct Branch {
  enum class On : std::uint8_t { Nothing, Always, SccZero, SccOne, ExecZero, ExecNotZero };
  static constexpr int out = -1;  ///< out of the loop
  On on = On::Nothing;
  int taken = out, next = out;  ///< indices in Loop::parts
};

/// A loop's region.
struct LoopPart {
  Region region;
  Branch branch;
  Places live_before, live_after;

  /// The ops between the first, which counts, and the branch.
  std::span<const Op> ops() const;
};

/// A natural loop: the header first, then so that control goes forward, but for branches to the
/// header. It is left to one place only.
struct Loop {
  std::vector<LoopPart> parts;
  const Op* exit = nullptr;
  unsigned exits = 0;  ///< branches out of it
  Places live_at_header, live_at_exit;

  /// The part that a part always runs after, and that always leads to it; none if there are others.
  std::optional<std::size_t> follows(std::size_t part) const;
};
std::optional<Loop> find_loop(std::span<const Region> regions, const Liveness& liveness,
                              std::size_t header);

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
