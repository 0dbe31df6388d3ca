#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/program/program.h"
#include "engine/translate/analysis/affine.h"
#include "engine/translate/analysis/effects.h"
#include "engine/translate/analysis/loop.h"

namespace hipsight::engine {

/// The tier that comes of the one that is asked for: hosts without AVX2 only interpret.
/// @throws Exception when only translated code is asked for there.
Tier choose_tier(Tier wanted);

/// Which waves translated code serves: those with every lane on; any; or any, and tells of accesses
/// to memory, which the interpreter's ops do.
struct Variants {
  bool full = false, masked = false, observed = false;
};

/// The one that serves this wave at a region's first op. Where there is no code yet for waves with
/// every lane on, `rows` says whether it is going to be made for Wave::whole_rows only.
Variants variant_for(const Wave& wave, const Op& first, bool rows);
/// Whether code is made at first sight: not for a wave that only the engine itself observes.
bool wants_translation(const Wave& wave);

/// Whether a region leads to code that serves those waves.
bool is_translated(const Op& first, Variants one);

/// The block that serves a wave at a region's first op; null if there is none.
const Op* block_for(const Wave& wave, const Op& first);

/// What a region's first op does where a wave is to enter no block.
Run own_run(const Op& first);

/// What an op of a block is, beside the ops that the region has.
struct BlockOp {
  const Op* target = nullptr;  ///< it only goes there
  /// Instructions that compiled code does, in program order. It goes on two ops further, or to the
  /// next one when it bails out.
  std::vector<const isa::Instruction*> compiled;
};
BlockOp block_op(const Op& op);

/// A region to be translated.
struct Task {
  Region region;
  Places live_after;       ///< what may be read once it has run
  bool all_lanes = false;  ///< every lane is on that was on when its function was entered
  Affinities affine;       ///< of the registers before it; empty where the launch does not allow it
  Affinities of_halves;    ///< the same, in groups of Affine::half
  Variants variants;
  std::optional<Loop> loop;  ///< that begins with the region
};

/// Replaces regions of lowered code by faster ones.
///
/// A region's first op then leads to a block: copies of the region's ops, reordered so that
/// arithmetic lies together (cluster.h), each such cluster done by one op of compiled code.
/// Whatever is not arithmetic, or not usual, is still interpreted; so what an instruction means,
/// which errors it reports and what is counted stay the same.
class Translator {
 public:
  static Translator& instance();

  /// Translates a region of `program`, now; what is there already, others have translated.
  void translate(const Program& program, const Task& task);
  /// The same in the background.
  void request(const Program& program, const Task& task);
  /// Waits until all that was requested is done.
  void wait();
  /// Waits for what is under way for this program and drops the rest: its ops are going away.
  void forget(const Program& program);
  /// For each thread that uses the engine: if it is the main one, exit() ends the background thread
  /// first of all, before LLVM's tables go away, which that thread may be using.
  static void stop_before_exit();
  void stop();

 private:
  Translator();
  ~Translator();
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hipsight::engine
