#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "check/finding.h"
#include "check/written.h"
#include "engine/engine.h"
#include "engine/events.h"

namespace hipsight::check {

/// Finds stores whose values hang on what nobody wrote: bytes of device memory, LDS, scratch or
/// registers. The launch runs twice, with 0 there and with another value; where what it stores is
/// not the same, that is a finding, one for each store. So it does not matter what a kernel reads
/// and then leaves alone. For launches whose workgroups run in order.
class Initcheck final : public engine::Observer {
 public:
  /// Of one memory. Outlive the launch.
  Initcheck(Written& written, const engine::Memory& memory);
  ~Initcheck() override;

  /// Before the launch: runs it with another value, and undoes what that did to memory.
  void rehearse(engine::Engine& engine, const engine::Dispatch& dispatch);
  /// Whether the launch cannot be looked at: it calls the host, or too much memory is unwritten.
  bool is_partial() const { return partial_; }

  /// The launch ended with an error: nothing can be said of what it stored.
  void failed();

  void launch_begins(const engine::LaunchFacts& launch) override;
  engine::GroupObserver* begins(std::uint64_t workgroup) override;
  void launch_ends() override;
  /// After the launch; by addresses of the stores.
  const std::vector<Finding>& findings() const { return findings_; }

 private:
  class Run;
  class Group;
  void mark_stored();
  std::string text(const isa::Instruction& store, std::uint64_t byte,
                   std::uint64_t workgroup) const;

  Written& written_;
  const engine::Memory& memory_;
  const engine::Listing* listing_ = nullptr;  ///< while the launch runs
  std::string kernel_, failure_;
  bool partial_ = false;
  std::unique_ptr<Run> rehearsal_, run_;
  std::vector<Finding> findings_;
};

}  // namespace hipsight::check
