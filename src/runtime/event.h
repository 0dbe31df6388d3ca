#pragma once

#include <memory>

#include "runtime/hip_types.h"

namespace hipsight::runtime {

class Event;
class Stream;

/// The event behind a handle. @throws Failure(`otherwise`).
std::shared_ptr<Event> find_event(hipEvent_t handle, hipError_t otherwise = hipErrorInvalidHandle);

/// Records an event in a stream: it happens when all that was submitted before is done.
/// @throws Failure when it belongs to another device.
void record(Event& event, Stream& stream);

}  // namespace hipsight::runtime
