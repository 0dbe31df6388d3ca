#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "engine/program/op.h"
#include "engine/translate/analysis/affine.h"
#include "engine/translate/analysis/effects.h"

namespace llvm {
class Function;
class Module;
}  // namespace llvm

namespace hipsight::engine {

class Library;
struct LanewiseLoop;
struct Loop;
struct RegisterFile;

/// Whether the emitter can turn this op into code.
bool can_emit(const Op& op, const Library& library);

/// Whether it is a store: those of a cluster are done once all lanes have done the rest.
bool is_store(const Op& op);

bool can_emit_scalar(const Op& op, const Library& library);
/// Whether a scalar instruction can go before a cluster's arithmetic, in its code.
bool can_join(const Op& op, const Library& library);

/// What code of a cluster's arithmetic leaves behind when it bails out.
struct Emitted {
  llvm::Function* function = nullptr;
  /// Byte offsets in the wave of the masks that it makes; until the end their bits lie in
  /// Wave::temporary, eight bytes each.
  std::vector<std::uint32_t> masks;
  std::vector<std::uint64_t> parameters;  ///< what Op::imm points to when the function is run
  bool has_variables = false;             ///< that LLVM is to make values of
};

/// How to emit.
struct EmitOptions {
  unsigned slice_lanes = 8;                         ///< lanes of a host register
  unsigned group = 8;                               ///< registers that are computed together
  bool masked = false;                              ///< for any EXEC; otherwise EXEC must be full
  std::function<const Library&(unsigned)> library;  ///< of 8 or 16 lanes
  /// What is known of the addresses of loads, for waves that Wave::whole_rows says it of.
  const std::map<const Op*, Address>* addresses = nullptr;
};

/// Emits a function of type Run that does scalar instructions and then the arithmetic of a cluster
/// slice by slice. It goes on with op + 2 when all is done, and returns op + 1 when the slices from
/// Wave::done_lanes on, and all stores, are left to the interpreter. Registers that are not `live`
/// afterwards keep what they held.
Emitted emit(llvm::Module& module, const Library& library, std::span<const Op* const> scalars,
             std::span<const Op* const> ops, const RegisterFile& file, const Places& live,
             const EmitOptions& options, const std::string& name);
/// Wave::done_lanes when the scalar instructions are left to the interpreter as well.
constexpr std::uint32_t nothing_done = ~0u;

/// Emits a whole loop of uniform control flow: each slice goes round it as often as the scalar
/// instructions among `ops` (in program order) and the conditional branch at its end say, but not
/// beyond the wave's budget. The number of trips goes to Wave::trips. Returns as emit() does.
Emitted emit_loop(llvm::Module& module, const Library& library, std::span<const Op* const> ops,
                  const Op& branch, const RegisterFile& file, const Places& live,
                  const EmitOptions& options, const std::string& name);

/// Where in the wave code of a lanewise loop leaves how often each part ran and on how many lanes,
/// a RegionCount for each; the header's first run is not among the lanes.
constexpr std::size_t lanewise_counts_offset =
    offsetof(Wave, temporary) + std::size_t{Wave::temporary_bytes};

/// How often a lanewise loop's code goes round at most: the trips are bits of a word.
constexpr std::uint32_t lanewise_trips = 64;
/// Emits a loop that each slice goes round on its own, up to so often, for any EXEC but none. Also
/// says Wave::trips, of all slices, and Wave::goes_round. Returns op + 2; or op + 1 when all is
/// left to the interpreter, and nothing has changed.
Emitted emit_lanewise(llvm::Module& module, const Library& library, const Loop& loop,
                      const LanewiseLoop& lanes, const RegisterFile& file,
                      const EmitOptions& options, const std::string& name);

}  // namespace hipsight::engine
