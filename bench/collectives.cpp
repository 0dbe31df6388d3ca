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

void show(double bytes, double published, const CollectiveTime& time, const char* note) {
  fmt::print("{:>10} {:>12} {:>12} {:>6.1f} %  {:<8} {:<8} {}\n", quantity(bytes, "B"),
             duration(published), duration(time.seconds), 100 * (time.seconds / published - 1),
             time.protocol, time.bound, note);
}

/// Tells of each row of a table f(its number, published seconds, predicted ones).
template <class Function>
void compare(const char* gpu, const char* table, Function f) {
  const gpus::Gpu of = gpus::find(gpu);
  std::size_t number = 0;
  for (const auto& row : read_table(table).rows) {
    const auto bytes = std::stoull(row[0]);
    const double published = std::stod(row[1]) * 1e-6;
    const CollectiveTime time = timing::all_reduce_time(of, 8, bytes);
    show(static_cast<double>(bytes), published, time,
         f(number++, std::abs(time.seconds / published - 1)));
  }
}

int run(const std::string& json) {
  std::vector<double> errors;
  fmt::print("{:>10} {:>12} {:>12} {:>8}  {:<8} {:<8}\n", "size", "published", "predicted", "error",
             "protocol", "bound");
  compare("mi300x", "collectives/all_reduce.csv", [&](std::size_t number, double error) {
    if (number % 2 == 0) return "fitted on";
    errors.push_back(error);
    return "";
  });
  compare("mi350x", "collectives/all_reduce_mi350x.csv",
          [](std::size_t, double) { return "of MI350X"; });
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
