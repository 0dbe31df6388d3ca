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
  found_.add(workgroup, {address, fault.space, fault.misaligned}, 1, [&] {
    return Finding{.tool = "memcheck",
                   .text = fault.text(),
                   .address = address,
                   .kernel = kernel_,
                   .at = location_of(*listing_, fault.instruction)};
  });
}

}  // namespace hipsight::check
