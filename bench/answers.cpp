// What the answer costs: how much longer a program takes under `hipsight run` than with
// --no-predict, for each kernel that it launches anew.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "table.h"

namespace hipsight::bench {
namespace {

namespace fs = std::filesystem;

struct Program {
  std::string name;
  unsigned kernels;  ///< that it launches, and shapes of them
};

double seconds_of(const std::string& line) {
  const auto begin = std::chrono::steady_clock::now();
  if (std::system(line.c_str()) != 0) throw std::runtime_error(fmt::format("'{}' failed", line));
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

int run(const std::string& json) {
  const std::vector<Program> programs{
      {"saxpy", 1},           {"sgemm", 1},     {"sgemm 1024", 1}, {"gemm", 1},   {"gemm 2048", 1},
      {"flash_attention", 1}, {"transpose", 1}, {"histogram", 1},  {"scan", 3},   {"softmax", 1},
      {"reduction", 2},       {"rmsnorm", 1},   {"router", 1},     {"streams", 1}};
  const fs::path build = fs::read_symlink("/proc/self/exe").parent_path().parent_path();
  std::vector<double> costs;
  for (const char* gpu : {"mi300x", "rx7900xtx"})
    for (const Program& program : programs) {
      const auto with = [&](const char* option) {
        const std::string line = fmt::format(
            "{0}/hipsight run {1} --gpu {2} --report /dev/null -- {0}/examples/{3} "
            "> /dev/null",
            build.string(), option, gpu, program.name);
        return -best_of(3, [&] { return -seconds_of(line); });
      };
      const double cost = (with("") - with("--no-predict")) / program.kernels;
      costs.push_back(cost);
      fmt::print("{:<10} {:<16} {:6.2f} s a kernel\n", gpu, program.name, cost);
    }
  std::ranges::sort(costs);
  const auto row = [](const char* name, double value, double floor, double aim) {
    return Row{.name = name,
               .value = value,
               .unit = "s",
               .high_is_better = false,
               .floor = floor,
               .aim = aim};
  };
  fmt::print("\n");
  return publish({row("answer of a new kernel, median", costs[costs.size() / 2], 1.5, 0.3),
                  row("answer of a new kernel, most", costs.back(), 10, 1.5)},
                 json);
}

}  // namespace
}  // namespace hipsight::bench

int main(int argc, char** argv) {
  return hipsight::bench::main_of(argc, argv, hipsight::bench::run);
}
