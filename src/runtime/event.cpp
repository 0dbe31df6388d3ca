#include "runtime/event.h"

#include <bit>
#include <chrono>
#include <mutex>
#include <optional>

#include "runtime/handles.h"
#include "runtime/state.h"
#include "runtime/stream.h"

namespace hipsight::runtime {

/// A point in a stream. Its time is the host's: what hipEventElapsedTime gives is how long the
/// emulation took, not the GPU's time.
class Event {
 public:
  Event(unsigned flags, int device) : flags(flags), device(device) {}

  void record() {
    const std::lock_guard lock(mutex_);
    time_ = std::chrono::steady_clock::now();
  }
  /// Milliseconds since the clock's epoch; nothing when it was never recorded.
  std::optional<double> milliseconds() const {
    const std::lock_guard lock(mutex_);
    if (!time_) return std::nullopt;
    return std::chrono::duration<double, std::milli>(time_->time_since_epoch()).count();
  }

  const unsigned flags;
  const int device;

 private:
  mutable std::mutex mutex_;
  std::optional<std::chrono::steady_clock::time_point> time_;
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

void record(Event& event, int device) {
  require(event.device == device, hipErrorInvalidHandle);
  event.record();
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
    const auto stream = find_stream(stream_handle);
    stream->submit([&] { record(*event, stream->device()); });
    return hipSuccess;
  });
}

HIP_API hipError_t hipEventRecordWithFlags(hipEvent_t handle, hipStream_t stream, unsigned flags) {
  if (flags > 1) return finish(hipErrorInvalidValue);
  return hipEventRecord(handle, stream);
}

// Streams finish their work before they return: a recorded event has happened.
HIP_API hipError_t hipEventSynchronize(hipEvent_t handle) {
  return api([&] {
    find_event(handle);
    require_no_fault();
    return hipSuccess;
  });
}
HIP_API hipError_t hipEventQuery(hipEvent_t handle) {
  return hipEventSynchronize(handle);
}

HIP_API hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned flags) {
  return api([&] {
    find_event(event);
    find_stream(stream, hipErrorInvalidHandle);
    require(flags <= 1);
    return hipSuccess;
  });
}

HIP_API hipError_t hipEventElapsedTime(float* milliseconds, hipEvent_t start, hipEvent_t stop) {
  return api([&] {
    require(milliseconds != nullptr);
    const auto first = find_event(start), last = find_event(stop);
    require(first->device == last->device, hipErrorInvalidHandle);
    require(!((first->flags | last->flags) & hipEventDisableTiming), hipErrorInvalidHandle);
    const auto begin = first->milliseconds(), end = last->milliseconds();
    require(begin && end, hipErrorInvalidHandle);
    *milliseconds = static_cast<float>(*end - *begin);
    return hipSuccess;
  });
}

HIP_API_ALIAS(hipEventRecord_spt, hipEventRecord);
HIP_API_ALIAS(hipStreamWaitEvent_spt, hipStreamWaitEvent);

}  // namespace hipsight::runtime
