#include "timing/collectives.h"

#include <array>

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

}  // namespace

CollectiveTime all_reduce_time(const gpus::Gpu& gpu, unsigned ranks, std::uint64_t bytes) {
  if (ranks < 2) fail("an all-reduce takes two GPUs or more, not {}", ranks);
  if (!gpu.peer_links || !gpu.peer_gb_per_s)
    fail("{}: its file has no links to other GPUs (peer_links, peer_gb_per_s)", gpu.name);
  if (ranks > *gpu.peer_links + 1)
    fail("{} GPUs: a node of {} has {}, all with a link to each other", ranks, gpu.name,
         *gpu.peer_links + 1);
  const double link = gpu.peer_gb_per_s_measured.value_or(*gpu.peer_gb_per_s) * 1e9;
  // Each rank gets its share of the data from every other one, reduces it, and sends it back: a
  // share goes twice over each link, in each direction.
  const double shares = 2 * static_cast<double>(bytes) / ranks;
  CollectiveTime best;
  for (const Protocol& protocol : protocols) {
    const double moving = shares / (link * protocol.link_share);
    const double seconds = protocol.start_seconds + moving;
    if (best.seconds && seconds >= best.seconds) continue;
    best = {.seconds = seconds,
            .protocol = std::string(protocol.name),
            .bound = moving > protocol.start_seconds ? "links" : "latency"};
  }
  best.bus_bytes_per_second = shares * (ranks - 1) / best.seconds;
  return best;
}

}  // namespace hipsight::timing
