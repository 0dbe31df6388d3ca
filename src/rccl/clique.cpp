#include "clique.h"

#include <algorithm>
#include <map>

namespace hipsight::rccl {
namespace {

/// From there on each rank reduces its share only, and gets the others' shares of the others.
/// Below, each reads all and reduces all: one step less, for more bytes on the links.
constexpr std::size_t one_shot_bytes = 256 << 10;

bool overlap(const void* a, std::size_t bytes_a, const void* b, std::size_t bytes_b) {
  const auto x = reinterpret_cast<std::uintptr_t>(a), y = reinterpret_cast<std::uintptr_t>(b);
  return x < y + bytes_b && y < x + bytes_a;
}

void* at(const void* memory, std::size_t bytes) {
  return static_cast<char*>(const_cast<void*>(memory)) + bytes;
}

}  // namespace

Failure failure_of(hipError_t error, const char* what) {
  if (error == hipSuccess) return {};
  return {ncclUnhandledCudaError, std::string(what) + ": " + hipGetErrorString(error)};
}

const char* name_of(Call::Kind kind) {
  constexpr const char* names[] = {"ncclAllReduce", "ncclReduce",        "ncclBroadcast",
                                   "ncclAllGather", "ncclReduceScatter", "ncclSend",
                                   "ncclRecv",      "ncclCommSplit"};
  return names[static_cast<int>(kind)];
}

Clique::Clique(int ranks)
    : ranks_(ranks),
      devices_(ranks, -1),
      waiting_(ranks),
      sends_(ranks * ranks),
      receives_(ranks * ranks),
      ends_(ranks),
      last_(ranks),
      rooms_(ranks) {}

Clique::~Clique() {
  OnDevice device;
  for (int rank = 0; rank < ranks_; rank++) {
    static_cast<void>(device.set(devices_[rank]));
    if (ends_[rank]) static_cast<void>(hipEventDestroy(ends_[rank]));
    if (rooms_[rank].empty()) continue;
    static_cast<void>(hipDeviceSynchronize());
    for (const Room& room : rooms_[rank]) static_cast<void>(hipFree(room.memory));
  }
}

Failure Clique::join(int rank, int device) {
  const std::lock_guard lock(mutex_);
  if (devices_[rank] >= 0)
    return {ncclInvalidUsage, "rank " + std::to_string(rank) + " is there already"};
  devices_[rank] = device;
  joined_++;
  changed_.notify_all();
  return {};
}

void Clique::wait_for_all() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return joined_ == ranks_ || aborted_; });
}

void Clique::submit(int rank, const std::vector<Call>& calls) {
  const std::lock_guard lock(mutex_);
  for (const Call& call : calls) {
    if (call.kind == Call::Kind::Send)
      sends_[rank * ranks_ + call.peer].push_back(call);
    else if (call.kind == Call::Kind::Receive)
      receives_[call.peer * ranks_ + rank].push_back(call);
    else
      waiting_[rank].push_back(call);
  }
  start_ready();
  changed_.notify_all();
}

Failure Clique::wait(const bool* started, std::size_t count) {
  std::unique_lock lock(mutex_);
  const auto all = [&] {
    return std::all_of(started, started + count, [](bool one) { return one; });
  };
  changed_.wait(lock, [&] { return all() || aborted_; });
  return all() ? Failure() : Failure{ncclInternalError, "the communicator was aborted"};
}

void Clique::abort() {
  const std::lock_guard lock(mutex_);
  aborted_ = true;
  for (auto* queues : {&waiting_, &sends_, &receives_})
    for (auto& queue : *queues) queue.clear();
  changed_.notify_all();
}

bool Clique::aborted() {
  const std::lock_guard lock(mutex_);
  return aborted_;
}

void Clique::start_ready() {
  const auto end = [](const Call& call, const Failure& failure) {
    if (failure && !*call.failure) *call.failure = failure;
    *call.started = true;
  };
  while (std::ranges::none_of(waiting_, &std::deque<Call>::empty)) {
    std::vector<Call> calls;
    for (auto& queue : waiting_) {
      calls.push_back(queue.front());
      queue.pop_front();
    }
    const Failure failure = start(calls);
    for (const Call& call : calls) end(call, failure);
  }
  for (int from = 0; from < ranks_; from++)
    for (int to = 0; to < ranks_; to++) {
      auto &sends = sends_[from * ranks_ + to], &receives = receives_[from * ranks_ + to];
      while (!sends.empty() && !receives.empty()) {
        const Failure failure = start_pair(from, sends.front(), to, receives.front());
        end(sends.front(), failure);
        end(receives.front(), failure);
        sends.pop_front();
        receives.pop_front();
      }
    }
}

