// RCCL's functions: what programs give, checked and handed on to the ranks' Clique.

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <map>
#include <utility>

#include "clique.h"
#include "meeting.h"
#include "support/of_thread.h"

#define RCCL extern "C" __attribute__((visibility("default")))

using hipsight::of_thread;
using hipsight::rccl::Call;
using hipsight::rccl::Clique;
using hipsight::rccl::Failure;
using hipsight::rccl::failure_of;

/// A sum with a factor, as a rank has made it. A call that was made before the sum is destroyed
/// still has the factor.
struct ScaledSum {
  ncclDataType_t type = ncclFloat32;
  std::shared_ptr<void> factor;  ///< null: the sum was destroyed
};

/// A rank.
struct ncclComm {
  std::shared_ptr<Clique> clique;
  int rank = 0, device = 0;
  Failure last;                          ///< of its calls
  std::vector<ScaledSum> scaled_sums{};  ///< by number, from ncclNumOps on
  /// Where the next factors go, in the GPU's memory: to free each one by itself would end captures.
  std::shared_ptr<char> factors = nullptr;
  std::size_t factor_bytes = 0;  ///< that are taken
};

namespace {

/// The version that is answered: RCCL 2.22.3's.
constexpr int version = 22203;

/// What ncclGetLastError tells of the thread's calls.
std::string& last_error() {
  return of_thread<std::string, struct LastError>();
}

ncclResult_t fail(ncclResult_t result, std::string text, ncclComm* comm = nullptr) {
  last_error() = std::move(text);
  if (comm) comm->last = {result, last_error()};
  return result;
}
ncclResult_t fail(const Failure& failure, ncclComm* comm) {
  return failure ? fail(failure.result, failure.text, comm) : ncclSuccess;
}

std::unique_ptr<ncclComm> new_rank(std::shared_ptr<Clique> clique, int rank, int device) {
  auto comm = std::make_unique<ncclComm>();
  comm->clique = std::move(clique);
  comm->rank = rank;
  comm->device = device;
  return comm;
}

// --- groups: what a thread calls until the outermost one ends ------------------------------------

struct Pending {
  ncclComm* comm;
  Call call;
  std::unique_ptr<hipsight::rccl::Split> split = nullptr;
  ncclComm_t* part = nullptr;  ///< where the communicator goes that a split makes
};
thread_local int depth = 0;
std::vector<Pending>& pending() {
  return of_thread<std::vector<Pending>, struct Calls>();
}
std::vector<std::shared_ptr<Clique>>& joining() {
  return of_thread<std::vector<std::shared_ptr<Clique>>, struct Joining>();
}

ncclResult_t end_group() {
  std::vector<Pending> calls = std::exchange(pending(), {});
  for (const auto& clique : std::exchange(joining(), {})) {
    if (const Failure wrong = clique->wait_for_all()) return fail(wrong, nullptr);
  }
  const auto started = std::make_unique<bool[]>(calls.size());
  std::vector<Failure> failures(calls.size());
  for (std::size_t i = 0; i < calls.size(); i++) {
    calls[i].call.started = &started[i];
    calls[i].call.failure = &failures[i];
  }
  // What a rank calls goes to it at once: sends and receives of a group wait for none of it.
  std::vector<std::pair<ncclComm*, std::vector<Call>>> of_rank;
  for (const Pending& one : calls) {
    auto at = std::ranges::find(of_rank, one.comm, [](const auto& pair) { return pair.first; });
    if (at == of_rank.end()) at = of_rank.insert(at, {one.comm, {}});
    at->second.push_back(one.call);
  }
  for (const auto& [comm, its] : of_rank) comm->clique->submit(comm->rank, its);
  for (std::size_t i = 0; i < calls.size(); i++)
    if (const Failure aborted = calls[i].comm->clique->wait(&started[i], 1))
      return fail(aborted, calls[i].comm);
  for (std::size_t i = 0; i < calls.size(); i++)
    if (failures[i]) return fail(failures[i], calls[i].comm);
  for (const Pending& one : calls)
    if (one.split && one.split->clique)
      *one.part = new_rank(one.split->clique, one.split->rank, one.comm->device).release();
  return ncclSuccess;
}

/// Null: there is none of that number.
ScaledSum* scaled_of(ncclComm& comm, ncclRedOp_t op) {
  const std::size_t at = static_cast<std::size_t>(op) - ncclNumOps;
  return op >= ncclNumOps && at < comm.scaled_sums.size() && comm.scaled_sums[at].factor
             ? &comm.scaled_sums[at]
             : nullptr;
}

ncclResult_t call(ncclComm* comm, const Call& one) {
  const auto wrong = [&](ncclResult_t result, const std::string& text) {
    return fail(result, std::string(name_of(one.kind)) + ": " + text, comm);
  };
  if (!comm) return wrong(ncclInvalidArgument, "the communicator is null");
  const int ranks = comm->clique->ranks();
  if (one.type < 0 || one.type >= ncclNumTypes)
    return wrong(ncclInvalidArgument, "there is no type " + std::to_string(one.type));
  const ScaledSum* const scaled = one.op >= ncclNumOps ? scaled_of(*comm, one.op) : nullptr;
  if (one.op < 0 || (one.op >= ncclNumOps && !scaled))
    return wrong(ncclInvalidArgument, "there is no operation " + std::to_string(one.op));
  if (scaled && scaled->type != one.type)
    return wrong(ncclInvalidArgument, "the operation was made for type " +
                                          std::to_string(scaled->type) + ", not " +
                                          std::to_string(one.type));
  if (one.peer < 0 || one.peer >= ranks)
    return wrong(ncclInvalidArgument,
                 "there is no rank " + std::to_string(one.peer) + " of " + std::to_string(ranks));
  using Kind = Call::Kind;
  const bool sends =
      one.kind != Kind::Receive && (one.kind != Kind::Broadcast || one.peer == comm->rank);
  const bool receives =
      one.kind != Kind::Send && (one.kind != Kind::Reduce || one.peer == comm->rank);
  if (one.count && ((sends && !one.from) || (receives && !one.to)))
    return wrong(ncclInvalidArgument, "a buffer is null");
  if (const Failure lost = comm->clique->lost())
    return wrong(lost.result == ncclRemoteError ? ncclRemoteError : ncclInvalidUsage, lost.text);
  pending().push_back({comm, one});
  if (scaled) {
    pending().back().call.op = hipsight::rccl::scaled_sum;
    pending().back().call.factor = scaled->factor;
  }
  return depth ? ncclSuccess : end_group();
}

// --- communicators -------------------------------------------------------------------------------

struct Id {
  char mark[8] = "hipsigh";
  int process = 0;  ///< as the system has it
  int of_job = -1;  ///< its number in a job
  std::uint64_t number = 0;
};
static_assert(sizeof(Id) <= sizeof(ncclUniqueId));

/// Communicators whose ranks are still to join, by the process and the number of their id.
std::mutex cliques_mutex;
std::map<std::pair<int, std::uint64_t>, std::weak_ptr<Clique>>& cliques() {
  static auto& all = *new std::map<std::pair<int, std::uint64_t>, std::weak_ptr<Clique>>;
  return all;
}

ncclResult_t check_ranks(int ranks) {
  if (ranks >= 1 && ranks <= hipsight::rccl::most_ranks) return ncclSuccess;
  return fail(ncclInvalidArgument, std::to_string(ranks) + " ranks: there can be 1 to " +
                                       std::to_string(hipsight::rccl::most_ranks));
}

/// Ranks reach each other's memory.
Failure open_peers(int device) {
  int count = 0;
  if (hipGetDeviceCount(&count) != hipSuccess) return {ncclUnhandledCudaError, "there is no GPU"};
  for (int other = 0; other < count; other++)
    if (other != device) static_cast<void>(hipDeviceEnablePeerAccess(other, 0));
  static_cast<void>(hipGetLastError());  // of those that were open
  return {};
}

}  // namespace

