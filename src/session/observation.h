#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "check/suppressions.h"
#include "engine/engine.h"
#include "explain/advice.h"
#include "explain/what_if.h"
#include "gpus/gpu.h"
#include "hipsight/values.h"
#include "profile/fidelity.h"
#include "profile/summary.h"
#include "profile/trace.h"
#include "session/uncomputed.h"
#include "timing/occupancy.h"
#include "timing/predict.h"

namespace hipsight::session {

/// Workgroups that are observed, unless it is said how many: what that costs in exactness is in
/// docs/timing.md.
constexpr unsigned usual_sample = 64;

/// What to find out about launches, beside their counts.
struct Wishes {
  unsigned profile = 0;       ///< workgroups to observe; 0: no profile and no prediction
  bool predict = true;        ///< from what they did, and say what would be quicker
  bool tables = true;         ///< tell what they did
  bool sampled_only = false;  ///< run no others
  bool fidelity = false;
  bool time = false;         ///< of each launch, on the GPU's clock: predict those that differ
  bool timing_only = false;  ///< results are not wanted: run no more than times need (Session)
  timing::Assumptions assumptions = {};       ///< of predictions
  std::vector<explain::WhatIf> what_if = {};  ///< to predict, too
  bool timeline = false;                      ///< note what the program did on the GPU's clock
  check::Suppressions suppressions = {};      ///< of what those find
  std::string check = {};  ///< tools that look for errors: "memcheck"; empty: none
};

/// What was found out about one launch.
struct Observed {
  profile::Summary summary;
  std::optional<profile::FidelitySummary> fidelity;
  std::optional<Registers> registers;
  std::optional<Profile> profile;
  std::optional<Prediction> prediction;
  struct Time {
    double seconds = 0;  ///< with the launch itself
    double launch = 0;   ///< of these
    bool waits = false;  ///< workgroups wait for each other
    std::string bound;   ///< what bounds it, in words
  };
  std::optional<Time> time;
  /// Where the workgroups that were observed stored, by lines, in order; of a prediction of which
  /// only they ran.
  std::vector<std::uintptr_t> stored;
  /// Where what such a launch does depends on what other launches did not compute, and in which
  /// buffer that lies; empty: nowhere.
  std::string decided_by;
  std::vector<explain::Advice> advice;
  std::vector<Location> advised_at;  ///< of each
  std::vector<WhatIf> what_if;
};

/// Watches one launch.
class Observation {
 public:
  /// Gives the dispatch the observer that is needed; both stay until the launch has ended.
  /// `memory`: where that of other GPUs is, if there are others. `uncomputed`: what other launches
  /// of the program left out, if they did.
  Observation(const gpus::Gpu& gpu, const Wishes& wishes, engine::Dispatch& dispatch,
              const engine::Memory* memory = nullptr, const Uncomputed* uncomputed = nullptr);

  /// After the launch: what it was. A prediction simulates the GPU, which may take seconds. Counts
  /// of a launch of which only a part ran are scaled, in `result`, too.
  Observed finish(engine::Result& result);

  const timing::Occupancy& occupancy() const { return occupancy_; }
  /// What was observed, if anything.
  const profile::LaunchTrace* trace() const { return trace_ ? &*trace_ : nullptr; }

 private:
  const gpus::Gpu& gpu_;
  const Wishes& wishes_;
  const engine::Dispatch& dispatch_;
  const engine::Memory* const memory_;
  const Uncomputed* const uncomputed_;
  timing::Occupancy occupancy_;
  std::optional<profile::LaunchTrace> trace_;
};

/// The launches of one kernel with one block and one amount of LDS, in one range, summed.
class Tally {
 public:
  Tally(const gpus::Gpu& gpu, const engine::Dispatch& first, std::string range = "");
  /// Whether a launch is one of these. Kernels of one name in several code objects are one if they
  /// take the same and are as long.
  bool takes(const engine::Dispatch& dispatch, const std::string& range) const;
  /// `seconds`: that a GPU takes for the launch, where each one's time is known; else 0.
  void add(const engine::Dispatch& dispatch, Observed observed, double seconds = 0);
  KernelReport report(const gpus::Gpu& gpu) const;

 private:
  Verdict verdict() const;

  KernelReport report_;
  timing::Occupancy occupancy_;
  profile::Summary summary_;
  std::uint64_t predicted_workgroups_ = 0;  ///< of the launch that was predicted
  double seconds_ = 0;                      ///< of all launches, where each one's is known
  std::vector<explain::Advice> advice_;
  std::vector<Location> advised_at_;
  std::vector<WhatIf> what_if_;
  std::optional<profile::FidelitySummary> fidelity_;
};

}  // namespace hipsight::session
