#include "table.h"

#include <fmt/format.h>

#include <cmath>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>

namespace hipsight::bench {
namespace {

nlohmann::json number(double value) {
  return std::isnan(value) ? nlohmann::json() : nlohmann::json(value);
}
std::string cell(double value) {
  return std::isnan(value) ? "" : fmt::format("{:.4g}", value);
}

}  // namespace

int publish(const std::vector<Row>& rows, const std::string& file) {
  std::size_t width = 4;
  for (const Row& row : rows) width = std::max(width, row.name.size());
  fmt::print("{:<{}}  {:>10}  {:<8}  {:>8}  {:>8}\n", "what", width, "value", "unit", "floor",
             "aim");
  nlohmann::json all = nlohmann::json::array();
  for (const Row& row : rows) {
    fmt::print("{:<{}}  {:>10}  {:<8}  {:>8}  {:>8}\n", row.name, width, cell(row.value), row.unit,
               cell(row.floor), cell(row.aim));
    all.push_back({{"name", row.name},
                   {"value", number(row.value)},
                   {"unit", row.unit},
                   {"better", row.high_is_better ? "high" : "low"},
                   {"floor", number(row.floor)},
                   {"aim", number(row.aim)}});
  }
  std::ofstream out(file);
  out << all.dump(2) << '\n';
  if (out.flush()) return 0;
  fmt::print(stderr, "cannot write {}\n", file);
  return 1;
}

int main_of(int argc, char** argv, int (*run)(const std::string& json)) {
  if (argc != 2) {
    fmt::print(stderr, "usage: {} FILE.json\n", argv[0]);
    return 2;
  }
  try {
    return run(argv[1]);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", argv[0], error.what());
    return 1;
  }
}

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

}  // namespace hipsight::bench