RCCL ncclResult_t ncclGetVersion(int* to) {
  if (!to) return fail(ncclInvalidArgument, "ncclGetVersion: a null pointer");
  *to = version;
  return ncclSuccess;
}

RCCL ncclResult_t ncclGetUniqueId(ncclUniqueId* to) {
  if (!to) return fail(ncclInvalidArgument, "ncclGetUniqueId: a null pointer");
  static std::atomic<std::uint64_t> numbers{0};
  Id id;
  id.process = getpid();
  id.of_job = hipsight::rccl::number_in_job();
  id.number = ++numbers;
  std::memset(to, 0, sizeof *to);
  std::memcpy(to->internal, &id, sizeof id);
  return ncclSuccess;
}

RCCL ncclResult_t ncclCommInitRank(ncclComm_t* to, int ranks, ncclUniqueId unique, int rank) {
  if (!to) return fail(ncclInvalidArgument, "ncclCommInitRank: a null pointer");
  *to = nullptr;
  if (const ncclResult_t wrong = check_ranks(ranks)) return wrong;
  if (rank < 0 || rank >= ranks)
    return fail(ncclInvalidArgument,
                "ncclCommInitRank: rank " + std::to_string(rank) + " of " + std::to_string(ranks));
  Id id;
  std::memcpy(&id, unique.internal, sizeof id);
  if (std::memcmp(id.mark, Id().mark, sizeof id.mark) != 0)
    return fail(ncclInvalidArgument, "ncclCommInitRank: the id is not of ncclGetUniqueId");
  std::string why;
  auto* const network = id.of_job < 0 ? nullptr : hipsight::rccl::network(why);
  if (id.of_job < 0 ? id.process != getpid() : !network)
    return fail(ncclInvalidUsage,
                "ncclCommInitRank: the id is another process's: ranks of several processes need "
                "mpirun or srun to start them" +
                    (why.empty() ? "" : "; " + why));
  auto comm = std::make_unique<ncclComm>();
  comm->rank = rank;
  if (hipGetDevice(&comm->device) != hipSuccess)
    return fail(ncclUnhandledCudaError, "ncclCommInitRank: there is no GPU");
  {
    const std::lock_guard lock(cliques_mutex);
    auto& known = cliques()[{id.of_job, id.number}];
    comm->clique = known.lock();
    if (!comm->clique)
      known = comm->clique = id.of_job < 0
                                 ? std::make_shared<Clique>(ranks)
                                 : std::make_shared<Clique>(ranks, *network, id.of_job, id.number);
  }
  if (comm->clique->ranks() != ranks)
    return fail(ncclInvalidArgument, "ncclCommInitRank: other ranks say that there are " +
                                         std::to_string(comm->clique->ranks()));
  if (const Failure wrong = open_peers(comm->device)) return fail(wrong, nullptr);
  if (const Failure wrong = comm->clique->join(rank, comm->device)) return fail(wrong, nullptr);
  joining().push_back(comm->clique);
  *to = comm.release();
  return depth ? ncclSuccess : end_group();
}

