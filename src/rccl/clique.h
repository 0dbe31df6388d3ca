#pragma once
// The ranks of a communicator, all in this process, and what they do together.

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "steps.h"

namespace hipsight::rccl {

/// An error as RCCL numbers it, and what is wrong, in words.
struct Failure {
  ncclResult_t result = ncclSuccess;
  std::string text;
  explicit operator bool() const { return result != ncclSuccess; }
};

/// What HIP answered when `what` was called; none if it is hipSuccess.
Failure failure_of(hipError_t error, const char* what);

/// Keeps the device of the calling thread: it is afterwards what it was before.
class OnDevice {
 public:
  OnDevice() { static_cast<void>(hipGetDevice(&before_)); }
  ~OnDevice() { static_cast<void>(hipSetDevice(before_)); }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;
  hipError_t set(int device) { return hipSetDevice(device); }

 private:
  int before_ = 0;
};

class Clique;

/// What a rank asks of a split (ncclCommSplit), and what it gets: its place in a communicator of
/// the ranks of its color, in the order of their keys.
struct Split {
  int color = 0;  ///< below 0: it is in none
  int key = 0;
  std::shared_ptr<Clique> clique;
  int rank = 0;
};

/// What one rank is called for. Ranks do the same ones in the same order; sends and receives go by
/// pairs.
struct Call {
  enum class Kind { AllReduce, Reduce, Broadcast, AllGather, ReduceScatter, Send, Receive, Split };
  Kind kind;
  const void* from = nullptr;
  void* to = nullptr;
  std::size_t count = 0;  ///< of elements: of a rank's part, where there are parts
  ncclDataType_t type = ncclFloat32;
  ncclRedOp_t op = ncclSum;
  std::shared_ptr<void> factor;  ///< of this rank, for a scaled_sum
  int peer = 0;                  ///< the root, or the other side
  hipStream_t stream = nullptr;
  Split* split = nullptr;
  bool* started = nullptr;  ///< set once it is in the streams
  Failure* failure = nullptr;
};
const char* name_of(Call::Kind kind);

/// All ranks of a communicator.
class Clique {
 public:
  explicit Clique(int ranks);
  ~Clique();

  /// A rank joins, on a device. Wakes those who wait for all.
  Failure join(int rank, int device);
  void wait_for_all();

  /// A rank's calls, in order: each is put into the streams once all ranks that it takes have come.
  void submit(int rank, const std::vector<Call>& calls);
  /// Until all of these are in the streams, or the communicator is aborted.
  Failure wait(const bool* started, std::size_t count);
  void abort();
  bool aborted();

  int ranks() const { return ranks_; }

 private:
  void start_ready();
  Failure start(const std::vector<Call>& calls);
  void split(const std::vector<Call>& calls);
  Failure start_pair(int from, const Call& send, int to, const Call& receive);
  Failure all_wait_for_all(const std::vector<int>& ranks, const std::vector<hipStream_t>& streams);
  /// Memory of a rank for what is under way; kept until the end, as streams may still use it.
  Failure room(int rank, std::size_t bytes, void** memory);

  const int ranks_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<int> devices_;
  int joined_ = 0;
  bool aborted_ = false;
  std::vector<std::deque<Call>> waiting_;           ///< of each rank
  std::vector<std::deque<Call>> sends_, receives_;  ///< by from * ranks + to
  struct Room {
    void* memory = nullptr;
    std::size_t bytes = 0;
  };
  /// The end of the last operation of all, and the stream that it was in, of each rank: operations
  /// of a communicator come one after the other, in whatever streams.
  std::vector<hipEvent_t> ends_;
  std::vector<hipStream_t> last_;
  std::vector<std::vector<Room>> rooms_;  ///< of each rank; the last is in use
};

}  // namespace hipsight::rccl
