#include "clique.h"

#include <algorithm>
#include <array>
#include <map>

#include "meeting.h"
#include "staging.h"

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
      comes_(ranks),
      ends_(ranks),
      last_(ranks),
      rooms_(ranks),
      rooms_of_graphs_(ranks),
      place_(ranks) {}

Clique::Clique(int ranks, Network& network, int root, std::uint64_t number) : Clique(ranks) {
  network_ = &network;
  root_ = root;
  number_ = number;
}

Clique::~Clique() {
  OnDevice device;
  for (const int rank : here_) {
    static_cast<void>(device.set(devices_[rank]));
    if (group_ && ends_[rank]) static_cast<void>(hipEventSynchronize(ends_[rank]));
    for (hipEvent_t event : {comes_[rank], ends_[rank]})
      if (event) static_cast<void>(hipEventDestroy(event));
    for (const Rooms& rooms : {rooms_, rooms_of_graphs_}) {
      if (rooms[rank].empty()) continue;
      static_cast<void>(hipDeviceSynchronize());
      for (const Room& room : rooms[rank]) static_cast<void>(hipFree(room.memory));
    }
  }
}

Failure Clique::join(int rank, int device) {
  {
    const std::lock_guard lock(mutex_);
    if (here(rank)) return {ncclInvalidUsage, "rank " + std::to_string(rank) + " is there already"};
    devices_[rank] = device;
    here_.insert(std::ranges::upper_bound(here_, rank), rank);
    changed_.notify_all();
  }
  return network_ ? announce(rank) : Failure();
}

Failure Clique::wait_for_all() {
  std::unique_lock lock(mutex_);
  if (network_ && !meeting_) {
    meeting_ = true;
    lock.unlock();
    const Failure failure = meet();
    if (failure) lose(failure);
    lock.lock();
    met_ = true;
    changed_.notify_all();
  }
  const auto there = [&] {
    return network_ ? met_ : here_.size() == static_cast<std::size_t>(ranks_);
  };
  changed_.wait(lock, [&] { return there() || *stop_; });
  return state();
}

void Clique::submit(int rank, const std::vector<Call>& calls) {
  const std::lock_guard lock(mutex_);
  std::vector<Call> remote;
  for (const Call& call : calls) {
    const bool sends = call.kind == Call::Kind::Send;
    if (!sends && call.kind != Call::Kind::Receive)
      waiting_[rank].push_back(call);
    else if (!together(rank, call.peer))
      remote.push_back(call);
    else if (sends)
      sends_[rank * ranks_ + call.peer].push_back(call);
    else
      receives_[call.peer * ranks_ + rank].push_back(call);
  }
  if (!remote.empty()) {
    const Failure failure = start_remote(rank, remote);
    for (const Call& call : remote) end(call, failure);
  }
  start_ready();
  changed_.notify_all();
}

Failure Clique::wait(const bool* started, std::size_t count) {
  std::unique_lock lock(mutex_);
  const auto all = [&] {
    return std::all_of(started, started + count, [](bool one) { return one; });
  };
  changed_.wait(lock, [&] { return all() || *stop_; });
  return all() ? Failure() : state();
}

void Clique::abort() {
  *stop_ = true;  // first: a split holds the mutex while it waits for other processes
  const std::lock_guard lock(mutex_);
  for (auto* queues : {&waiting_, &sends_, &receives_})
    for (auto& queue : *queues) queue.clear();
  changed_.notify_all();
}

Failure Clique::state() const {
  if (lost_ || !*stop_) return lost_;
  return {ncclInternalError, "the communicator was aborted"};
}

Failure Clique::lost() {
  const std::lock_guard lock(mutex_);
  return state();
}

void Clique::end(const Call& call, const Failure& failure) {
  if (failure && !*call.failure) *call.failure = failure;
  *call.started = true;
}

