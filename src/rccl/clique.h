#pragma once
// The ranks of a communicator, and what they do together. Those of this process reach each other's
// memory; what they need of others is brought here by messages, and is then reached alike.

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "network.h"
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
  int peer = 0;                  ///< the root, or the other side; 0 where there is none
  hipStream_t stream = nullptr;
  Split* split = nullptr;
  bool* started = nullptr;  ///< set once it is in the streams
  Failure* failure = nullptr;
};
const char* name_of(Call::Kind kind);

/// Bytes that a rank of one process has, and one of another process gets.
struct Piece {
  int from, to;
  const void* source;  ///< where `from` is here
  std::size_t bytes;
  void* sink = nullptr;  ///< where `to` is here: memory of the host, which the GPU reaches
};

/// What each message begins with: what its sender was called for.
struct alignas(64) Header {
  int kind, type, op, peer, rank;
  std::uint64_t count, bytes;
};

/// All ranks of a communicator.
class Clique {
 public:
  explicit Clique(int ranks);
  /// Of a job: `number` is the communicator's, among those whose id `root`, a process, has made.
  Clique(int ranks, Network& network, int root, std::uint64_t number);
  ~Clique();

  /// A rank of this process joins, on a device.
  Failure join(int rank, int device);
  /// Until all ranks have joined, or the communicator is aborted.
  Failure wait_for_all();

  /// A rank's calls, in order: each is put into the streams once all ranks of this process have
  /// come that it takes.
  void submit(int rank, const std::vector<Call>& calls);
  /// Until all of these are in the streams, or the communicator is aborted.
  Failure wait(const bool* started, std::size_t count);
  void abort();
  bool aborted() const { return *stop_; }
  /// What went wrong in the streams: between processes, where ranks learn of each other late.
  Failure lost();

  int ranks() const { return ranks_; }

 private:
  /// Memory of the host that the GPU reaches, for what is under way between processes.
  class Staging;
  struct Exchange;

  Failure announce(int rank);
  Failure meet();
  Failure form(int tag);
  /// Of each rank, so many bytes; those of ranks of this process are given, all are known then.
  Failure tell_all(void* values, std::size_t bytes);
  void lose(const Failure& failure);
  Failure state() const;
  static void end(const Call& call, const Failure& failure);
  void start_ready();
  Failure start(const std::vector<Call>& calls);
  Failure split(const std::vector<Call>& calls);
  Failure start_pair(int from, const Call& send, int to, const Call& receive);
  /// Sends to and receives of ranks elsewhere, all at once.
  Failure start_remote(int rank, const std::vector<Call>& calls);
  /// Brings pieces from and to other processes, when streams come to it: `streams` are those of
  /// `ranks`, and all wait.
  Failure bring(std::vector<Piece>& pieces, const Call& call, Staging& staging,
                const std::vector<int>& ranks, const std::vector<hipStream_t>& streams);
  /// Sets records_; between processes it must be false.
  Failure refuse_graphs(const std::vector<hipStream_t>& streams, const char* name);
  Failure all_wait_for_all(const std::vector<int>& ranks, const std::vector<hipStream_t>& streams);
  Failure wait_for_events(const std::vector<int>& ranks, const std::vector<hipStream_t>& streams);
  /// What a rank puts into a stream comes after what it has put into another one.
  hipError_t follow(int rank, hipStream_t stream);
  hipError_t ends(int rank, hipStream_t stream);
  /// Memory of a rank for what is under way; kept until the end, as streams may still use it.
  /// Graphs have their own: nothing orders them and what streams do meanwhile.
  Failure room(int rank, std::size_t bytes, void** memory);
  bool here(int rank) const { return devices_[rank] >= 0; }
  bool together(int a, int b) const { return place_[a].number == place_[b].number; }
  /// The first rank of the process that a rank is in.
  int first_of(int rank) const;

  const int ranks_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<int> devices_;  ///< -1: the rank is not in this process
  std::vector<int> here_;     ///< those that are, in order
  /// Graphs that hold operations look at it, too.
  const std::shared_ptr<std::atomic<bool>> stop_ = std::make_shared<std::atomic<bool>>(false);
  Failure lost_;
  std::vector<std::deque<Call>> waiting_;           ///< of each rank
  std::vector<std::deque<Call>> sends_, receives_;  ///< by from * ranks + to
  struct Room {
    void* memory = nullptr;
    std::size_t bytes = 0;
  };
  std::vector<hipEvent_t> comes_;  ///< of each rank: its stream is where it waits for the others
  /// The end of the last operation of all, and the stream that it was in, of each rank: operations
  /// of a communicator come one after the other, in whatever streams.
  std::vector<hipEvent_t> ends_;
  std::vector<hipStream_t> last_;
  using Rooms = std::vector<std::vector<Room>>;
  Rooms rooms_, rooms_of_graphs_;  ///< of each rank; the last is in use
  bool records_ = false;           ///< the operation that is started goes into graphs
  std::vector<std::shared_ptr<void>> factors_of_graphs_;

  // Of a job.
  Network* network_ = nullptr;
  int root_ = 0;
  std::uint64_t number_ = 0;
  std::vector<Process> place_;    ///< of each rank
  std::unique_ptr<Group> group_;  ///< null: all ranks are here
  bool meeting_ = false, met_ = false;
  std::unique_ptr<Staging> staging_;                  ///< of what all do
  std::vector<std::unique_ptr<Staging>> staging_of_;  ///< of each rank's sends and receives
};

}  // namespace hipsight::rccl
