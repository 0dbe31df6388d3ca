#include "check/memcheck.h"

#include "code/code_object.h"
#include "code/readable_name.h"
#include "engine/engine.h"

namespace hipsight::check {

void Memcheck::launch_begins(const engine::LaunchFacts& launch) {
  listing_ = &launch.listing;
  kernel_ = code::readable_name(launch.dispatch.kernel->name);
}

engine::GroupObserver* Memcheck::begins(std::uint64_t workgroup) {
  const std::lock_guard lock(mutex_);
  return &groups_.try_emplace(workgroup, *this, workgroup).first->second;
}

void Memcheck::add(std::uint64_t workgroup, const engine::Fault& fault) {
  const std::uint64_t address = fault.instruction.address;
  const std::lock_guard lock(mutex_);
  const auto [known, is_new] =
      found_.try_emplace({address, fault.space, fault.misaligned}, First{workgroup, {}});
  First& first = known->second;
  if (is_new || workgroup < first.workgroup) {
    first.workgroup = workgroup;
    first.finding.tool = "memcheck";
    first.finding.text = fault.text();
    first.finding.address = address;
    first.finding.kernel = kernel_;
    first.finding.at = location_of(*listing_, fault.instruction);
  }
  ++first.finding.count;
}

std::vector<Finding> Memcheck::findings() const {
  const std::lock_guard lock(mutex_);
  std::vector<Finding> all;
  for (const auto& [cause, first] : found_) all.push_back(first.finding);
  return all;
}

}  // namespace hipsight::check
