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
  std::size_t unit = 4;
  for (const Row& row : rows) {
    width = std::max(width, row.name.size());
    unit = std::max(unit, row.unit.size());
  }
  fmt::print("{:<{}}  {:>10}  {:<{}}  {:>8}  {:>8}\n", "what", width, "value", "unit", unit,
             "floor", "aim");
  nlohmann::json all = nlohmann::json::array();
  for (const Row& row : rows) {
    nlohmann::json beside = nlohmann::json::object();
    std::string more;
    for (const auto& [name, value] : row.beside) {
      more += fmt::format("{} {} {}", more.empty() ? " " : ",", cell(value), name);
      beside[name] = number(value);
    }
    fmt::print("{:<{}}  {:>10}  {:<{}}  {:>8}  {:>8}{}\n", row.name, width, cell(row.value),
               row.unit, unit, cell(row.floor), cell(row.aim), more);
    all.push_back({{"name", row.name},
                   {"value", number(row.value)},
                   {"unit", row.unit},
                   {"better", row.high_is_better ? "high" : "low"},
                   {"floor", number(row.floor)},
                   {"aim", number(row.aim)},
                   {"beside", beside}});
  }
  std::ofstream out(file);
  out << all.dump(2) << '\n';
  if (out.flush()) return 0;
  fmt::print(stderr, "cannot write {}\n", file);
  return 1;
}

int main_of(int argc, char** argv, int (*run)(const std::string& json)) {
  if (argc != 2 || argv[1][0] == '-') {
    fmt::print(stderr, "usage: {} [OPTIONS] FILE.json\n", argv[0]);
    return 2;
  }
  try {
    return run(argv[1]);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", argv[0], error.what());
    return 1;
  }
}

namespace {

double seconds_of(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

}  // namespace

double processor_seconds() {
  return seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}
double thread_seconds() {
  return seconds_of(CLOCK_THREAD_CPUTIME_ID);
}

}  // namespace hipsight::bench
