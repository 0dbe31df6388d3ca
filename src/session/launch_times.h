#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "gpus/gpu.h"
#include "hipsight/values.h"
#include "session/kept_times.h"
#include "session/launch_key.h"
#include "session/observation.h"
#include "session/uncomputed.h"

namespace hipsight::session {

/// How long a GPU takes for launches, from predictions of those that differ. Safe to use from
/// several threads.
class LaunchTimes {
 public:
  /// `uncomputed`: what launches that did not run in full left out, if there are such; or null.
  /// `kept`: predictions of earlier runs; or null.
  LaunchTimes(const gpus::Gpu& gpu, const engine::Memory* memory, const Uncomputed* uncomputed,
              KeptTimes* kept)
      : gpu_(gpu), uncomputed_(uncomputed), kept_(kept), keys_(memory) {}

  /// The launch's key, and whether it has to be predicted: there was none like it, or of those
  /// like it some did more than others.
  struct Asked {
    LaunchKeys::Key key;
    bool predict = false;
  };
  Asked ask(const engine::Dispatch& dispatch);

  /// What a launch takes.
  struct Taken {
    double seconds = 0;
    std::string bound;  ///< what bounds it, in words; empty: not known
  };
  /// By its prediction.
  Taken add(const Asked& asked, const engine::Result& result, const Observed::Time& predicted);
  /// What it takes as the one like it did. Where it ran other instructions, so much longer or
  /// shorter; those to come are predicted then.
  Taken of(const Asked& asked, const engine::Dispatch& dispatch, const engine::Result& result);
  /// For a launch that need not run, since the one like it did: that one's result. Null where what
  /// it reads has changed since, or is missing now; it is to be predicted then.
  std::shared_ptr<const engine::Result> repeated(Asked& asked);
  /// Keeps what `repeated` gives; after `add`. `stored`: where the launch has.
  void keep(const Asked& asked, const engine::Result& result,
            const std::vector<std::uintptr_t>& stored);
  /// What it takes if there is no prediction: each SIMD issues its share of the instructions.
  Taken estimate(const engine::Dispatch& dispatch, const engine::Result& result,
                 const std::string& why);

  /// Its prediction may be wrong.
  void doubt(const engine::Dispatch& dispatch, const std::string& why);

  std::vector<EstimatedLaunches> estimated() const;

 private:
  struct Known {
    Observed::Time time;
    double instructions = 0;
    bool varies = false;
    std::shared_ptr<const engine::Result> result;  ///< see `repeated`
    std::vector<bool> stored;                      ///< to which of its allocations
    std::uint64_t inputs = 0;                      ///< a sum of what the others hold
  };
  std::uint64_t sum_of_inputs(const Asked& asked, const Known& known) const;
  void note(const engine::Dispatch& dispatch, const std::string& why);

  const gpus::Gpu& gpu_;
  const Uncomputed* const uncomputed_;
  KeptTimes* const kept_;
  mutable std::mutex mutex_;  ///< guards all that follows
  LaunchKeys keys_;
  std::unordered_map<std::string, Known> known_;
  std::map<std::pair<std::string, std::string>, std::uint64_t> estimated_;  ///< kernel and why
};

}  // namespace hipsight::session
