#include "runtime/stream/stream.h"

#include <algorithm>
#include <exception>
#include <iterator>
#include <map>
#include <set>
#include <system_error>
#include <thread>

#include "runtime/graph/capture.h"
#include "runtime/memory/range.h"
#include "runtime/state.h"
#include "timeline/host_clock.h"

namespace hipsight::runtime {
namespace {

/// All streams that are alive or still have work. One mutex for all of them: what comes before an
/// operation is decided at one instant.
struct Streams {
  std::mutex mutex;
  std::set<Stream*> all;
  std::map<int, CompletionPtr> gone;  ///< of a device: what ended last in streams that are no more
  std::uint32_t made = 0;             ///< beside null streams
};
Streams& streams() {
  static auto& streams = *new Streams;
  return streams;
}

void add_gone(int device, Completions& to) {
  const auto found = streams().gone.find(device);
  if (found != streams().gone.end() && found->second) to.push_back(found->second);
}

thread_local bool is_stream_thread = false;
constexpr std::chrono::seconds emulation_time{1};  // how long a query waits for the emulation
constexpr std::chrono::seconds idle_time{2};       // how long a thread waits for more work

/// Finishes a completion, whatever happens.
struct Finisher {
  Completion& end;
  ~Finisher() { end.finish(); }
};

bool are_done(const Completions& work) {
  return std::ranges::all_of(work, [](const CompletionPtr& one) { return one->done(); });
}

/// Runs an operation. Its work comes after `after`, which is done.
void run_after(const Operation& operation, const Completions& after, Completion& end) {
  for (const CompletionPtr& work : after) end.span.comes_after(work->span.end);
  do_noted(operation, end.submitted, end.span);
}

/// Runs an operation that nobody waits for.
void run_detached(const Operation& operation, const Completions& after, Completion& end) noexcept {
  if (device_fault() && !operation.always) return;
  try {
    run_after(operation, after, end);
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
  if (role != Role::Null) stream->number_ = ++streams().made;
  streams().all.insert(stream.get());
  return stream;
}

Stream::~Stream() {
  const std::lock_guard lock(streams().mutex);
  streams().all.erase(this);
  CompletionPtr& gone = streams().gone[device_];
  if (last_ && last_->done() && (!gone || gone->span.end < last_->span.end)) gone = last_;
}

void Stream::add_last(Completions& to) const {
  if (last_) to.push_back(last_);
}

/// What an operation submitted now comes after. Legacy default stream: the null stream's work waits
/// for that of the device's blocking streams, and theirs for the null stream's.
Completions Stream::last_locked() const {
  Completions result;
  add_last(result);
  if (!blocking()) return result;
  if (role_ == Role::Null) add_gone(device_, result);
  for (const Stream* other : streams().all)
    if (other != this && other->device_ == device_ && other->blocking() &&
        (role_ == Role::Null || other->role_ == Role::Null))
      other->add_last(result);
  return result;
}

/// The end of an operation that is submitted now, after `after`, of which is left what is not done.
/// What is done by now counts on the GPU's clock as what is not: else that would depend on how
/// quick the emulation was.
CompletionPtr Stream::begin_locked(Completions& after) {
  std::ranges::move(last_locked(), std::back_inserter(after));
  last_ = std::make_shared<Completion>();
  const double now = timeline::HostClock::of_thread().now();
  last_->submitted = {device_, number_, now, current_range().name};
  last_->span.comes_after(now);
  std::erase_if(after, [&](const CompletionPtr& work) {
    if (!work->done()) return false;
    last_->span.comes_after(work->span.end);
    return true;
  });
  return last_;
}

/// Of what began last.
void Stream::enqueue(Operation&& operation, Completions&& after) {
  if (!served_) {
    try {
      std::thread([self = shared_from_this()] { self->serve(); }).detach();
    } catch (const std::system_error&) {
      last_->finish();
      fail_with(hipErrorOutOfMemory);
    }
    served_ = true;
  }
  queue_.push_back({std::move(operation), std::move(after), last_});
  work_.notify_one();
}

CompletionPtr Stream::submit(Operation operation, Completions after) {
  if (capture(*this, operation)) return nullptr;
  if (!operation.always) require_no_fault();
  std::unique_lock lock(streams().mutex);
  const auto end = begin_locked(after);
  if (!operation.quick || !after.empty()) {
    enqueue(std::move(operation), std::move(after));
    return end;
  }
  lock.unlock();
  const Finisher finisher{*end};
  do_noted(operation, end->submitted, end->span);
  return end;
}

void Stream::run(Operation operation, Completions after) {
  require_no_capture(*this);
  require_no_fault();
  std::unique_lock lock(streams().mutex);
  const CompletionPtr before = last_;
  const auto end = begin_locked(after);
  if (after.empty()) {
    lock.unlock();
    {
      const Finisher finisher{*end};
      do_noted(operation, end->submitted, end->span);
    }
    wait_noted(end->span.end);
    return;
  }
  if (is_stream_thread) {
    last_ = before;
    fail_with(hipErrorIllegalState);
  }
  // What it throws belongs to the caller, not to the device.
  std::exception_ptr error;
  operation.run = [&error, work = std::move(operation.run)](timeline::Span& span) {
    try {
      work(span);
    } catch (...) {
      error = std::current_exception();
    }
  };
  enqueue(std::move(operation), std::move(after));
  lock.unlock();
  wait_for({end});
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
    run_detached(entry.operation, entry.after, *entry.end);
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

Completions Stream::last() const {
  const std::lock_guard lock(streams().mutex);
  Completions result;
  if (role_ == Role::Null) return last_locked();
  add_last(result);
  return result;
}

bool Stream::idle() const {
  return are_done(last());
}

void Stream::wait() const {
  wait_for(last());
  require_no_fault();
}

Completions last_of_device(int device) {
  const std::lock_guard lock(streams().mutex);
  Completions result;
  for (const Stream* stream : streams().all)
    if (device < 0 || stream->device_ == device) stream->add_last(result);
  for (const auto& [of, gone] : streams().gone)
    if (gone && (device < 0 || of == device)) result.push_back(gone);
  return result;
}

void wait_for(const Completions& work) {
  if (!are_done(work)) {
    require(!is_stream_thread, hipErrorIllegalState);
    for (const CompletionPtr& one : work) one->wait();
  }
  for (const CompletionPtr& one : work) wait_noted(one->span.end);
}

bool has_happened(const Completions& work) {
  if (!Context::get().settings().predicted_time) return are_done(work);
  // A query asks for the GPU's state. What has not been emulated yet is waited for, so that the
  // answer is the same on every host; but not for good, as it may wait for this very thread.
  const auto deadline = Completion::Clock::now() + emulation_time;
  for (const CompletionPtr& one : work)
    if (!one->done() && (is_stream_thread || !one->wait_until(deadline))) {
      timeline::HostClock::of_thread().spend(-timeline::call_cost);  // it stands still meanwhile
      return false;
    }
  return std::ranges::all_of(work, [](const CompletionPtr& one) {
    return timeline::HostClock::of_thread().has_passed(one->span.end);
  });
}

void wait_for_device(int device) {
  wait_for(last_of_device(device));
  require_no_fault();
}

void wait_for_all() {
  wait_for(last_of_device(-1));
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
  for (const CompletionPtr& work : last_of_device(-1))
    if (!work->wait_until(deadline)) return work_left();
  return {};
}

}  // namespace hipsight::runtime