RCCL ncclResult_t ncclCommInitRankConfig(ncclComm_t* to, int ranks, ncclUniqueId id, int rank,
                                         ncclConfig_t*) {
  return ncclCommInitRank(to, ranks, id, rank);
}

RCCL ncclResult_t ncclCommInitAll(ncclComm_t* to, int ranks, const int* devices) {
  if (!to) return fail(ncclInvalidArgument, "ncclCommInitAll: a null pointer");
  if (const ncclResult_t wrong = check_ranks(ranks)) return wrong;
  int count = 0;
  hipsight::rccl::OnDevice caller;
  if (hipGetDeviceCount(&count) != hipSuccess)
    return fail(ncclUnhandledCudaError, "ncclCommInitAll: there is no GPU");
  const auto clique = std::make_shared<Clique>(ranks);
  std::vector<std::unique_ptr<ncclComm>> made;
  for (int rank = 0; rank < ranks; rank++) {
    const int device = devices ? devices[rank] : rank;
    if (device < 0 || device >= count)
      return fail(ncclInvalidArgument, "ncclCommInitAll: device " + std::to_string(device) +
                                           " of " + std::to_string(count));
    static_cast<void>(caller.set(device));
    if (const Failure wrong = open_peers(device)) return fail(wrong, nullptr);
    made.push_back(new_rank(clique, rank, device));
    if (const Failure there = clique->join(rank, device)) return fail(there, nullptr);
  }
  for (int rank = 0; rank < ranks; rank++) to[rank] = made[rank].release();
  return ncclSuccess;
}

