#include "runtime/stream/event.h"

#include <bit>
#include <chrono>
#include <mutex>

#include "runtime/handles.h"
#include "runtime/state.h"
#include "runtime/stream/stream.h"

namespace hipsight::runtime {

void Event::set(CompletionPtr point) {
  const std::lock_guard lock(mutex_);
  point_ = std::move(point);
  captured_ = {};
}

void Event::set(CapturedPoint captured) {
  const std::lock_guard lock(mutex_);
  point_ = nullptr;
  captured_ = std::move(captured);
}

CompletionPtr Event::point() const {
  // Without our mutex: who holds that of the graphs may want it.
  if (const CapturedPoint captured = this->captured(); captured.capture) {
    invalidate(captured);
    fail_with(hipErrorCapturedEvent);
  }
  const std::lock_guard lock(mutex_);
  return point_;
}

CapturedPoint Event::captured() const {
  const std::lock_guard lock(mutex_);
  return captured_;
}

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
  if (auto point = captured_point(stream); point.capture) return event.set(std::move(point));
  event.set(stream.submit({.what = "event", .run = [](timeline::Span&) {}, .quick = true}));
}

std::function<void(timeline::Span&)> record_later(Event& event) {
  // Finished when the function goes as well: a lost device calls no more functions.
  struct Pending {
    CompletionPtr end = std::make_shared<Completion>();
    ~Pending() { end->finish(); }
  };
  const auto pending = std::make_shared<Pending>();
  event.set(pending->end);
  return [pending](timeline::Span& span) {
    pending->end->span = span;
    pending->end->finish();
  };
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
    if (point && !has_happened({point})) return hipErrorNotReady;
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
    if (const auto captured = event->captured(); captured.capture) {
      join_capture(stream, captured);
    } else if (const auto point = event->point()) {
      if (const auto own = captured_point(*stream); own.capture) {
        invalidate(own);
        return hipErrorStreamCaptureIsolation;
      }
      stream->submit({.what = "wait for an event", .run = [](timeline::Span&) {}, .quick = true},
                     {point});
    }
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
    require(has_happened({begin, end}), hipErrorNotReady);
    if (Context::get().settings().predicted_time) {
      *milliseconds = static_cast<float>(1e3 * (end->span.end - begin->span.end));
    } else {
      const std::chrono::duration<float, std::milli> elapsed = end->time() - begin->time();
      *milliseconds = elapsed.count();
    }
    return hipSuccess;
  });
}

}  // namespace hipsight::runtime
