#pragma once

#include <memory>
#include <span>
#include <vector>

#include "engine/op.h"
#include "engine/translate/affine.h"
#include "engine/translate/effects.h"

namespace hipsight::engine {

struct Loop;
struct RegisterFile;

/// Code for a cluster's arithmetic.
struct Compiled {
  Run run = nullptr;
  std::vector<std::uint32_t> masks;  ///< see Emitted
};

/// What is known of the addresses of loads.
using Addresses = std::map<const Op*, Affine>;

/// Compiles arithmetic for this host's processor, as far as Engine::host_isa() allows. The code
/// lives as long as the compiler. One thread at a time.
class Compiler {
 public:
  Compiler();
  ~Compiler();

  bool takes(const Op& op) const;
  bool takes_scalar(const Op& op) const;
  static bool stores(const Op& op);
  /// `live`: what is read afterwards.
  /// @throws Error when LLVM refuses: a defect.
  Compiled compile(std::span<const Op* const> ops, const RegisterFile& file, const Places& live,
                   bool masked, const Addresses& addresses);
  /// A loop's ops in program order, and the branch at its end (emit_loop).
  Compiled compile_loop(std::span<const Op* const> ops, const Op& branch, const RegisterFile& file,
                        const Places& live, bool masked, const Addresses& addresses);
  /// A loop that each slice goes round on its own (emit_lanewise), or nothing if it is none.
  Run compile_lanewise(const Loop& loop, const RegisterFile& file);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hipsight::engine