void Clique::start_ready() {
  const auto ready = [&] {
    return std::ranges::none_of(here_, [&](int rank) { return waiting_[rank].empty(); });
  };
  while (ready()) {
    std::vector<Call> calls(ranks_);
    for (const int rank : here_) {
      calls[rank] = waiting_[rank].front();
      waiting_[rank].pop_front();
    }
    const Failure failure = start(calls);
    for (const int rank : here_) end(calls[rank], failure);
  }
  for (const int from : here_)
    for (const int to : here_) {
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

hipError_t Clique::follow(int rank, hipStream_t stream) {
  if (records_) return hipSuccess;  // a graph may wait for nothing outside of it
  if (!ends_[rank]) return hipEventCreateWithFlags(&ends_[rank], hipEventDisableTiming);
  return last_[rank] == stream ? hipSuccess : hipStreamWaitEvent(stream, ends_[rank], 0);
}

hipError_t Clique::ends(int rank, hipStream_t stream) {
  if (records_) return hipSuccess;
  last_[rank] = stream;
  return hipEventRecord(ends_[rank], stream);
}

Failure Clique::refuse_graphs(const std::vector<hipStream_t>& streams, const char* name) {
  if (Failure wrong = recording(streams, records_)) return wrong;
  if (!records_) return {};
  records_ = false;
  return {ncclInvalidUsage,
          std::string(name) + ": graphs hold operations of ranks of one process only"};
}

/// What comes later in any of these streams begins when all that is in them now has ended.
Failure Clique::all_wait_for_all(const std::vector<int>& ranks,
                                 const std::vector<hipStream_t>& streams) {
  return records_ ? meet_in_graphs(streams, stop_) : wait_for_events(ranks, streams);
}

Failure Clique::wait_for_events(const std::vector<int>& ranks,
                                const std::vector<hipStream_t>& streams) {
  OnDevice device;
  hipError_t error = hipSuccess;
  const auto then = [&](hipError_t next) { error = error == hipSuccess ? next : error; };
  for (std::size_t i = 0; i < ranks.size(); i++) {
    // Who waited for it earlier waits for what was in the stream then.
    hipEvent_t& event = comes_[ranks[i]];
    then(device.set(devices_[ranks[i]]));
    if (!event) then(hipEventCreateWithFlags(&event, hipEventDisableTiming));
    then(hipEventRecord(event, streams[i]));
  }
  for (std::size_t i = 0; i < ranks.size(); i++) {
    then(device.set(devices_[ranks[i]]));
    for (std::size_t k = 0; k < ranks.size(); k++)
      if (k != i) then(hipStreamWaitEvent(streams[i], comes_[ranks[k]], 0));
  }
  return failure_of(error, "the streams of ranks cannot wait for each other");
}

Failure Clique::room(int rank, std::size_t bytes, void** memory) {
  auto& rooms = (records_ ? rooms_of_graphs_ : rooms_)[rank];
  if (rooms.empty() || rooms.back().bytes < bytes) {
    OnDevice device;
    const BesideCaptures beside;
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
  const Call& first = calls[here_[0]];
  for (const int rank : here_) {
    const Call& call = calls[rank];
    if (call.kind != first.kind || call.count != first.count || call.type != first.type ||
        call.op != first.op || call.peer != first.peer)
      return {ncclInvalidUsage, "rank " + std::to_string(here_[0]) + " calls " +
                                    name_of(first.kind) + " of " + std::to_string(first.count) +
                                    " elements, rank " + std::to_string(rank) + " calls " +
                                    name_of(call.kind) + " of " + std::to_string(call.count) +
                                    ": kind, count, type, operation and root must be the same"};
  }
  if (first.kind == Call::Kind::Split) return split(calls);
  std::vector<hipStream_t> streams;
  for (const int rank : here_) streams.push_back(calls[rank].stream);
  const std::size_t size = size_of(first.type), bytes = first.count * size;
  if (bytes == 0) return {};
  if (Failure wrong =
          group_ ? refuse_graphs(streams, name_of(first.kind)) : recording(streams, records_))
    return wrong;
  OnDevice device;
  Failure failure;
  const auto then = [&](auto step) {
    if (!failure) failure = step();
  };
  const auto meet = [&] { then([&] { return all_wait_for_all(here_, streams); }); };
  /// step(rank), on its device.
  const auto each = [&](auto step) {
    for (const int rank : here_)
      then([&] {
        if (Failure wrong = failure_of(device.set(devices_[rank]), "hipSetDevice")) return wrong;
        return failure_of(step(rank), name_of(first.kind));
      });
  };

  // What ranks need of each other: all need the same part of a rank's memory, or each its own.
  struct Part {
    std::size_t at = 0, bytes = 0;
  };
  enum class Of { All, Each };
  /// Where a rank finds what it needs: part(from, to) of memory(from).
  using Views = std::array<Buffers, most_ranks>;
  const auto reach = [&](auto memory, Of of, auto part) {
    Views views{};
    std::vector<Piece> pieces;
    for (int from = 0; from < ranks_; from++)
      for (int to = 0; to < ranks_; to++) {
        const Part needed = part(from, to);
        if (together(from, to)) {
          if (here(to)) views[to].of[from] = at(memory(from), needed.at);
          continue;
        }
        if (!needed.bytes || (!here(from) && !here(to))) continue;
        if (of == Of::All && first_of(to) != to) continue;
        pieces.push_back(
            {from, to, here(from) ? at(memory(from), needed.at) : nullptr, needed.bytes});
      }
    if (group_) then([&] { return bring(pieces, first, *staging_, here_, streams); });
    for (const Piece& piece : pieces)
      for (const int to : here_)
        if (to == piece.to || (of == Of::All && together(to, piece.to)))
          if (piece.sink) views[to].of[piece.from] = piece.sink;
    return views;
  };
  const auto given = [&](int rank) { return calls[rank].from; };

  each([&](int rank) { return follow(rank, calls[rank].stream); });
  meet();
  if (staging_) staging_->restart();
  Views factors{};
  if (records_ && first.op == scaled_sum)
    for (const int rank : here_) factors_of_graphs_.push_back(calls[rank].factor);
  if (first.op == scaled_sum)
    factors = reach([&](int rank) { return calls[rank].factor.get(); }, Of::All,
                    [&](int, int) { return Part{0, size}; });
  const auto reduce_to = [&](int rank, const Views& views, void* to, std::size_t count) {
    return reduce(views[rank], factors[rank], ranks_, to, count, first.type, first.op,
                  calls[rank].stream);
  };
  /// One buffer of a rank alone.
  const auto copy_from = [&](const void* source, int rank, void* to, std::size_t count) {
    Parts parts{.at = {0}, .bytes = {count}};
    return gather(Buffers{{const_cast<void*>(source)}}, 1, to, parts, calls[rank].stream);
  };
  const auto whole = [&](int, int) { return Part{0, bytes}; };
  switch (first.kind) {
    case Call::Kind::AllReduce: {
      const bool shared = bytes > one_shot_bytes;
      if (!shared) {
        // A rank alone in its process may write where it reads, place by place.
        bool in_place = false;
        for (const int a : here_)
          for (const int b : here_)
            in_place |= overlap(calls[a].from, bytes, calls[b].to, bytes) &&
                        (here_.size() > 1 || calls[a].from != calls[b].to);
        const Views inputs = reach(given, Of::All, whole);
        if (!in_place) {
          each([&](int rank) { return reduce_to(rank, inputs, calls[rank].to, first.count); });
          break;
        }
        Buffers sums{};
        for (const int rank : here_) then([&] { return room(rank, bytes, &sums.of[rank]); });
        each([&](int rank) { return reduce_to(rank, inputs, sums.of[rank], first.count); });
        meet();
        each([&](int rank) { return copy_from(sums.of[rank], rank, calls[rank].to, bytes); });
        break;
      }
      // Shares begin at 16 bytes.
      const std::size_t unit = 16 / size;
      const std::size_t share = (first.count + ranks_ * unit - 1) / (ranks_ * unit) * unit;
      const auto begin_of = [&](int rank) { return std::min(first.count, rank * share); };
      const auto count_of = [&](int rank) { return std::min(share, first.count - begin_of(rank)); };
      Buffers shares{};
      for (const int rank : here_) then([&] { return room(rank, share * size, &shares.of[rank]); });
      const Views inputs = reach(given, Of::Each, [&](int, int to) {
        return Part{begin_of(to) * size, count_of(to) * size};
      });
      each([&](int rank) { return reduce_to(rank, inputs, shares.of[rank], count_of(rank)); });
      meet();
      Parts parts{};
      for (int rank = 0; rank < ranks_; rank++) {
        parts.at[rank] = begin_of(rank) * size;
        parts.bytes[rank] = count_of(rank) * size;
      }
      const Views sums = reach([&](int rank) { return shares.of[rank]; }, Of::All,
                               [&](int from, int) { return Part{0, parts.bytes[from]}; });
      each([&](int rank) {
        return gather(sums[rank], ranks_, calls[rank].to, parts, calls[rank].stream);
      });
      break;
    }
    case Call::Kind::Reduce: {
      const Views inputs = reach(
          given, Of::Each, [&](int, int to) { return Part{0, to == first.peer ? bytes : 0}; });
      each([&](int rank) {
        return rank == first.peer ? reduce_to(rank, inputs, calls[rank].to, first.count)
                                  : hipSuccess;
      });
      break;
    }
    case Call::Kind::Broadcast: {
      const Views inputs = reach(
          given, Of::All, [&](int from, int) { return Part{0, from == first.peer ? bytes : 0}; });
      each([&](int rank) {
        const void* const from = inputs[rank].of[first.peer];
        return from == calls[rank].to ? hipSuccess : copy_from(from, rank, calls[rank].to, bytes);
      });
      break;
    }
    case Call::Kind::AllGather: {
      const Views inputs = reach(given, Of::All, whole);
      each([&](int rank) {
        Parts parts{};
        for (int other = 0; other < ranks_; other++) {
          parts.at[other] = other * bytes;
          const bool there = inputs[rank].of[other] == at(calls[rank].to, parts.at[other]);
          parts.bytes[other] = there ? 0 : bytes;
        }
        return gather(inputs[rank], ranks_, calls[rank].to, parts, calls[rank].stream);
      });
      break;
    }
    default: {
      const Views inputs =
          reach(given, Of::Each, [&](int, int to) { return Part{to * bytes, bytes}; });
      each([&](int rank) { return reduce_to(rank, inputs, calls[rank].to, first.count); });
    }
  }
  meet();
  each([&](int rank) { return ends(rank, calls[rank].stream); });
  return failure;
}

Failure Clique::split(const std::vector<Call>& calls) {
  struct Wish {
    int color, key;
  };
  std::vector<Wish> wishes(ranks_);
  for (const int rank : here_) wishes[rank] = {calls[rank].split->color, calls[rank].split->key};
  if (Failure wrong = tell_all(wishes.data(), sizeof(Wish))) return wrong;
  std::map<int, std::vector<int>> ranks_of;  // of a color
  for (int rank = 0; rank < ranks_; rank++)
    if (wishes[rank].color >= 0) ranks_of[wishes[rank].color].push_back(rank);
  for (auto& [color, ranks] : ranks_of) {
    if (std::ranges::none_of(ranks, [&](int rank) { return here(rank); })) continue;
    std::ranges::stable_sort(ranks, {}, [&](int rank) { return wishes[rank].key; });
    const auto clique = std::make_shared<Clique>(static_cast<int>(ranks.size()));
    for (std::size_t i = 0; i < ranks.size(); i++) {
      clique->place_[i] = place_[ranks[i]];
      if (!here(ranks[i])) continue;
      static_cast<void>(clique->join(static_cast<int>(i), devices_[ranks[i]]));
      calls[ranks[i]].split->clique = clique;
      calls[ranks[i]].split->rank = static_cast<int>(i);
    }
    clique->network_ = network_;
    // Processes form communicators in the order of colors, all of them.
    if (network_)
      if (Failure wrong = clique->form(color)) return wrong;
  }
  return {};
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
  if (Failure wrong = recording(streams, records_)) return wrong;
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
