// librccl-mpi.so.1: messages between the processes of a job, by MPI.

#include <mpi.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <climits>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <vector>

#include "network.h"

namespace hipsight::rccl {
namespace {

std::atomic<bool> broken = false;  ///< a process was lost: MPI_Finalize would wait for it

std::string words(int error) {
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(error, text, &length);
  return {text, static_cast<std::size_t>(length)};
}

class MpiGroup : public Group {
 public:
  /// `members`: by number in the communicator; none for that of all processes.
  MpiGroup(MPI_Comm comm, std::vector<Process> members, Process self)
      : comm_(comm), members_(std::move(members)), self_(self) {
    if (!members_.empty()) MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
  }
  ~MpiGroup() override {
    int ended = 0;
    MPI_Finalized(&ended);
    if (!ended && !broken && !members_.empty()) MPI_Comm_free(&comm_);
  }

  std::string exchange(std::span<const Message> messages, const std::atomic<bool>& stop) override {
    std::vector<MPI_Request> requests;
    std::string wrong;
    // Receives first: a message that finds one waits in no buffer of MPI's.
    for (const bool sends : {false, true})
      for (const Message& message : messages) {
        if (message.sends != sends) continue;
        if (message.bytes > INT_MAX)
          wrong = std::to_string(message.bytes) + " bytes in a message: at most 2^31 - 1";
        if (!wrong.empty()) break;
        const int bytes = static_cast<int>(message.bytes);
        const int peer = place_of(message.process);
        requests.emplace_back();
        const int error = sends ? MPI_Isend(message.data, bytes, MPI_BYTE, peer, message.tag, comm_,
                                            &requests.back())
                                : MPI_Irecv(message.data, bytes, MPI_BYTE, peer, message.tag, comm_,
                                            &requests.back());
        if (error != MPI_SUCCESS) {
          requests.pop_back();
          wrong = words(error);
        }
      }
    if (wrong.empty()) wrong = wait(requests, stop);
    if (!wrong.empty())
      for (MPI_Request& request : requests)
        if (request != MPI_REQUEST_NULL) {
          MPI_Cancel(&request);
          MPI_Request_free(&request);
        }
    return wrong;
  }

 private:
  int place_of(int process) const {
    if (process == Network::anyone) return MPI_ANY_SOURCE;
    for (std::size_t i = 0; i < members_.size(); i++)
      if (members_[i].number == process) return static_cast<int>(i);
    return process;
  }

  std::string wait(std::vector<MPI_Request>& requests, const std::atomic<bool>& stop) {
    using Clock = std::chrono::steady_clock;
    auto looked = Clock::now();
    const auto begun = looked;
    std::vector<MPI_Status> statuses(requests.size());
    while (true) {
      int done = 0;
      const int error =
          MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, statuses.data());
      if (error != MPI_SUCCESS) return "a message: " + words(of_status(error, statuses));
      if (done) return {};
      if (stop) return "the communicator was aborted";
      const auto now = Clock::now();
      if (now - looked > std::chrono::milliseconds(200)) {
        looked = now;
        if (std::string gone = lost(); !gone.empty()) return gone;
      }
      if (now - begun > std::chrono::microseconds(50))
        std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  }

  static int of_status(int error, const std::vector<MPI_Status>& statuses) {
    if (error != MPI_ERR_IN_STATUS) return error;
    for (const MPI_Status& status : statuses)
      if (status.MPI_ERROR != MPI_SUCCESS && status.MPI_ERROR != MPI_ERR_PENDING)
        return status.MPI_ERROR;
    return error;
  }

  /// The members of this host that have ended: who went first may have ended others, which waited
  /// for it. Of other hosts, MPI tells.
  std::string lost() const {
    std::string all;
    for (const Process& member : members_)
      if (std::string_view(member.host) == self_.host && kill(member.id, 0) != 0 && errno == ESRCH)
        all += (all.empty() ? "process " : "; process ") + std::to_string(member.number) +
               " of the job (" + std::to_string(member.id) + " on " + member.host + ") has ended";
    broken = broken || !all.empty();
    return all;
  }

  MPI_Comm comm_;
  std::vector<Process> members_;
  Process self_;
};

class MpiNetwork : public Network {
 public:
  MpiNetwork(MPI_Comm comm, Process self) : self_(self), all_(comm, {}, self), comm_(comm) {}

  Process self() const override { return self_; }
  Group& all() override { return all_; }
  std::unique_ptr<Group> group(std::span<const Process> members, int tag) override {
    std::vector<int> numbers;
    for (const Process& member : members) numbers.push_back(member.number);
    MPI_Group world, some;
    MPI_Comm_group(comm_, &world);
    MPI_Group_incl(world, static_cast<int>(numbers.size()), numbers.data(), &some);
    MPI_Comm made = MPI_COMM_NULL;
    const int error = MPI_Comm_create_group(comm_, some, tag, &made);
    MPI_Group_free(&some);
    MPI_Group_free(&world);
    if (error != MPI_SUCCESS || made == MPI_COMM_NULL) return nullptr;
    return std::make_unique<MpiGroup>(made, std::vector(members.begin(), members.end()), self_);
  }

 private:
  Process self_;
  MpiGroup all_;
  MPI_Comm comm_;
};

/// Ends what was started here; a program that started MPI ends it itself.
void end() {
  int ended = 0;
  MPI_Finalized(&ended);
  if (!ended && !broken) MPI_Finalize();
}

}  // namespace
}  // namespace hipsight::rccl

extern "C" __attribute__((visibility("default"))) hipsight::rccl::Network* hipsight_rccl_network(
    std::string& why) {
  using namespace hipsight::rccl;
  int begun = 0, threads = 0;
  MPI_Initialized(&begun);
  if (begun) {
    MPI_Query_thread(&threads);
  } else {
    if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &threads) != MPI_SUCCESS) {
      why = "MPI did not start";
      return nullptr;
    }
    std::atexit(end);
  }
  if (threads != MPI_THREAD_MULTIPLE) {
    why =
        "the program started MPI without threads: set OMPI_MPI_THREAD_LEVEL=3, or call "
        "MPI_Init_thread with MPI_THREAD_MULTIPLE";
    return nullptr;
  }
  Process self;
  MPI_Comm_rank(MPI_COMM_WORLD, &self.number);
  self.id = getpid();
  gethostname(self.host, sizeof self.host - 1);
  // Not a duplicate, which would need all processes to call this. Tags of ours begin far above
  // what programs use.
  return new MpiNetwork(MPI_COMM_WORLD, self);
}