/// What comes later in any of these streams begins when all that is in them now has ended.
Failure Clique::all_wait_for_all(const std::vector<int>& ranks,
                                 const std::vector<hipStream_t>& streams) {
  OnDevice device;
  std::vector<hipEvent_t> events(ranks.size());
  hipError_t error = hipSuccess;
  const auto then = [&](hipError_t next) { error = error == hipSuccess ? next : error; };
  for (std::size_t i = 0; i < ranks.size(); i++) {
    then(device.set(devices_[ranks[i]]));
    then(hipEventCreateWithFlags(&events[i], hipEventDisableTiming));
    then(hipEventRecord(events[i], streams[i]));
  }
  for (std::size_t i = 0; i < ranks.size(); i++) {
    then(device.set(devices_[ranks[i]]));
    for (std::size_t k = 0; k < ranks.size(); k++)
      if (k != i) then(hipStreamWaitEvent(streams[i], events[k], 0));
  }
  for (hipEvent_t event : events)
    if (event) static_cast<void>(hipEventDestroy(event));  // once it has been waited for
  return failure_of(error, "the streams of ranks cannot wait for each other");
}

Failure Clique::room(int rank, std::size_t bytes, void** memory) {
  auto& rooms = rooms_[rank];
  if (rooms.empty() || rooms.back().bytes < bytes) {
    OnDevice device;
    Room room{.bytes = std::max(bytes, rooms.empty() ? one_shot_bytes : 2 * rooms.back().bytes)};
    if (const hipError_t error = device.set(devices_[rank]); error != hipSuccess)
      return failure_of(error, "hipSetDevice");
    if (const hipError_t error = hipMalloc(&room.memory, room.bytes); error != hipSuccess)
      return failure_of(error, "memory for the ranks' shares");
    rooms.push_back(room);
  }
  *memory = rooms.back().memory;
  return {};
}

Failure Clique::start(const std::vector<Call>& calls) {
  const Call& first = calls[0];
  for (int rank = 1; rank < ranks_; rank++) {
    const Call& call = calls[rank];
    if (call.kind != first.kind || call.count != first.count || call.type != first.type ||
        call.op != first.op || call.peer != first.peer)
      return {ncclInvalidUsage, "rank 0 calls " + std::string(name_of(first.kind)) + " of " +
                                    std::to_string(first.count) + " elements, rank " +
                                    std::to_string(rank) + " calls " + name_of(call.kind) + " of " +
                                    std::to_string(call.count) +
                                    ": kind, count, type, operation and root must be the same"};
  }
  if (first.kind == Call::Kind::Split) {
    split(calls);
    return {};
  }
  std::vector<int> all(ranks_);
  std::vector<hipStream_t> streams;
  for (int rank = 0; rank < ranks_; rank++) {
    all[rank] = rank;
    streams.push_back(calls[rank].stream);
  }
  const std::size_t size = size_of(first.type), bytes = first.count * size;
  if (bytes == 0) return {};
  OnDevice device;
  Failure failure;
  const auto then = [&](auto step) {
    if (!failure) failure = step();
  };
  const auto meet = [&] { then([&] { return all_wait_for_all(all, streams); }); };
  /// step(rank), on its device.
  const auto each = [&](auto step) {
    for (int rank = 0; rank < ranks_; rank++)
      then([&] {
        if (Failure wrong = failure_of(device.set(devices_[rank]), "hipSetDevice")) return wrong;
        return failure_of(step(rank), name_of(first.kind));
      });
  };
  /// What ranks send, from so many bytes on.
  const auto sent = [&](std::size_t from) {
    Buffers buffers;
    for (int rank = 0; rank < ranks_; rank++) buffers.of[rank] = at(calls[rank].from, from);
    return buffers;
  };
  Buffers factors{};
  for (int rank = 0; rank < ranks_; rank++) factors.of[rank] = calls[rank].factor.get();
  const auto reduce_to = [&](int rank, std::size_t from, void* to, std::size_t count) {
    return reduce(sent(from), factors, ranks_, to, count, first.type, first.op, streams[rank]);
  };
  /// One buffer of a rank alone.
  const auto copy_from = [&](const void* source, int rank, void* to, std::size_t count) {
    Parts parts{.at = {0}, .bytes = {count}};
    return gather(Buffers{{const_cast<void*>(source)}}, 1, to, parts, streams[rank]);
  };

  each([&](int rank) {
    if (!ends_[rank]) return hipEventCreateWithFlags(&ends_[rank], hipEventDisableTiming);
    return last_[rank] == streams[rank] ? hipSuccess
                                        : hipStreamWaitEvent(streams[rank], ends_[rank], 0);
  });
  meet();
  switch (first.kind) {
    case Call::Kind::AllReduce: {
      bool in_place = false;
      for (const Call& a : calls)
        for (const Call& b : calls) in_place |= overlap(a.from, bytes, b.to, bytes);
      if (bytes <= one_shot_bytes && !in_place) {
        each([&](int rank) { return reduce_to(rank, 0, calls[rank].to, first.count); });
        break;
      }
      // Shares begin at 16 bytes.
      const bool shared = bytes > one_shot_bytes;
      const std::size_t unit = 16 / size;
      const std::size_t share =
          shared ? (first.count + ranks_ * unit - 1) / (ranks_ * unit) * unit : first.count;
      Buffers shares;
      const auto begin_of = [&](int rank) {
        return shared ? std::min(first.count, rank * share) : 0;
      };
      const auto count_of = [&](int rank) { return std::min(share, first.count - begin_of(rank)); };
      for (int rank = 0; rank < ranks_; rank++)
        then([&] { return room(rank, share * size, &shares.of[rank]); });
      each([&](int rank) {
        return reduce_to(rank, begin_of(rank) * size, shares.of[rank], count_of(rank));
      });
      meet();
      if (!shared) {
        each([&](int rank) { return copy_from(shares.of[rank], rank, calls[rank].to, bytes); });
        break;
      }
      Parts parts{};
      for (int rank = 0; rank < ranks_; rank++) {
        parts.at[rank] = begin_of(rank) * size;
        parts.bytes[rank] = count_of(rank) * size;
      }
      each([&](int rank) { return gather(shares, ranks_, calls[rank].to, parts, streams[rank]); });
      break;
    }
    case Call::Kind::Reduce:
      each([&](int rank) {
        return rank == first.peer ? reduce_to(rank, 0, calls[rank].to, first.count) : hipSuccess;
      });
      break;
    case Call::Kind::Broadcast:
      each([&](int rank) {
        const void* const from = calls[first.peer].from;
        return from == calls[rank].to ? hipSuccess : copy_from(from, rank, calls[rank].to, bytes);
      });
      break;
    case Call::Kind::AllGather:
      each([&](int rank) {
        Parts parts{};
        const Buffers buffers = sent(0);
        for (int other = 0; other < ranks_; other++) {
          parts.at[other] = other * bytes;
          const bool there = buffers.of[other] == at(calls[rank].to, parts.at[other]);
          parts.bytes[other] = there ? 0 : bytes;
        }
        return gather(buffers, ranks_, calls[rank].to, parts, streams[rank]);
      });
      break;
    default:
      each([&](int rank) { return reduce_to(rank, rank * bytes, calls[rank].to, first.count); });
  }
  meet();
  each([&](int rank) {
    last_[rank] = streams[rank];
    return hipEventRecord(ends_[rank], streams[rank]);
  });
  return failure;
}

