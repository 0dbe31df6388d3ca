#include "meeting.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>

namespace hipsight::rccl {
namespace {

/// Where so many streams wait for each other, again and again.
class Meeting {
 public:
  Meeting(std::size_t streams, std::shared_ptr<std::atomic<bool>> stop)
      : streams_(streams), stop_(std::move(stop)) {}

  void come() {
    std::unique_lock lock(mutex_);
    const std::size_t round = round_;
    if (++there_ == streams_) {
      there_ = 0;
      round_++;
      changed_.notify_all();
      return;
    }
    // An abort does not notify: it need not know who waits.
    while (round_ == round && !*stop_) changed_.wait_for(lock, std::chrono::milliseconds(20));
  }

 private:
  const std::size_t streams_;
  const std::shared_ptr<std::atomic<bool>> stop_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t there_ = 0, round_ = 0;
};

using Shared = std::shared_ptr<Meeting>;

void come(void* data) {
  (*static_cast<Shared*>(data))->come();
}
void forget(void* data) {
  delete static_cast<Shared*>(data);
}

}  // namespace

Failure recording(const std::vector<hipStream_t>& streams, bool& all) {
  std::size_t count = 0;
  for (hipStream_t stream : streams) {
    hipStreamCaptureStatus status = hipStreamCaptureStatusNone;
    const hipError_t error = hipStreamIsCapturing(stream, &status);
    // A null stream beside a capture: whoever uses it gets this error.
    if (error != hipSuccess) return failure_of(error, "a rank's stream");
    if (status == hipStreamCaptureStatusInvalidated)
      return failure_of(hipErrorStreamCaptureInvalidated, "a rank's stream");
    count += status == hipStreamCaptureStatusActive;
  }
  all = count == streams.size();
  if (all || count == 0) return {};
  return {ncclInvalidUsage,
          "the streams of some ranks are captured into graphs, those of others are not"};
}

Failure meet_in_graphs(std::vector<hipStream_t> streams,
                       const std::shared_ptr<std::atomic<bool>>& stop) {
  // A stream need not wait for itself, as when a rank sends to itself: and it could not.
  std::ranges::sort(streams);
  streams.erase(std::ranges::unique(streams).begin(), streams.end());
  if (streams.size() < 2) return {};
  const auto meeting = std::make_shared<Meeting>(streams.size(), stop);
  for (hipStream_t stream : streams) {
    auto own = std::make_unique<Shared>(meeting);
    hipStreamCaptureStatus status{};
    hipGraph_t graph = nullptr;
    hipUserObject_t object = nullptr;
    hipError_t error =
        hipStreamGetCaptureInfo_v2(stream, &status, nullptr, &graph, nullptr, nullptr);
    if (error == hipSuccess) error = hipLaunchHostFunc(stream, come, own.get());
    if (error == hipSuccess)
      error = hipUserObjectCreate(&object, own.get(), forget, 1, hipUserObjectNoDestructorSync);
    // The object has it from here on.
    void* const given = own.release();
    if (error == hipSuccess)
      error = hipGraphRetainUserObject(graph, object, 1, hipGraphUserObjectMove);
    else
      forget(given);
    if (error != hipSuccess) return failure_of(error, "the graphs of ranks cannot wait");
  }
  return {};
}

}  // namespace hipsight::rccl
