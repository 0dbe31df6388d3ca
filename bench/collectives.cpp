// All-reduces of eight MI300X as predicted, beside the published table.
#include "timing/collectives.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "gpus/gpu.h"
#include "support/quantity.h"
#include "table.h"
#include "validation/csv.h"

namespace hipsight::bench {
namespace {

int run(const std::string& json) {
  const gpus::Gpu gpu = gpus::find("mi300x");
  std::vector<double> errors;
  fmt::print("{:>10} {:>12} {:>12} {:>8}  {:<8} {:<8}\n", "size", "published", "predicted", "error",
             "protocol", "bound");
  bool fitted = true;  // every second row, from the first on
  for (const auto& row : read_table("collectives/all_reduce.csv").rows) {
    const auto bytes = std::stoull(row[0]);
    const double published = std::stod(row[1]) * 1e-6;
    const CollectiveTime time = timing::all_reduce_time(gpu, 8, bytes);
    const double error = time.seconds / published - 1;
    if (!fitted) errors.push_back(std::abs(error));
    fmt::print("{:>10} {:>12} {:>12} {:>6.1f} %  {:<8} {:<8} {}\n",
               quantity(static_cast<double>(bytes), "B"), duration(published),
               duration(time.seconds), 100 * error, time.protocol, time.bound,
               fitted ? "fitted on" : "");
    fitted = !fitted;
  }
  std::ranges::sort(errors);
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  return publish({{.name = "all-reduce of eight MI300X, median error of the other rows",
                   .value = 100 * errors[errors.size() / 2],
                   .unit = "%",
                   .high_is_better = false,
                   .floor = 15,
                   .aim = none}},
                 json);
}

}  // namespace
}  // namespace hipsight::bench

int main(int argc, char** argv) {
  return hipsight::bench::main_of(argc, argv, hipsight::bench::run);
}
