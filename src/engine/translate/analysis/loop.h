#pragma once
// Loops whose lanes leave at different times: several regions, branches on EXEC and on scalars.

#include <optional>
#include <span>
#include <vector>

#include "engine/program/program.h"
#include "engine/translate/analysis/effects.h"
#include "engine/translate/analysis/liveness.h"

namespace hipsight::engine {

/// How control leaves a region.
struct Branch {
  enum class On : std::uint8_t { Nothing, Always, SccZero, SccOne, ExecZero, ExecNotZero };
  static constexpr int out = -1;  ///< out of the loop
  On on = On::Nothing;
  int taken = out, next = out;  ///< indices in Loop::parts

  bool on_exec() const { return on == On::ExecZero || on == On::ExecNotZero; }
  /// Where lanes go from a branch on EXEC if none of them is on, and if one is.
  int empty_side() const { return on == On::ExecZero ? taken : next; }
  int busy_side() const { return on == On::ExecZero ? next : taken; }
  std::vector<int> ways() const;
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

}  // namespace hipsight::engine
