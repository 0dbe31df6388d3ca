// A communicator over the processes of a job, each with some ranks: job_test WHAT RANKS, under
// mpirun, where RANKS are those of each process. Prints "as expected" for each process, and fails
// otherwise. WHAT: results | mismatch | lost | twice.
#include <hip/hip_runtime.h>
#include <mpi.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "functions.h"

namespace {

int process = 0, processes = 0, per_process = 1;

void expect(bool right, const std::string& what) {
  if (right) return;
  std::printf("process %d: %s\n", process, what.c_str());
  std::fflush(stdout);
  std::_Exit(1);
}
void expect(hipError_t error) {
  expect(error == hipSuccess, hipGetErrorString(error));
}

struct Rank {
  int number;
  ncclComm_t comm = nullptr;
  hipStream_t stream = nullptr;
  int *from = nullptr, *to = nullptr;
};
std::vector<Rank> mine;
int all = 0;

void right(ncclResult_t result) {
  expect(result == ncclSuccess, std::string("an error: ") + ncclGetLastError(nullptr));
}

/// The value of a rank's element: sums over ranks are exact in 32 bits.
int value(int rank, std::size_t i) {
  return static_cast<int>((rank + 1) * 1000 + i * 7 % 997);
}
int sum(std::size_t i) {
  int total = 0;
  for (int rank = 0; rank < all; rank++) total += value(rank, i);
  return total;
}

void fill(std::size_t count) {
  std::vector<int> values(count);
  for (Rank& rank : mine) {
    expect(hipSetDevice(rank.number % per_process));
    for (std::size_t i = 0; i < count; i++) values[i] = value(rank.number, i);
    expect(hipMemcpy(rank.from, values.data(), count * sizeof(int), hipMemcpyHostToDevice));
    expect(hipMemset(rank.to, 0xff, count * sizeof(int)));
    expect(hipDeviceSynchronize());
  }
}

/// call(rank) of all, in a group.
template <class Make>
void group(Make call) {
  right(ncclGroupStart());
  for (Rank& rank : mine) {
    expect(hipSetDevice(rank.number % per_process));
    right(call(rank));
  }
  right(ncclGroupEnd());
}

/// Each rank has wanted(rank, i) in `to`, at i < count.
template <class Wanted>
void verify(const char* what, std::size_t count, Wanted wanted) {
  std::vector<int> got(count);
  for (Rank& rank : mine) {
    expect(hipStreamSynchronize(rank.stream));
    ncclResult_t state = ncclSuccess;
    right(ncclCommGetAsyncError(rank.comm, &state));
    expect(state == ncclSuccess, std::string(what) + ": " + ncclGetLastError(rank.comm));
    expect(hipMemcpy(got.data(), rank.to, count * sizeof(int), hipMemcpyDeviceToHost));
    for (std::size_t i = 0; i < count; i++)
      expect(got[i] == wanted(rank, i), std::string(what) + ": rank " +
                                            std::to_string(rank.number) + " has " +
                                            std::to_string(got[i]) + " at " + std::to_string(i) +
                                            ", not " + std::to_string(wanted(rank, i)));
  }
}

template <class Make, class Wanted>
void check(const char* what, std::size_t count, Make call, Wanted wanted) {
  group(call);
  verify(what, count, wanted);
}

/// Elements of a rank to the next one, from the one before.
ncclResult_t ring(Rank& r, std::size_t first, std::size_t count) {
  const int next = (r.number + 1) % all, before = (r.number + all - 1) % all;
  const ncclResult_t sent = ncclSend(r.from + first, count, ncclInt32, next, r.comm, r.stream);
  return sent ? sent : ncclRecv(r.to + first, count, ncclInt32, before, r.comm, r.stream);
}
int of_ring(Rank& r, std::size_t i) {
  return value((r.number + all - 1) % all, i);
}

void results() {
  using Index = std::size_t;
  // Below and above where ranks share the work; and with a tail.
  for (const Index count : {Index{1}, Index{1000}, Index{300001}}) {
    fill(count);
    check(
        "all-reduce", count,
        [&](Rank& r) {
          return ncclAllReduce(r.from, r.to, count, ncclInt32, ncclSum, r.comm, r.stream);
        },
        [&](Rank&, Index i) { return sum(i); });
    fill(count);
    check(
        "reduce", count,
        [&](Rank& r) {
          return ncclReduce(r.from, r.to, count, ncclInt32, ncclSum, all - 1, r.comm, r.stream);
        },
        [&](Rank& r, Index i) { return r.number == all - 1 ? sum(i) : -1; });
    check(
        "broadcast", count,
        [&](Rank& r) { return ncclBroadcast(r.from, r.to, count, ncclInt32, 0, r.comm, r.stream); },
        [&](Rank&, Index i) { return value(0, i); });
    const Index part = count / all;
    if (part) {
      check(
          "all-gather", part * all,
          [&](Rank& r) { return ncclAllGather(r.from, r.to, part, ncclInt32, r.comm, r.stream); },
          [&](Rank&, Index i) { return value(static_cast<int>(i / part), i % part); });
      check(
          "reduce-scatter", part,
          [&](Rank& r) {
            return ncclReduceScatter(r.from, r.to, part, ncclInt32, ncclSum, r.comm, r.stream);
          },
          [&](Rank& r, Index i) { return sum(r.number * part + i); });
      check(
          "all-to-all", part * all,
          [&](Rank& r) { return ncclAllToAll(r.from, r.to, part, ncclInt32, r.comm, r.stream); },
          [&](Rank& r, Index i) {
            return value(static_cast<int>(i / part), r.number * part + i % part);
          });
    }
    fill(count);
    check(
        "all-reduce in place", count,
        [&](Rank& r) {
          expect(hipMemcpy(r.to, r.from, count * sizeof(int), hipMemcpyDeviceToDevice));
          return ncclAllReduce(r.to, r.to, count, ncclInt32, ncclSum, r.comm, r.stream);
        },
        [&](Rank&, Index i) { return sum(i); });
    check("ring", count, [&](Rank& r) { return ring(r, 0, count); }, of_ring);
  }
  // One after the other, before the first has ended, and each of another size.
  fill(600);
  for (const Index i : {0, 1, 2})
    group([&](Rank& r) { return ring(r, i * (i + 1) * 50, (i + 1) * 100); });
  verify("rings", 600, of_ring);
  for (const Index i : {0, 1, 2})
    group([&](Rank& r) {
      return ncclAllReduce(r.from + i * 100, r.to + i * 100, 100 * (i + 1), ncclInt32, ncclSum,
                           r.comm, r.stream);
    });
  verify("all-reduces", 500, [&](Rank&, Index i) { return sum(i); });
  // A factor of each rank, which lies in its memory.
  fill(100);
  std::vector<ncclRedOp_t> ops(mine.size());
  for (std::size_t i = 0; i < mine.size(); i++) {
    int factor = mine[i].number + 2;
    expect(hipSetDevice(mine[i].number % per_process));
    right(ncclRedOpCreatePreMulSum(&ops[i], &factor, ncclInt32, 1, mine[i].comm));
  }
  check(
      "sum with factors", 100,
      [&](Rank& r) {
        return ncclAllReduce(r.from, r.to, 100, ncclInt32, ops[&r - mine.data()], r.comm, r.stream);
      },
      [&](Rank&, std::size_t i) {
        int total = 0;
        for (int rank = 0; rank < all; rank++) total += (rank + 2) * value(rank, i);
        return total;
      });

  // Even and odd ranks, in the reverse order: parts of several processes.
  std::vector<ncclComm_t> parts(mine.size());
  right(ncclGroupStart());
  for (std::size_t i = 0; i < mine.size(); i++)
    right(ncclCommSplit(mine[i].comm, mine[i].number % 2, -mine[i].number, &parts[i], nullptr));
  right(ncclGroupEnd());
  fill(100);
  for (std::size_t i = 0; i < mine.size(); i++) {
    int place = -1, count = 0;
    right(ncclCommUserRank(parts[i], &place));
    right(ncclCommCount(parts[i], &count));
    const int wanted = (all + 1 - mine[i].number % 2) / 2;
    expect(count == wanted && place == wanted - 1 - mine[i].number / 2, "a part's rank");
  }
  check(
      "all-reduce of a part", 100,
      [&](Rank& r) {
        return ncclAllReduce(r.from, r.to, 100, ncclInt32, ncclMax, parts[&r - mine.data()],
                             r.stream);
      },
      [&](Rank& r, std::size_t i) {
        const int last = all - 1;
        return value(last % 2 == r.number % 2 ? last : last - 1, i);
      });
  for (ncclComm_t part : parts) right(ncclCommDestroy(part));
}

/// Until the communicator has an error: what it says.
std::string error_of(Rank& rank) {
  for (int i = 0; i < 600; i++) {
    ncclResult_t state = ncclSuccess;
    right(ncclCommGetAsyncError(rank.comm, &state));
    if (state != ncclSuccess) return ncclGetLastError(rank.comm);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return "none in 30 s";
}

void all_reduce(std::size_t count) {
  right(ncclGroupStart());
  for (Rank& rank : mine)
    right(ncclAllReduce(rank.from, rank.to, count, ncclInt32, ncclSum, rank.comm, rank.stream));
  right(ncclGroupEnd());
}

void mismatch() {
  all_reduce(process ? 100 : 200);
  const std::string text = error_of(mine[0]);
  expect(text.find("ncclAllReduce of 100") != std::string::npos &&
             text.find("ncclAllReduce of 200") != std::string::npos,
         "the error is: " + text);
  expect(ncclAllReduce(mine[0].from, mine[0].to, 1, ncclInt32, ncclSum, mine[0].comm,
                       mine[0].stream) != ncclSuccess,
         "the communicator goes on");
}

void lost() {
  if (process == 1) kill(getpid(), SIGKILL);
  all_reduce(100);
  const std::string text = error_of(mine[0]);
  expect(text.find("process 1 of the job") != std::string::npos &&
             text.find("has ended") != std::string::npos,
         "the error is: " + text);
}

/// Both processes say that they have the same rank: both hear that it is wrong.
void twice(const ncclUniqueId& id) {
  ncclComm_t comm = nullptr;
  expect(ncclCommInitRank(&comm, 2, id, 0) != ncclSuccess, "rank 0 was made twice");
  const std::string text = ncclGetLastError(nullptr);
  expect(text.find(process ? "do not agree" : "rank 0 of 2 is there twice") != std::string::npos,
         "the error is: " + text);
  std::printf("process %d: as expected\n", process);
  std::fflush(stdout);
  std::_Exit(0);
}

}  // namespace

int main(int count, char** words) {
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &process);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  const std::string what = count > 1 ? words[1] : "";
  per_process = count > 2 ? std::atoi(words[2]) : 1;
  all = processes * per_process;
  ncclUniqueId id;
  if (process == 0) right(ncclGetUniqueId(&id));
  MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
  if (what == "twice") twice(id);
  for (int i = 0; i < per_process; i++) mine.push_back({process * per_process + i});
  right(ncclGroupStart());
  for (Rank& rank : mine) {
    expect(hipSetDevice(rank.number % per_process));
    expect(hipStreamCreate(&rank.stream));
    expect(hipMalloc(&rank.from, 2 << 20));
    expect(hipMalloc(&rank.to, 2 << 20));
    right(ncclCommInitRank(&rank.comm, all, id, rank.number));
  }
  right(ncclGroupEnd());
  fill(1000);
  if (what == "results")
    results();
  else if (what == "mismatch")
    mismatch();
  else if (what == "lost")
    lost();
  else
    expect(false, "job_test results|mismatch|lost|twice RANKS");
  std::printf("process %d: as expected\n", process);
  std::fflush(stdout);
  // With a process lost, or ranks that do not fit each other, MPI would wait for ever.
  if (what != "results") std::_Exit(0);
  for (Rank& rank : mine) right(ncclCommDestroy(rank.comm));
  MPI_Finalize();
  return 0;
}
