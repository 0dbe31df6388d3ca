#pragma once

#include <optional>
#include <string>

#include "engine/disk_cache.h"
#include "gpus/gpu.h"
#include "hipsight/fields.h"
#include "timing/predict.h"

namespace hipsight::session {

/// Predictions in files, for later runs: beside what the engine translates, where it keeps that.
class KeptTimes {
 public:
  /// Of launches that were predicted so, by this build.
  KeptTimes(const gpus::Gpu& gpu, unsigned profile, const timing::Assumptions& assumptions);

  /// What is known of a launch: LaunchTimes has its fields.
  struct Time {
    double seconds = 0, launch = 0, instructions = 0;
    bool waits = false;
    std::string bound = {};
    HIPSIGHT_FIELDS(seconds, launch, instructions, waits, bound)
  };
  /// `key`: of the launch (LaunchKeys).
  std::optional<Time> find(const std::string& key) const;
  void keep(const std::string& key, const Time& time);

 private:
  engine::DiskCache::Key key_of(const std::string& key) const;

  std::optional<engine::DiskCache> cache_;
  std::string of_all_;  ///< what all these predictions depend on
};

}  // namespace hipsight::session
