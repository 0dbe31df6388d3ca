#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/under_way.h"
#include "check/each_workgroup.h"
#include "check/finding.h"
#include "engine/engine.h"
#include "engine/events.h"

namespace hipsight::check {

/// Finds registers that a wave uses before the wait that makes them valid, on the paths that waves
/// take (analysis::UnderWay). One finding for each two instructions.
class Waitcheck final : public EachWorkgroup {
 public:
  /// After the launch; by addresses of the uses.
  std::vector<Finding> findings() const;

 private:
  class Group;
  std::unique_ptr<engine::GroupObserver> watcher_of(std::uint64_t workgroup) override;
  /// From a state, through a region, to a state; by their numbers. 0: nothing is under way.
  std::uint32_t through(std::uint32_t state, std::uint32_t region);
  void add(const analysis::EarlyUse& use);

  mutable std::mutex mutex_;
  std::vector<engine::RegionOfCode> regions_;
  std::vector<analysis::UnderWay> states_{1};
  std::unordered_map<std::string, std::uint32_t> numbers_{{"", 0}};  ///< by UnderWay::key
  std::unordered_map<std::uint64_t, std::uint32_t> ways_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, Finding> found_;  ///< by addresses: use, load
};

}  // namespace hipsight::check
