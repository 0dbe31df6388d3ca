#pragma once

#include <functional>
#include <memory>
#include <mutex>

#include "runtime/graph/capture.h"
#include "runtime/hip_types.h"
#include "runtime/stream/completion.h"

namespace hipsight::runtime {

class Stream;

/// A point in a stream. Its time is the GPU's (timeline/span.h), or the host's when the work before
/// it is done, as the options say.
class Event {
 public:
  Event(unsigned flags, int device) : flags(flags), device(device) {}

  void set(CompletionPtr point);
  void set(CapturedPoint captured);
  /// The point of the latest record; null when there was none. @throws Failure
  /// hipErrorCapturedEvent, and ends the capture, when it was recorded in a stream that captures.
  CompletionPtr point() const;
  /// Where it was recorded if that stream captured; else no capture.
  CapturedPoint captured() const;

  const unsigned flags;
  const int device;

 private:
  mutable std::mutex mutex_;
  CompletionPtr point_;
  CapturedPoint captured_;
};

/// The event behind a handle. @throws Failure(`otherwise`).
std::shared_ptr<Event> find_event(hipEvent_t handle, hipError_t otherwise = hipErrorInvalidHandle);

/// Records an event in a stream: it happens when all that was submitted before is done.
/// @throws Failure when it belongs to another device.
void record(Event& event, Stream& stream);
/// Records an event whenever the function is called; until then, others that wait for it wait.
std::function<void(timeline::Span&)> record_later(Event& event);

}  // namespace hipsight::runtime
