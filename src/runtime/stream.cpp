#include "runtime/stream.h"

#include <algorithm>
#include <exception>
#include <iterator>
#include <set>
#include <system_error>
#include <thread>

#include "runtime/capture.h"
#include "runtime/state.h"

namespace hipsight::runtime {
namespace {

/// All streams that are alive or still have work. One mutex for all of them: what comes before an
/// operation is decided at one instant.
struct Streams {
  std::mutex mutex;
  std::set<Stream*> all;
};
Streams& streams() {
  static auto& streams = *new Streams;
  return streams;
}

thread_local bool is_stream_thread = false;
constexpr std::chrono::seconds idle_time{2};  // how long a thread waits for more work

/// Finishes a completion, whatever happens.
struct Finisher {
  Completion& end;
  ~Finisher() { end.finish(); }
};

/// Runs an operation that nobody waits for.
void run_detached(const Operation& operation) noexcept {
  if (device_fault() && !operation.always) return;
  try {
    operation.run();
  } catch (...) {
    set_device_fault(translate_exception());
  }
}

}  // namespace

std::shared_ptr<Stream> Stream::make(int device, unsigned flags, int priority, Role role,
                                     std::vector<std::uint32_t> cu_mask) {
  auto stream =
      std::shared_ptr<Stream>(new Stream(device, flags, priority, role, std::move(cu_mask)));
  const std::lock_guard lock(streams().mutex);
  streams().all.insert(stream.get());
  return stream;
}

Stream::~Stream() {
  const std::lock_guard lock(streams().mutex);
  streams().all.erase(this);
}

void Stream::add_last(Completions& to) const {
  if (last_ && !last_->done()) to.push_back(last_);
}

/// What an operation submitted now comes after. Legacy default stream: the null stream's work waits
/// for that of the device's blocking streams, and theirs for the null stream's.
Completions Stream::rest_locked() const {
  Completions result;
  add_last(result);
  if (!blocking()) return result;
  for (const Stream* other : streams().all)
    if (other != this && other->device_ == device_ && other->blocking() &&
        (role_ == Role::Null || other->role_ == Role::Null))
      other->add_last(result);
  return result;
}

/// What is not over of that, and of `after`.
void Stream::add_rest_locked(Completions& after) const {
  std::erase_if(after, [](const CompletionPtr& work) { return work->done(); });
  std::ranges::move(rest_locked(), std::back_inserter(after));
}

CompletionPtr Stream::enqueue(Operation&& operation, Completions&& after) {
  if (!served_) {
    try {
      std::thread([self = shared_from_this()] { self->serve(); }).detach();
    } catch (const std::system_error&) {
      fail_with(hipErrorOutOfMemory);
    }
    served_ = true;
  }
  last_ = std::make_shared<Completion>();
  queue_.push_back({std::move(operation), std::move(after), last_});
  work_.notify_one();
  return last_;
}

CompletionPtr Stream::submit(Operation operation, Completions after) {
  if (capture(*this, operation)) return nullptr;
  if (!operation.always) require_no_fault();
  std::unique_lock lock(streams().mutex);
  add_rest_locked(after);
  if (!operation.quick || !after.empty()) return enqueue(std::move(operation), std::move(after));
  const auto end = last_ = std::make_shared<Completion>();
  lock.unlock();
  const Finisher finisher{*end};
  operation.run();
  return end;
}

void Stream::run(Operation operation, Completions after) {
  require_no_capture(*this);
  require_no_fault();
  std::unique_lock lock(streams().mutex);
  add_rest_locked(after);
  if (after.empty()) {
    const auto end = last_ = std::make_shared<Completion>();
    lock.unlock();
    const Finisher finisher{*end};
    operation.run();
    return;
  }
  require(!is_stream_thread, hipErrorIllegalState);
  // What it throws belongs to the caller, not to the device.
  std::exception_ptr error;
  operation.run = [&error, work = std::move(operation.run)] {
    try {
      work();
    } catch (...) {
      error = std::current_exception();
    }
  };
  const auto end = enqueue(std::move(operation), std::move(after));
  lock.unlock();
  end->wait();
  if (error) std::rethrow_exception(error);
  require_no_fault();
}

void Stream::close() {
  const std::lock_guard lock(streams().mutex);
  closed_ = true;
  work_.notify_one();
}

void Stream::serve() {
  is_stream_thread = true;
  set_current_device(device_);
  std::unique_lock lock(streams().mutex);
  const auto more = [&] { return closed_ || !queue_.empty(); };
  while (work_.wait_for(lock, idle_time, more) && !queue_.empty()) {
    Entry& entry = queue_.front();
    lock.unlock();
    for (const CompletionPtr& work : entry.after) work->wait();
    run_detached(entry.operation);
    entry.operation.run = nullptr;  // lets go of modules and buffers before anyone goes on
    const CompletionPtr end = entry.end;
    lock.lock();
    queue_.pop_front();
    lock.unlock();
    end->finish();
    lock.lock();
  }
  served_ = false;
}

Completions Stream::rest() const {
  const std::lock_guard lock(streams().mutex);
  Completions result;
  if (role_ == Role::Null) return rest_locked();
  add_last(result);
  return result;
}

void Stream::wait() const {
  wait_for(rest());
  require_no_fault();
}

Completions rest_of_device(int device) {
  const std::lock_guard lock(streams().mutex);
  Completions result;
  for (const Stream* stream : streams().all)
    if (device < 0 || stream->device_ == device) stream->add_last(result);
  return result;
}

void wait_for(const Completions& work) {
  if (std::ranges::all_of(work, [](const CompletionPtr& one) { return one->done(); })) return;
  require(!is_stream_thread, hipErrorIllegalState);
  for (const CompletionPtr& one : work) one->wait();
}

void wait_for_device(int device) {
  wait_for(rest_of_device(device));
  require_no_fault();
}

void wait_for_all() {
  wait_for(rest_of_device(-1));
}

std::vector<std::string> work_left() {
  const std::lock_guard lock(streams().mutex);
  std::vector<std::string> result;
  for (const Stream* stream : streams().all)
    for (const Stream::Entry& entry : stream->queue_) result.push_back(entry.operation.what);
  return result;
}

std::vector<std::string> finish_work(Completion::Clock::time_point deadline) {
  if (is_stream_thread) return {};  // a host function that exits: the streams wait for it
  for (const CompletionPtr& work : rest_of_device(-1))
    if (!work->wait_until(deadline)) return work_left();
  return {};
}

}  // namespace hipsight::runtime
