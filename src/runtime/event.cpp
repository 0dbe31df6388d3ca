#include "runtime/event.h"

#include <bit>
#include <chrono>
#include <mutex>

#include "runtime/handles.h"
#include "runtime/state.h"
#include "runtime/stream.h"

namespace hipsight::runtime {

/// A point in a stream. Its time is the host's when the work before it is done: what
/// hipEventElapsedTime gives is how long the emulation took, not the GPU's time.
class Event {
 public:
  Event(unsigned flags, int device) : flags(flags), device(device) {}

  void set(CompletionPtr point) {
    const std::lock_guard lock(mutex_);
    point_ = std::move(point);
  }
  /// The point of the latest record; null when there was none.
  CompletionPtr point() const {
    const std::lock_guard lock(mutex_);
    return point_;
  }

  const unsigned flags;
  const int device;

 private:
  mutable std::mutex mutex_;
  CompletionPtr point_;
};

namespace {

Handles<hipEvent_t, Event>& events() {
  static auto& handles = *new Handles<hipEvent_t, Event>(0x14);
  return handles;
}

}  // namespace

std::shared_ptr<Event> find_event(hipEvent_t handle, hipError_t otherwise) {
  auto event = events().find(handle);
  require(event != nullptr, otherwise);
  return event;
}

void record(Event& event, Stream& stream) {
  require(event.device == stream.device(), hipErrorInvalidHandle);
  event.set(stream.submit({.what = "event", .run = [] {}, .quick = true}));
}

HIP_API hipError_t hipEventCreateWithFlags(hipEvent_t* event, unsigned flags) {
  return api([&] {
    constexpr unsigned release =
        hipEventReleaseToDevice | hipEventReleaseToSystem | hipEventDisableSystemFence;
    constexpr unsigned known =
        hipEventBlockingSync | hipEventDisableTiming | hipEventInterprocess | release;
    require(event && (flags & ~known) == 0 && std::popcount(flags & release) <= 1);
    require(!(flags & hipEventInterprocess) || flags & hipEventDisableTiming);
    Context::get();
    *event = events().add(std::make_shared<Event>(flags, current_device()));
    return hipSuccess;
  });
}

HIP_API hipError_t hipEventCreate(hipEvent_t* event) {
  return hipEventCreateWithFlags(event, hipEventDefault);
}

HIP_API hipError_t hipEventDestroy(hipEvent_t event) {
  return api([&] {
    require(event != nullptr, hipErrorInvalidHandle);
    require(events().remove(event) != nullptr, hipErrorContextIsDestroyed);
    return hipSuccess;
  });
}

HIP_API hipError_t hipEventRecord(hipEvent_t handle, hipStream_t stream_handle) {
  return api([&] {
    const auto event = find_event(handle);
    record(*event, *find_stream(stream_handle));
    return hipSuccess;
  });
}

HIP_API hipError_t hipEventRecordWithFlags(hipEvent_t handle, hipStream_t stream, unsigned flags) {
  if (flags > 1) return finish(hipErrorInvalidValue);
  return hipEventRecord(handle, stream);
}

// An event that was never recorded counts as one that has happened.

HIP_API hipError_t hipEventSynchronize(hipEvent_t handle) {
  return api([&] {
    if (const auto point = find_event(handle)->point()) wait_for({point});
    require_no_fault();
    return hipSuccess;
  });
}

HIP_API hipError_t hipEventQuery(hipEvent_t handle) {
  return api([&] {
    const auto point = find_event(handle)->point();
    if (point && !point->done()) return hipErrorNotReady;
    require_no_fault();
    return hipSuccess;
  });
}

HIP_API hipError_t hipStreamWaitEvent(hipStream_t stream_handle, hipEvent_t handle,
                                      unsigned flags) {
  return api([&] {
    const auto event = find_event(handle);
    const auto stream = find_stream(stream_handle, hipErrorInvalidHandle);
    require(flags <= 1);
    if (const auto point = event->point())
      stream->submit({.what = "wait for an event", .run = [] {}, .quick = true}, {point});
    return hipSuccess;
  });
}

HIP_API hipError_t hipEventElapsedTime(float* milliseconds, hipEvent_t start, hipEvent_t stop) {
  return api([&] {
    require(milliseconds != nullptr);
    const auto first = find_event(start), last = find_event(stop);
    require(first->device == last->device, hipErrorInvalidHandle);
    require(!((first->flags | last->flags) & hipEventDisableTiming), hipErrorInvalidHandle);
    const auto begin = first->point(), end = last->point();
    require(begin && end, hipErrorInvalidHandle);
    require(begin->done() && end->done(), hipErrorNotReady);
    const std::chrono::duration<float, std::milli> elapsed = end->time() - begin->time();
    *milliseconds = elapsed.count();
    return hipSuccess;
  });
}

}  // namespace hipsight::runtime
