// What a communicator does with ranks of other processes.

#include <algorithm>

#include "staging.h"

namespace hipsight::rccl {
namespace {

/// Tags of a job's own messages, far from those that programs use.
constexpr int first_tag = 1 << 24;
constexpr std::uint64_t numbers = 1 << 20;  ///< after so many communicators, tags begin anew

int tag_of(std::uint64_t number) {
  return first_tag + 2 * static_cast<int>(number % numbers);
}

struct Announcement {
  int rank = 0, ranks = 0;
  Process process;
};

std::string called(const Header& header) {
  return "rank " + std::to_string(header.rank) + " calls " +
         name_of(static_cast<Call::Kind>(header.kind)) + " of " + std::to_string(header.count) +
         " elements of type " + std::to_string(header.type);
}

bool in_pairs(Call::Kind kind) {
  return kind == Call::Kind::Send || kind == Call::Kind::Receive;
}

/// Whether a message is what its receiver was called for.
bool fits(const Header& sent, const Header& wanted) {
  if (sent.bytes != wanted.bytes) return false;
  if (in_pairs(static_cast<Call::Kind>(wanted.kind)))
    return in_pairs(static_cast<Call::Kind>(sent.kind));
  return sent.kind == wanted.kind && sent.type == wanted.type && sent.op == wanted.op &&
         sent.peer == wanted.peer && sent.count == wanted.count;
}

}  // namespace

int Clique::first_of(int rank) const {
  int first = 0;
  while (!together(first, rank)) first++;
  return first;
}

/// Ranks tell the process of the root where they are, and it tells all. Programs join all ranks of
/// a process before they wait, so one thread does this for all of them.
Failure Clique::meet() {
  const auto failed = [](const std::string& why) {
    return Failure{ncclRemoteError, "ranks of other processes: " + why};
  };
  const Process self = network_->self();
  const int tag = tag_of(number_);
  std::vector<Announcement> all(ranks_);
  Failure wrong_ranks;  // of which all hear: they wait
  if (self.number == root_) {
    std::vector<int> processes;
    for (int i = 0; i < ranks_; i++) {
      Announcement one;
      const Message message{Network::anyone, tag, &one, sizeof one, false};
      if (const std::string wrong = network_->all().exchange({&message, 1}, *stop_); !wrong.empty())
        return failed(wrong);
      const int process = one.process.number;
      if (process != root_ && !std::ranges::count(processes, process)) processes.push_back(process);
      if (one.ranks == ranks_ && !all[one.rank].ranks)
        all[one.rank] = one;
      else
        wrong_ranks = {ncclInvalidArgument,
                       "rank " + std::to_string(one.rank) + " of " + std::to_string(one.ranks) +
                           (one.ranks == ranks_
                                ? " is there twice"
                                : ": other ranks say that there are " + std::to_string(ranks_))};
    }
    std::vector<Message> messages;
    if (wrong_ranks) all.assign(ranks_, {});
    for (const int process : processes)
      messages.push_back({process, tag + 1, all.data(), all.size() * sizeof all[0], true});
    if (const std::string wrong = network_->all().exchange(messages, *stop_); !wrong.empty())
      return failed(wrong);
  } else {
    const Message message{root_, tag + 1, all.data(), all.size() * sizeof all[0], false};
    if (const std::string wrong = network_->all().exchange({&message, 1}, *stop_); !wrong.empty())
      return failed(wrong);
    if (!all[0].ranks) return failed("they do not agree on who they are");
  }
  if (wrong_ranks) return wrong_ranks;
  for (int rank = 0; rank < ranks_; rank++) place_[rank] = all[rank].process;
  return form(static_cast<int>(number_ % numbers));
}

Failure Clique::announce(int rank) {
  Announcement one{rank, ranks_, network_->self()};
  const Message message{root_, tag_of(number_), &one, sizeof one, true};
  const std::string wrong = network_->all().exchange({&message, 1}, *stop_);
  if (wrong.empty()) return {};
  return {ncclRemoteError, "the process of the communicator's id: " + wrong};
}

/// Once it is known where ranks are.
Failure Clique::form(int tag) {
  std::vector<Process> members;
  for (int rank = 0; rank < ranks_; rank++)
    if (first_of(rank) == rank) members.push_back(place_[rank]);
  if (members.size() == 1) return {};
  group_ = network_->group(members, tag);
  if (!group_) return {ncclRemoteError, "MPI could not make a communicator of the processes"};
  staging_ = std::make_unique<Staging>();
  for (int rank = 0; rank < ranks_; rank++)
    staging_of_.push_back(here(rank) ? std::make_unique<Staging>() : nullptr);
  return {};
}

/// Messages that are under way, from when their stream comes to them.
struct Clique::Exchange {
  Clique& clique;
  std::vector<Message> messages;
  std::vector<Header> headers;  ///< of each: what is sent, or what is to come

