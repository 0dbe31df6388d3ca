#pragma once

#include <functional>
#include <span>
#include <vector>

#include "engine/program/op.h"
#include "engine/translate/analysis/effects.h"

namespace hipsight::engine {

struct RegisterFile;

/// A part of a region, its ops in another order that gives the same results: what can go first,
/// then arithmetic that one loop over slices does, then what has to come after it.
struct Cluster {
  std::vector<const Op*> before, arithmetic, after;
  /// Scalar instructions that the arithmetic's code does first (join_scalars).
  std::vector<const Op*> scalars;

  /// Whether it is worth code of its own: a single vector instruction only if it accesses memory,
  /// or some scalar ones come with it.
  bool is_worth_code() const;
};

/// Splits the ops of a region, which run one after the other under one EXEC, so that the arithmetic
/// (ops that `translatable` takes) lies together as far as what each op reads and writes allows.
/// `ordered`: accesses to memory, scalar ones and loads too, keep their order.
std::vector<Cluster> clusters_of(std::span<const Op> ops, const RegisterFile& file,
                                 const std::function<bool(const Op&)>& translatable,
                                 bool ordered = false);

/// Moves scalar instructions which stand between two clusters' arithmetic, as far as they may, into
/// the second one's code, where that is worth it.
void join_scalars(std::span<Cluster> clusters, const RegisterFile& file,
                  const std::function<bool(const Op&)>& translatable_scalar);

/// How a cluster's arithmetic hangs together: results in the longest chain of ops that wait for
/// each other, and results wanted at the same time. Loads count as neither: they can be done late.
struct Chain {
  unsigned length = 0, width = 0;
};
Chain chain_of(std::span<const Op* const> ops, const RegisterFile& file, const Places& live);

/// Whether the ops of a region, but for the conditional branch at its end that leads back to its
/// begin, are a loop whose lanes do not depend on each other: arithmetic, loads and scalar
/// instructions, which never see what lanes have made.
bool is_uniform_loop(std::span<const Op> ops, const Op* begin, const RegisterFile& file,
                     const std::function<bool(const Op&)>& translatable,
                     const std::function<bool(const Op&)>& translatable_scalar);

}  // namespace hipsight::engine
