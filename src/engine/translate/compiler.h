#pragma once

#include <memory>
#include <span>
#include <vector>

#include "engine/program/op.h"
#include "engine/translate/analysis/affine.h"
#include "engine/translate/analysis/effects.h"

namespace hipsight::engine {

struct Cluster;
struct Loop;
struct RegisterFile;

/// Code for a cluster's arithmetic.
struct Compiled {
  std::size_t number = 0;  ///< of its function among those that Compiler::finish gives
  // See Emitted.
  std::vector<std::uint32_t> masks;
  std::vector<std::uint64_t> parameters;
};

/// Compiled functions, by their numbers. Their code lives as long as somebody holds this.
using CompiledCode = std::shared_ptr<const std::vector<Run>>;

/// What is known of the addresses of loads.
using Addresses = std::map<const Op*, Address>;

/// Compiles arithmetic for this host's processor, as far as Engine::host_isa() allows. It must
/// outlive its code. One thread at a time, also when code is given up.
///
/// What is asked for is compiled at once, by `finish`: LLVM takes a while for a module, whatever is
/// in it.
class Compiler {
 public:
  Compiler();
  ~Compiler();

  bool takes(const Op& op) const;
  bool takes_scalar(const Op& op) const;
  /// A scalar instruction before arithmetic.
  bool joins(const Op& op) const;
  static bool stores(const Op& op);
  /// `live`: what is read afterwards.
  /// @throws Exception when LLVM refuses: a defect.
  Compiled compile(const Cluster& cluster, const RegisterFile& file, const Places& live,
                   bool masked, const Addresses& addresses);
  /// A loop's ops in program order, and the branch at its end (emit_loop).
  Compiled compile_loop(std::span<const Op* const> ops, const Op& branch, const RegisterFile& file,
                        const Places& live, bool masked, const Addresses& addresses);
  /// The code for all that was asked for since it was called last.
  CompiledCode finish();

  /// A loop that each slice goes round on its own (emit_lanewise), or nothing if it is none: now.
  std::shared_ptr<const Run> compile_lanewise(const Loop& loop, const RegisterFile& file);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hipsight::engine
