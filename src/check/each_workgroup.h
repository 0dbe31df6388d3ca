#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "engine/events.h"

namespace hipsight::check {

/// Watches each workgroup of a launch by an object of its own, which lives as long as this does.
class EachWorkgroup : public engine::Observer {
 public:
  void launch_begins(const engine::LaunchFacts& launch) override;
  engine::GroupObserver* begins(std::uint64_t workgroup) final;

 protected:
  virtual std::unique_ptr<engine::GroupObserver> watcher_of(std::uint64_t workgroup) = 0;

  const engine::Listing* listing_ = nullptr;  ///< while the launch runs
  unsigned lanes_ = 0;                        ///< of a wave
  std::string kernel_;                        ///< demangled

 private:
  std::mutex groups_mutex_;
  std::map<std::uint64_t, std::unique_ptr<engine::GroupObserver>> groups_;  ///< by number
};

}  // namespace hipsight::check