RCCL ncclResult_t ncclCommInitRankScalable(ncclComm_t* to, int ranks, int rank, int ids,
                                           ncclUniqueId* unique, ncclConfig_t*) {
  if (ids < 1 || !unique)
    return fail(ncclInvalidArgument, "ncclCommInitRankScalable: there is no id");
  return ncclCommInitRank(to, ranks, unique[0], rank);
}

RCCL ncclResult_t ncclCommSplit(ncclComm_t comm, int color, int key, ncclComm_t* to,
                                ncclConfig_t*) {
  if (!comm) return fail(ncclInvalidArgument, "ncclCommSplit: the communicator is null");
  if (!to) return fail(ncclInvalidArgument, "ncclCommSplit: a null pointer", comm);
  if (color < -1)
    return fail(ncclInvalidArgument,
                "ncclCommSplit: color " + std::to_string(color) + " is below 0, and not -1, none",
                comm);
  if (comm->clique->aborted())
    return fail(ncclInvalidUsage, "ncclCommSplit: the communicator was aborted", comm);
  *to = nullptr;
  auto split = std::make_unique<hipsight::rccl::Split>(hipsight::rccl::Split{color, key, {}, 0});
  Call call{.kind = Call::Kind::Split, .split = split.get()};
  pending().push_back({comm, call, std::move(split), to});
  return depth ? ncclSuccess : end_group();
}

RCCL ncclResult_t ncclCommFinalize(ncclComm_t comm) {
  if (!comm) return fail(ncclInvalidArgument, "ncclCommFinalize: the communicator is null");
  return ncclSuccess;
}
RCCL ncclResult_t ncclCommDestroy(ncclComm_t comm) {
  if (!comm) return fail(ncclInvalidArgument, "ncclCommDestroy: the communicator is null");
  delete comm;
  return ncclSuccess;
}
RCCL ncclResult_t ncclCommAbort(ncclComm_t comm) {
  if (!comm) return fail(ncclInvalidArgument, "ncclCommAbort: the communicator is null");
  comm->clique->abort();
  delete comm;
  return ncclSuccess;
}

RCCL ncclResult_t ncclCommCount(ncclComm_t comm, int* to) {
  if (!comm || !to) return fail(ncclInvalidArgument, "ncclCommCount: a null pointer");
  *to = comm->clique->ranks();
  return ncclSuccess;
}
RCCL ncclResult_t ncclCommCuDevice(ncclComm_t comm, int* to) {
  if (!comm || !to) return fail(ncclInvalidArgument, "ncclCommCuDevice: a null pointer");
  *to = comm->device;
  return ncclSuccess;
}
RCCL ncclResult_t ncclCommUserRank(ncclComm_t comm, int* to) {
  if (!comm || !to) return fail(ncclInvalidArgument, "ncclCommUserRank: a null pointer");
  *to = comm->rank;
  return ncclSuccess;
}
RCCL ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* to) {
  if (!comm || !to) return fail(ncclInvalidArgument, "ncclCommGetAsyncError: a null pointer");
  const Failure lost = comm->clique->lost();
  if (lost) comm->last = lost;
  *to = comm->last.result;
  return ncclSuccess;
}

