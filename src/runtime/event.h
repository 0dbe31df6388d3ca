#pragma once

#include <memory>

#include "runtime/hip_types.h"

namespace hipsight::runtime {

/// The event behind a handle. @throws Failure(`otherwise`).
class Event;
std::shared_ptr<Event> find_event(hipEvent_t handle, hipError_t otherwise = hipErrorInvalidHandle);

/// Records that a stream has come to this point.
void record(Event& event, int device);

}  // namespace hipsight::runtime
