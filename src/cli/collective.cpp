#include <fmt/format.h>

#include <algorithm>

#include "cli/commands.h"
#include "gpus/gpu.h"
#include "support/error.h"
#include "support/printable.h"
#include "support/quantity.h"
#include "timing/collectives.h"

namespace hipsight::cli {

int show_collective(const CollectiveOptions& options) {
  const gpus::Gpu gpu = gpus::find(options.gpu);
  Collective operation = options.operation;
  const auto names = timing::collective_names();
  operation.kind =
      static_cast<Collective::Kind>(std::ranges::find(names, options.kind) - names.begin());
  std::vector<std::uint64_t> sizes = options.bytes;
  if (sizes.empty())
    for (std::uint64_t size = 1 << 10; size <= std::uint64_t{1} << 30; size *= 4)
      sizes.push_back(size);
  std::string rows;
  bool validated = true;
  for (const std::uint64_t size : sizes) {
    operation.bytes = size;
    const CollectiveTime time = timing::collective_time(gpu, operation);
    validated &= time.validated;
    rows += fmt::format("{:>12} {:>10} {:>12}  {:<9} {}\n", size, duration(time.seconds),
                        quantity(time.bus_bytes_per_second, "B/s"), time.protocol, time.bound);
  }
  fmt::print(
      "{} of {} {}{}, all of a node with a link to each other{}:\n{:>12} {:>10} {:>12}  {:<9} "
      "{}\n{}",
      options.kind, operation.ranks, printable(gpu.title),
      operation.nodes > 1 ? fmt::format(" in {} nodes", operation.nodes) : "",
      validated ? "" : " (UNVALIDATED: docs/collectives.md)", "size", "time", "bus", "protocol",
      "bound by", rows);
  return 0;
}

}  // namespace hipsight::cli
