#pragma once

#include <memory>
#include <optional>

#include "explain/launch.h"

namespace hipsight::explain {

/// A launch with changes to what it did, to what it takes, or to its GPU. What a change touches is
/// copied; the launch itself stays as it is and must outlive this.
class Changed {
 public:
  explicit Changed(const Launch& launch) : launch_(launch) {}
  Changed(const Changed&) = delete;
  Changed& operator=(const Changed&) = delete;

  profile::LaunchTrace& trace();
  engine::Result& result();
  gpus::Gpu& gpu();
  timing::Resources& resources() { return launch_.resources; }
  timing::Rewrite& rewrite() { return launch_.assumptions.rewrite; }
  /// Leaves instructions out, beside those that are left out already.
  void leave_out(timing::Rewrite::Instructions instructions);

  /// Sends what the launch did through the caches of its GPU, which are others now. Before other
  /// changes of the trace, which must have its addresses still.
  void simulate_caches();

  const Launch& launch() const { return launch_; }
  /// Why there is no such launch; empty: there is.
  std::string why_none() const;
  /// How long it takes. There must be such a launch.
  timing::Prediction predict();

 private:
  Launch launch_;
  std::unique_ptr<profile::LaunchTrace> trace_;
  std::optional<engine::Result> result_;
  std::optional<gpus::Gpu> gpu_;
};

}  // namespace hipsight::explain
