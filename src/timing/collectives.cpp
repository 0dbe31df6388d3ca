#include "timing/collectives.h"

#include <algorithm>
#include <array>
#include <string>

#include "support/error.h"

namespace hipsight::timing {
namespace {

/// How RCCL moves data. It takes the one that is quickest for the size.
struct Protocol {
  std::string_view name;
  double start_seconds;  ///< the launch, and that ranks wait for each other
  double link_share;     ///< of what a link moves: the rest is flags, and waiting for room
};
/// LL has a flag of four bytes with every four bytes of data. The other numbers are fitted on every
/// second row, from the first on, of bench/validation/collectives/all_reduce.csv.
constexpr std::array<Protocol, 3> protocols{{
    {"LL", 13.1e-6, 0.5},
    {"LL128", 18.5e-6, 0.706},
    {"Simple", 60.1e-6, 1},
}};

constexpr std::array<std::string_view, 5> names{"all-reduce", "all-gather", "reduce-scatter",
                                                "all-to-all", "send"};

/// What goes over the busiest link of a node, and over the busiest GPU's part of the network, in
/// one direction: shares of Collective::bytes.
struct Moved {
  double link = 0, network = 0;
};

/// In a node each rank sends the others their shares. Between nodes go rings, one for each GPU of a
/// node, each of which enters and leaves a node by another GPU; an all-to-all goes straight.
Moved moved(const Collective& of) {
  using Kind = Collective::Kind;
  const double ranks = of.ranks, nodes = of.nodes, in_node = ranks / nodes;
  const double shared = in_node > 1, ring = nodes > 1 ? (ranks - 1) / ranks / in_node : 0;
  switch (of.kind) {
    case Kind::AllReduce:
      return {2 * shared / in_node, 2 * ring};
    case Kind::AllGather:
    case Kind::ReduceScatter:
      return {shared / in_node, ring};
    case Kind::AllToAll:
      return {shared * of.busiest / ranks, of.busiest * (ranks - in_node) / ranks};
    case Kind::Send:
      return nodes > 1 ? Moved{0, 1} : Moved{1, 0};
  }
  fail("there is no such operation of several GPUs");
}

/// Of the size over the time, as RCCL's tests count it (rccl-tests, doc/PERFORMANCE.md).
double bus_share(const Collective& of) {
  if (of.kind == Collective::Kind::Send) return 1;
  const double share = (double(of.ranks) - 1) / of.ranks;
  return of.kind == Collective::Kind::AllReduce ? 2 * share : share;
}

void check(const gpus::Gpu& gpu, const Collective& of) {
  const std::string_view name = names.at(static_cast<std::size_t>(of.kind));
  if (of.ranks < 2)
    fail("{} {} takes two GPUs or more, not {}", name.starts_with('a') ? "an" : "a", name,
         of.ranks);
  if (of.nodes == 0 || of.ranks % of.nodes != 0)
    fail("{} GPUs do not fill {} nodes evenly", of.ranks, of.nodes);
  const unsigned in_node = of.ranks / of.nodes;
  if (in_node > 1 && (!gpu.peer_links || !gpu.peer_gb_per_s))
    fail("{}: its file has no links to other GPUs (peer_links, peer_gb_per_s)", gpu.name);
  if (in_node > 1 && in_node > *gpu.peer_links + 1)
    fail("{} GPUs: a node of {} has {}, all with a link to each other", in_node, gpu.name,
         *gpu.peer_links + 1);
  if (of.nodes > 1 && !(of.network_gb_per_s > 0))
    fail("{} nodes: how quick is the network between them, in GB/s of each GPU?", of.nodes);
  if (!(of.busiest >= 1 && of.busiest <= of.ranks))
    fail("the busiest rank gets {} times the mean: it can be 1 to {}", of.busiest, of.ranks);
  if (of.busiest > 1 && of.kind != Collective::Kind::AllToAll)
    fail("{}: all ranks get as much; only an all-to-all has a busiest one", name);
}

}  // namespace

std::span<const std::string_view> collective_names() {
  return names;
}

CollectiveTime collective_time(const gpus::Gpu& gpu, const Collective& operation) {
  check(gpu, operation);
  const double link = gpu.peer_gb_per_s_measured.value_or(gpu.peer_gb_per_s.value_or(0)) * 1e9,
               network = operation.network_gb_per_s * 1e9;
  const Moved share = moved(operation);
  const auto bytes = static_cast<double>(operation.bytes);
  const auto seconds_over = [&](double part, double rate) {
    return part > 0 ? part * bytes / rate : 0;
  };
  CollectiveTime best;
  for (const Protocol& protocol : protocols) {
    // Data goes in pieces: links and network are busy at the same time.
    const double in_node = seconds_over(share.link, link * protocol.link_share);
    const double between = seconds_over(share.network, network * protocol.link_share);
    const double moving = std::max(in_node, between);
    const double seconds = protocol.start_seconds + moving;
    if (best.seconds && seconds >= best.seconds) continue;
    best = {.seconds = seconds,
            .protocol = std::string(protocol.name),
            .bound = moving <= protocol.start_seconds ? "latency"
                     : between > in_node              ? "network"
                                                      : "links"};
  }
  best.bus_bytes_per_second = bus_share(operation) * bytes / best.seconds;
  best.validated = operation.kind == Collective::Kind::AllReduce && operation.nodes == 1 &&
                   operation.ranks == 8 && gpu.name == "mi300x";
  return best;
}

CollectiveTime all_reduce_time(const gpus::Gpu& gpu, unsigned ranks, std::uint64_t bytes) {
  return collective_time(gpu, {.ranks = ranks, .bytes = bytes});
}

}  // namespace hipsight::timing