  Failure run() {
    // Not before: the memory was the last operation's until now.
    for (std::size_t i = 0; i < messages.size(); i++)
      *static_cast<Header*>(messages[i].data) = messages[i].sends ? headers[i] : Header{};
    const std::string wrong = clique.group_->exchange(messages, *clique.stop_);
    for (std::size_t i = 0; i < messages.size(); i++) {
      const Header& sent = *static_cast<const Header*>(messages[i].data);
      if (!messages[i].sends && sent.bytes && !fits(sent, headers[i]))
        return {ncclInvalidUsage, called(sent) + ", " + called(headers[i]) +
                                      ": kind, count, type, operation and root must fit"};
    }
    if (wrong.empty()) return {};
    return {ncclRemoteError,
            std::string(name_of(static_cast<Call::Kind>(headers[0].kind))) + ": " + wrong};
  }
};

Failure Clique::bring(std::vector<Piece>& pieces, const Call& call, Staging& staging,
                      const std::vector<int>& ranks, const std::vector<hipStream_t>& streams) {
  if (pieces.empty()) return {};
  auto exchange = std::make_unique<Exchange>(*this);
  OnDevice device;
  for (Piece& piece : pieces) {
    char* const memory = staging.take(sizeof(Header) + piece.bytes);
    if (!memory) return {ncclSystemError, "no memory of the host for messages"};
    const bool sends = here(piece.from);
    Header mine{static_cast<int>(call.kind),   call.type,  call.op,    call.peer,
                sends ? piece.from : piece.to, call.count, piece.bytes};
    if (in_pairs(call.kind)) {
      mine.kind = static_cast<int>(sends ? Call::Kind::Send : Call::Kind::Receive);
      mine.type = ncclUint8;
      mine.count = piece.bytes;
    }
    exchange->messages.push_back({place_[sends ? piece.to : piece.from].number,
                                  piece.from * ranks_ + piece.to, memory,
                                  sizeof(Header) + piece.bytes, sends});
    exchange->headers.push_back(mine);
    if (sends) {
      const auto at = std::ranges::find(ranks, piece.from) - ranks.begin();
      Failure wrong = failure_of(device.set(devices_[piece.from]), "hipSetDevice");
      if (!wrong)
        wrong = failure_of(hipMemcpyAsync(memory + sizeof(Header), piece.source, piece.bytes,
                                          hipMemcpyDeviceToHost, streams[at]),
                           "a message's data");
      if (wrong) return wrong;
    } else {
      piece.sink = memory + sizeof(Header);
    }
  }
  if (Failure wrong = all_wait_for_all(ranks, streams)) return wrong;
  static_cast<void>(device.set(devices_[ranks[0]]));
  const auto run = [](void* it) {
    const std::unique_ptr<Exchange> exchange(static_cast<Exchange*>(it));
    if (const Failure wrong = exchange->run()) exchange->clique.lose(wrong);
  };
  Exchange* const given = exchange.release();
  if (Failure wrong =
          failure_of(hipLaunchHostFunc(streams[0], run, given), "messages to other processes")) {
    exchange.reset(given);  // the stream has not taken it
    return wrong;
  }
  return all_wait_for_all(ranks, streams);
}

Failure Clique::tell_all(void* values, std::size_t bytes) {
  if (!group_) return {};
  // Tags beside those of operations, which may be under way in streams.
  const auto tag = [&](int rank) { return ranks_ * ranks_ + rank; };
  std::vector<Message> messages;
  for (int rank = 0; rank < ranks_; rank++)
    for (int other = 0; other < ranks_; other++) {
      if (first_of(other) != other || together(rank, other)) continue;  // once for a process
      void* const value = static_cast<char*>(values) + rank * bytes;
      if (here(rank))
        messages.push_back({place_[other].number, tag(rank), value, bytes, true});
      else if (here(other))
        messages.push_back({place_[rank].number, tag(rank), value, bytes, false});
    }
  const std::string wrong = group_->exchange(messages, *stop_);
  return wrong.empty() ? Failure() : Failure{ncclRemoteError, wrong};
}

void Clique::lose(const Failure& failure) {
  const std::lock_guard lock(mutex_);
  if (!lost_) lost_ = failure;
  *stop_ = true;
  changed_.notify_all();
}

Failure Clique::start_remote(int rank, const std::vector<Call>& calls) {
  std::vector<hipStream_t> streams;
  std::vector<Piece> pieces;
  for (const Call& call : calls)
    if (!std::ranges::count(streams, call.stream)) streams.push_back(call.stream);
  const std::vector<int> same(streams.size(), rank);
  if (Failure wrong = refuse_graphs(streams, "ncclSend")) return wrong;
  OnDevice device;
  if (Failure wrong = failure_of(device.set(devices_[rank]), "hipSetDevice")) return wrong;
  for (hipStream_t stream : streams)
    if (Failure wrong = failure_of(follow(rank, stream), "ncclSend")) return wrong;
  Staging& staging = *staging_of_[rank];
  staging.restart();
  std::vector<const Call*> of_piece;
  for (const Call& call : calls) {
    const std::size_t bytes = call.count * size_of(call.type);
    if (bytes == 0) continue;
    const bool sends = call.kind == Call::Kind::Send;
    pieces.push_back({sends ? rank : call.peer, sends ? call.peer : rank, call.from, bytes});
    of_piece.push_back(&call);
  }
  // Sends wait for what their own stream holds: all streams meet before the first is copied.
  if (Failure wrong = all_wait_for_all(same, streams)) return wrong;
  if (Failure wrong = bring(pieces, calls[0], staging, same, streams)) return wrong;
  for (std::size_t i = 0; i < pieces.size(); i++) {
    if (!pieces[i].sink) continue;
    Parts parts{.at = {0}, .bytes = {pieces[i].bytes}};
    if (Failure wrong = failure_of(
            gather(Buffers{{pieces[i].sink}}, 1, of_piece[i]->to, parts, streams[0]), "ncclRecv"))
      return wrong;
  }
  if (Failure wrong = all_wait_for_all(same, streams)) return wrong;
  return failure_of(ends(rank, streams[0]), "ncclRecv");
}

}  // namespace hipsight::rccl