void Clique::split(const std::vector<Call>& calls) {
  std::map<int, std::vector<int>> ranks_of;  // of a color
  for (int rank = 0; rank < ranks_; rank++)
    if (calls[rank].split->color >= 0) ranks_of[calls[rank].split->color].push_back(rank);
  for (auto& [color, ranks] : ranks_of) {
    std::ranges::stable_sort(ranks, {}, [&](int rank) { return calls[rank].split->key; });
    const auto clique = std::make_shared<Clique>(static_cast<int>(ranks.size()));
    for (std::size_t i = 0; i < ranks.size(); i++) {
      static_cast<void>(clique->join(static_cast<int>(i), devices_[ranks[i]]));
      calls[ranks[i]].split->clique = clique;
      calls[ranks[i]].split->rank = static_cast<int>(i);
    }
  }
}

Failure Clique::start_pair(int from, const Call& send, int to, const Call& receive) {
  if (send.count * size_of(send.type) != receive.count * size_of(receive.type))
    return {ncclInvalidUsage, "rank " + std::to_string(from) + " sends " +
                                  std::to_string(send.count * size_of(send.type)) +
                                  " bytes, rank " + std::to_string(to) + " receives " +
                                  std::to_string(receive.count * size_of(receive.type))};
  const std::size_t bytes = send.count * size_of(send.type);
  const std::vector<int> both{from, to};
  const std::vector<hipStream_t> streams{send.stream, receive.stream};
  if (Failure wrong = all_wait_for_all(both, streams)) return wrong;
  OnDevice device;
  if (Failure wrong = failure_of(device.set(devices_[to]), "hipSetDevice")) return wrong;
  Parts parts{.at = {0}, .bytes = {bytes}};
  if (Failure wrong = failure_of(
          gather(Buffers{{const_cast<void*>(send.from)}}, 1, receive.to, parts, receive.stream),
          "ncclRecv"))
    return wrong;
  return all_wait_for_all(both, streams);
}

}  // namespace hipsight::rccl
