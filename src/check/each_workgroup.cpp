#include "check/each_workgroup.h"

#include "code/code_object.h"
#include "code/readable_name.h"
#include "engine/engine.h"

namespace hipsight::check {

void EachWorkgroup::launch_begins(const engine::LaunchFacts& launch) {
  listing_ = &launch.listing;
  lanes_ = launch.lanes;
  kernel_ = code::readable_name(launch.dispatch.kernel->name);
}

engine::GroupObserver* EachWorkgroup::begins(std::uint64_t workgroup) {
  const std::lock_guard lock(groups_mutex_);
  auto& group = groups_[workgroup];
  group = watcher_of(workgroup);
  return group.get();
}

}  // namespace hipsight::check