RCCL const char* ncclGetErrorString(ncclResult_t result) {
  constexpr const char* words[] = {"no error",
                                   "unhandled HIP error",
                                   "unhandled system error",
                                   "internal error",
                                   "invalid argument",
                                   "invalid usage",
                                   "remote process exited or there was a network error",
                                   "operation in progress"};
  return result >= 0 && result < 8 ? words[result] : "unknown result code";
}
RCCL const char* ncclGetLastError(ncclComm_t comm) {
  return comm && comm->last ? comm->last.text.c_str() : last_error().c_str();
}

RCCL ncclResult_t ncclGroupStart() {
  depth++;
  return ncclSuccess;
}
RCCL ncclResult_t ncclGroupEnd() {
  if (depth == 0) return fail(ncclInvalidUsage, "ncclGroupEnd: no group was started");
  return --depth ? ncclSuccess : end_group();
}

// --- operations ----------------------------------------------------------------------------------

RCCL ncclResult_t ncclAllReduce(const void* from, void* to, std::size_t count, ncclDataType_t type,
                                ncclRedOp_t op, ncclComm_t comm, hipStream_t stream) {
  return call(comm, {.kind = Call::Kind::AllReduce,
                     .from = from,
                     .to = to,
                     .count = count,
                     .type = type,
                     .op = op,
                     .stream = stream});
}
RCCL ncclResult_t ncclReduce(const void* from, void* to, std::size_t count, ncclDataType_t type,
                             ncclRedOp_t op, int root, ncclComm_t comm, hipStream_t stream) {
  return call(comm, {.kind = Call::Kind::Reduce,
                     .from = from,
                     .to = to,
                     .count = count,
                     .type = type,
                     .op = op,
                     .peer = root,
                     .stream = stream});
}
RCCL ncclResult_t ncclBroadcast(const void* from, void* to, std::size_t count, ncclDataType_t type,
                                int root, ncclComm_t comm, hipStream_t stream) {
  return call(comm, {.kind = Call::Kind::Broadcast,
                     .from = from,
                     .to = to,
                     .count = count,
                     .type = type,
                     .peer = root,
                     .stream = stream});
}
RCCL ncclResult_t ncclBcast(void* data, std::size_t count, ncclDataType_t type, int root,
                            ncclComm_t comm, hipStream_t stream) {
  return ncclBroadcast(data, data, count, type, root, comm, stream);
}
RCCL ncclResult_t ncclAllGather(const void* from, void* to, std::size_t count, ncclDataType_t type,
                                ncclComm_t comm, hipStream_t stream) {
  return call(comm, {.kind = Call::Kind::AllGather,
                     .from = from,
                     .to = to,
                     .count = count,
                     .type = type,
                     .stream = stream});
}
RCCL ncclResult_t ncclReduceScatter(const void* from, void* to, std::size_t count,
                                    ncclDataType_t type, ncclRedOp_t op, ncclComm_t comm,
                                    hipStream_t stream) {
  return call(comm, {.kind = Call::Kind::ReduceScatter,
                     .from = from,
                     .to = to,
                     .count = count,
                     .type = type,
                     .op = op,
                     .stream = stream});
}
RCCL ncclResult_t ncclSend(const void* from, std::size_t count, ncclDataType_t type, int peer,
                           ncclComm_t comm, hipStream_t stream) {
  return call(comm, {.kind = Call::Kind::Send,
                     .from = from,
                     .count = count,
                     .type = type,
                     .peer = peer,
                     .stream = stream});
}
RCCL ncclResult_t ncclRecv(void* to, std::size_t count, ncclDataType_t type, int peer,
                           ncclComm_t comm, hipStream_t stream) {
  return call(comm, {.kind = Call::Kind::Receive,
                     .to = to,
                     .count = count,
                     .type = type,
                     .peer = peer,
                     .stream = stream});
}

// RCCL's own operations: sends and receives of all ranks, in a group.

