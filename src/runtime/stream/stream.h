#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <vector>

#include "runtime/hip_types.h"
#include "runtime/stream/completion.h"
#include "runtime/stream/operation.h"

namespace hipsight::runtime {

/// A queue of work on one device, run in order by a host thread of its own, which starts when there
/// is work for it. Work of a blocking stream and of the device's null stream run in the order in
/// which they were submitted; other streams run at the same time.
class Stream : public std::enable_shared_from_this<Stream> {
 public:
  enum class Role { Null, PerThread, Own };

  static std::shared_ptr<Stream> make(int device, unsigned flags, int priority,
                                      Role role = Role::Own,
                                      std::vector<std::uint32_t> cu_mask = {});
  ~Stream();

  int device() const { return device_; }
  unsigned flags() const { return flags_; }
  int priority() const { return priority_; }
  Role role() const { return role_; }
  /// The compute units that the program asked for, a bit each; empty: all. Nothing depends on it.
  const std::vector<std::uint32_t>& cu_mask() const { return cu_mask_; }

  /// Runs an operation after all that was submitted before, and after `after`. Returns at once.
  /// What it throws later becomes the fault of the device. Null when the stream captures: then the
  /// operation becomes a node of a graph.
  /// @throws Failure when the device is lost, and what a quick operation throws at once.
  CompletionPtr submit(Operation operation, Completions after = {});
  /// The same, and waits for its end; on this thread when nothing is before it.
  /// @throws what the operation throws; Failure when the device is lost.
  void run(Operation operation, Completions after = {});

  /// Lets the thread end with the work that is left: no more is to come.
  void close();

  /// The ends of what was submitted last, of all that a wait for this stream waits for.
  Completions last() const;
  /// Whether all of that is done.
  bool idle() const;
  /// Waits for it. @throws Failure when the device is lost.
  void wait() const;

 private:
  struct Entry {
    Operation operation;
    Completions after;
    CompletionPtr end;
  };

  Stream(int device, unsigned flags, int priority, Role role, std::vector<std::uint32_t> cu_mask)
      : device_(device),
        flags_(flags),
        priority_(priority),
        role_(role),
        cu_mask_(std::move(cu_mask)) {}
  bool blocking() const { return !(flags_ & hipStreamNonBlocking); }
  void add_last(Completions& to) const;
  Completions last_locked() const;
  CompletionPtr begin_locked(Completions& after);
  void enqueue(Operation&& operation, Completions&& after);
  void serve();

  friend Completions last_of_device(int device);
  friend std::vector<std::string> work_left();

  const int device_;
  const unsigned flags_;
  const int priority_;
  const Role role_;
  const std::vector<std::uint32_t> cu_mask_;
  std::uint32_t number_ = 0;  ///< in the order in which streams were made; 0: a null stream
  // Guarded by the mutex of all streams (stream.cpp).
  std::deque<Entry> queue_;  ///< the first one is running
  CompletionPtr last_;
  bool served_ = false;  ///< has a thread
  bool closed_ = false;
  std::condition_variable work_;
};

/// The stream behind a handle; null and legacy mean the current device's default stream, and
/// hipStreamPerThread the calling thread's own. @throws Failure(`otherwise`) when destroyed or
/// never made.
std::shared_ptr<Stream> find_stream(hipStream_t handle,
                                    hipError_t otherwise = hipErrorContextIsDestroyed);

std::shared_ptr<Stream> null_stream(int device);

/// A call of a function of the program.
Operation host_function(hipHostFn_t function, void* user_data);

/// While it lives, a null stream means the calling thread's own: HIP's functions in _spt.
class OwnDefaultStream {
 public:
  OwnDefaultStream();
  ~OwnDefaultStream();
  OwnDefaultStream(const OwnDefaultStream&) = delete;
  OwnDefaultStream& operator=(const OwnDefaultStream&) = delete;
};

/// Waits for work of streams, on the clock of the thread as well. @throws Failure
/// hipErrorIllegalState instead of waiting on the thread of a stream: a host function there must
/// not wait for what may wait for it.
void wait_for(const Completions& work);
/// Whether all of it is done by now, on the GPU's clock too if that counts; it is waited for then,
/// for a while, as this clock does not stand for what the emulation takes.
bool has_happened(const Completions& work);
/// Waits for all streams of a device. @throws Failure when the device is lost.
void wait_for_device(int device);
/// The same for all devices, without a look at what became of the work.
void wait_for_all();
/// Waits for all streams until then. Says which operations are left: empty when all is done.
std::vector<std::string> finish_work(Completion::Clock::time_point deadline);

}  // namespace hipsight::runtime
