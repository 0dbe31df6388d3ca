#pragma once
// The way to other processes of a job, when mpirun or srun started it: librccl-mpi.so.1, which is
// loaded then. librccl itself needs no MPI.

#include <atomic>
#include <memory>
#include <span>
#include <string>

namespace hipsight::rccl {

struct Message {
  int process;  ///< the other side, by its number in the job
  int tag;      ///< 0 or more; messages of a tag between two processes come in their order
  void* data;
  std::size_t bytes;
  bool sends;
};

/// A process of a job, as it tells others of itself.
struct Process {
  int number = -1;
  int id = 0;  ///< as its host's system has it
  char host[64] = {};
};

/// Some processes of a job, whose messages meet no others'.
class Group {
 public:
  virtual ~Group() = default;
  /// All messages at once. Returns when each has come, or else what is wrong, in words: a process
  /// of this host has ended, a message has another length than was expected, or `stop`.
  virtual std::string exchange(std::span<const Message> messages,
                               const std::atomic<bool>& stop) = 0;
};

class Network {
 public:
  /// Messages to any process, of a communicator that is being made.
  static constexpr int anyone = -1;
  virtual ~Network() = default;
  virtual Process self() const = 0;
  virtual Group& all() = 0;
  /// Called by each of `members`, with the same tag; returns when all have. Null: MPI could not.
  virtual std::unique_ptr<Group> group(std::span<const Process> members, int tag) = 0;
};

/// This process's number in its job, as what started it says; -1: there is no job.
int number_in_job();

/// Null: this process is none of a job's, or `why` there is no way to the others. All processes of
/// the job must call this, as it starts MPI.
Network* network(std::string& why);

}  // namespace hipsight::rccl
