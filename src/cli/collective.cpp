#include <fmt/format.h>

#include "cli/commands.h"
#include "gpus/gpu.h"
#include "support/printable.h"
#include "support/quantity.h"
#include "timing/collectives.h"

namespace hipsight::cli {

int show_all_reduce(const CollectiveOptions& options) {
  const gpus::Gpu gpu = gpus::find(options.gpu);
  std::vector<std::uint64_t> sizes = options.bytes;
  if (sizes.empty())
    for (std::uint64_t size = 1 << 10; size <= std::uint64_t{1} << 30; size *= 4)
      sizes.push_back(size);
  std::string out = fmt::format(
      "all-reduce of {} {}, each with a link to each other:\n{:>12} {:>10} {:>12}  {:<9} {}\n",
      options.ranks, printable(gpu.title), "size", "time", "bus", "protocol", "bound by");
  for (const std::uint64_t size : sizes) {
    const CollectiveTime time = timing::all_reduce_time(gpu, options.ranks, size);
    out += fmt::format("{:>12} {:>10} {:>12}  {:<9} {}\n", size, duration(time.seconds),
                       quantity(time.bus_bytes_per_second, "B/s"), time.protocol, time.bound);
  }
  fmt::print("{}", out);
  return 0;
}

}  // namespace hipsight::cli