namespace {

/// Sends and receives as one operation: all of them are made, or none.
ncclResult_t in_group(ncclComm_t comm, const char* name, auto&& calls) {
  if (!comm) return fail(ncclInvalidArgument, std::string(name) + ": the communicator is null");
  const std::size_t before = pending().size();
  depth++;
  const ncclResult_t result = calls();
  depth--;
  if (result != ncclSuccess) {
    pending().erase(pending().begin() + before, pending().end());
    return result;
  }
  return depth ? ncclSuccess : end_group();
}

ncclResult_t with_each(ncclComm_t comm, auto&& call) {
  for (int peer = 0; peer < comm->clique->ranks(); peer++)
    if (const ncclResult_t wrong = call(peer)) return wrong;
  return ncclSuccess;
}

/// What each rank does with the root, and the root with each.
ncclResult_t by_root(ncclComm_t comm, const char* name, int root, auto&& with_root,
                     auto&& of_root) {
  return in_group(comm, name, [&] {
    const ncclResult_t wrong = with_root();
    return wrong || comm->rank != root ? wrong : with_each(comm, of_root);
  });
}

std::size_t bytes_of(std::size_t count, ncclDataType_t type) {
  return type >= 0 && type < ncclNumTypes ? count * hipsight::rccl::size_of(type) : 0;
}
/// Null stays null.
const void* part(const void* memory, std::size_t bytes) {
  return memory ? static_cast<const char*>(memory) + bytes : nullptr;
}
void* part(void* memory, std::size_t bytes) {
  return memory ? static_cast<char*>(memory) + bytes : nullptr;
}

}  // namespace

RCCL ncclResult_t ncclAllToAll(const void* from, void* to, std::size_t count, ncclDataType_t type,
                               ncclComm_t comm, hipStream_t stream) {
  const std::size_t bytes = bytes_of(count, type);
  const auto exchange = [&](int peer) {
    const ncclResult_t sent = ncclSend(part(from, peer * bytes), count, type, peer, comm, stream);
    return sent ? sent : ncclRecv(part(to, peer * bytes), count, type, peer, comm, stream);
  };
  return in_group(comm, "ncclAllToAll", [&] { return with_each(comm, exchange); });
}
RCCL ncclResult_t ncclAllToAllv(const void* from, const std::size_t* send_counts,
                                const std::size_t* send_places, void* to,
                                const std::size_t* receive_counts,
                                const std::size_t* receive_places, ncclDataType_t type,
                                ncclComm_t comm, hipStream_t stream) {
  if (!send_counts || !send_places || !receive_counts || !receive_places)
    return fail(ncclInvalidArgument, "ncclAllToAllv: counts or places are null", comm);
  const auto exchange = [&](int peer) {
    const ncclResult_t sent = ncclSend(part(from, bytes_of(send_places[peer], type)),
                                       send_counts[peer], type, peer, comm, stream);
    return sent ? sent
                : ncclRecv(part(to, bytes_of(receive_places[peer], type)), receive_counts[peer],
                           type, peer, comm, stream);
  };
  return in_group(comm, "ncclAllToAllv", [&] { return with_each(comm, exchange); });
}
RCCL ncclResult_t ncclGather(const void* from, void* to, std::size_t count, ncclDataType_t type,
                             int root, ncclComm_t comm, hipStream_t stream) {
  return by_root(
      comm, "ncclGather", root, [&] { return ncclSend(from, count, type, root, comm, stream); },
      [&](int peer) {
        return ncclRecv(part(to, peer * bytes_of(count, type)), count, type, peer, comm, stream);
      });
}
RCCL ncclResult_t ncclScatter(const void* from, void* to, std::size_t count, ncclDataType_t type,
                              int root, ncclComm_t comm, hipStream_t stream) {
  return by_root(
      comm, "ncclScatter", root, [&] { return ncclRecv(to, count, type, root, comm, stream); },
      [&](int peer) {
        return ncclSend(part(from, peer * bytes_of(count, type)), count, type, peer, comm, stream);
      });
}

// --- sums with a factor -------------------------------------------------------------------------

