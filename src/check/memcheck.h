#pragma once

#include <map>
#include <mutex>
#include <tuple>
#include <vector>

#include "check/finding.h"
#include "engine/events.h"

namespace hipsight::check {

/// Collects the accesses of one launch that are errors, and has each wave go on after them: loads
/// give 0, stores vanish. What is an error is the engine's to say (engine::Options::strict). One
/// finding for each instruction and kind of error, told by the first lane that did it.
class Memcheck final : public engine::Observer {
 public:
  void launch_begins(const engine::LaunchFacts& launch) override;
  engine::GroupObserver* begins(std::uint64_t workgroup) override;
  /// After the launch, which may have failed; by address of the instruction.
  std::vector<Finding> findings() const { return found_.all(); }

 private:
  class Group;
  using Cause = std::tuple<std::uint64_t, engine::Access::Space, bool>;
  void add(std::uint64_t workgroup, const engine::Fault& fault);

  const engine::Listing* listing_ = nullptr;  ///< while the launch runs
  std::string kernel_;
  std::mutex mutex_;
  std::map<std::uint64_t, Group> groups_;  ///< by number
  FirstFindings<Cause> found_;

  class Group final : public engine::GroupObserver {
   public:
    Group(Memcheck& all, std::uint64_t number) : all_(all), number_(number) {}
    /// Translated code looks at addresses in its own way: accesses are to go through the engine's.
    engine::Wants wants() const override { return {.regions = false}; }
    bool forgives(const engine::Fault& fault) override {
      all_.add(number_, fault);
      return true;
    }

   private:
    Memcheck& all_;
    std::uint64_t number_;
  };
};

}  // namespace hipsight::check