/// `residence`: 0, the factor is in the GPU's memory, and is read when the sum is computed; 1, in
/// the host's, and is read now.
/// Puts a factor of the host's into memory that the GPU reaches, of comm.factors.
static Failure keep_factor(ncclComm& comm, const void* factor, ncclDataType_t type, void*& memory) {
  constexpr std::size_t bytes = 4096;
  const std::size_t size = sizeof(double);
  if (!comm.factors || comm.factor_bytes + size > bytes) {
    hipsight::rccl::OnDevice device;
    const hipsight::rccl::BesideCaptures beside;
    hipError_t error = device.set(comm.device);
    if (error == hipSuccess) error = hipHostMalloc(&memory, bytes, 0);
    if (const Failure wrong = failure_of(error, "ncclRedOpCreatePreMulSum")) return wrong;
    comm.factors = {static_cast<char*>(memory),
                    [](char* it) { static_cast<void>(hipHostFree(it)); }};
    comm.factor_bytes = 0;
  }
  memory = comm.factors.get() + comm.factor_bytes;
  comm.factor_bytes += size;
  std::memcpy(memory, factor, hipsight::rccl::size_of(type));
  return {};
}

RCCL ncclResult_t ncclRedOpCreatePreMulSum(ncclRedOp_t* to, void* factor, ncclDataType_t type,
                                           int residence, ncclComm_t comm) {
  if (!to || !factor || !comm)
    return fail(ncclInvalidArgument, "ncclRedOpCreatePreMulSum: a null pointer", comm);
  if (type < 0 || type >= ncclNumTypes)
    return fail(ncclInvalidArgument,
                "ncclRedOpCreatePreMulSum: there is no type " + std::to_string(type), comm);
  if (residence != 0 && residence != 1)
    return fail(ncclInvalidArgument,
                "ncclRedOpCreatePreMulSum: there is no residence " + std::to_string(residence),
                comm);
  ScaledSum made{type, {factor, [](void*) {}}};
  if (residence == 1) {
    void* memory = nullptr;
    if (const Failure wrong = keep_factor(*comm, factor, type, memory)) return fail(wrong, comm);
    made.factor = {comm->factors, memory};
  }
  comm->scaled_sums.push_back(made);
  *to = ncclNumOps + static_cast<int>(comm->scaled_sums.size()) - 1;
  return ncclSuccess;
}
RCCL ncclResult_t ncclRedOpDestroy(ncclRedOp_t op, ncclComm_t comm) {
  if (!comm) return fail(ncclInvalidArgument, "ncclRedOpDestroy: the communicator is null");
  ScaledSum* const one = scaled_of(*comm, op);
  if (!one)
    return fail(ncclInvalidArgument,
                "ncclRedOpDestroy: there is no operation " + std::to_string(op), comm);
  *one = {};
  return ncclSuccess;
}

// --- memory, registered or not: ranks reach all of it -------------------------------------------

RCCL ncclResult_t ncclMemAlloc(void** to, std::size_t bytes) {
  if (!to) return fail(ncclInvalidArgument, "ncclMemAlloc: a null pointer");
  return fail(failure_of(hipMalloc(to, bytes), "ncclMemAlloc"), nullptr);
}
RCCL ncclResult_t ncclMemFree(void* memory) {
  return fail(failure_of(hipFree(memory), "ncclMemFree"), nullptr);
}
RCCL ncclResult_t ncclCommRegister(ncclComm_t comm, void* memory, std::size_t, void** handle) {
  if (!comm || !handle) return fail(ncclInvalidArgument, "ncclCommRegister: a null pointer", comm);
  *handle = memory;
  return ncclSuccess;
}
RCCL ncclResult_t ncclCommDeregister(ncclComm_t comm, void*) {
  if (!comm) return fail(ncclInvalidArgument, "ncclCommDeregister: the communicator is null");
  return ncclSuccess;
}

// --- what is not done: never a success -----------------------------------------------------------

#define NOT_DONE(name)                                                  \
  RCCL ncclResult_t name() {                                            \
    return fail(ncclInvalidUsage, #name ": hipsight does not do this"); \
  }
NOT_DONE(ncclCommShrink)
NOT_DONE(ncclCommWindowRegister)
NOT_DONE(ncclCommWindowDeregister)
NOT_DONE(ncclGroupSimulateEnd)
