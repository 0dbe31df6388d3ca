// What checking costs: how much longer kernels take to run under each tool of `hipsight check`, on
// one host thread, with code that is translated and in the cache.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "table.h"

namespace hipsight::bench {
namespace {

namespace fs = std::filesystem;

int run(const std::string& json) {
  const std::vector<std::string> programs{"saxpy",     "sgemm 1024", "gemm 1024", "flash_attention",
                                          "transpose", "histogram",  "scan",      "softmax",
                                          "reduction", "rmsnorm",    "router"};
  const fs::path build = fs::read_symlink("/proc/self/exe").parent_path().parent_path();
  const fs::path report = build / "bench" / "check.report.json";
  std::map<std::string, std::vector<double>> costs;
  for (const char* gpu : {"mi300x", "rx7900xtx"})
    for (const std::string& program : programs) {
      // Seconds in which kernels were emulated: programs have their own to do beside that.
      const auto seconds = [&](const std::string& command) {
        return -best_of(3, [&] {
          const std::string line = fmt::format(
              "{0}/hipsight {1} --report none --threads 1 --gpu {2} --json {3} -- "
              "{0}/examples/{4} > /dev/null",
              build.string(), command, gpu, report.string(), program);
          if (std::system(line.c_str()) != 0)
            throw std::runtime_error(fmt::format("'{}' failed", line));
          double sum = 0;
          const auto all = nlohmann::json::parse(std::ifstream(report));
          for (const auto& kernel : all.at("kernels"))
            sum += kernel.at("host_seconds").get<double>();
          return -sum;
        });
      };
      const double alone = seconds("run --no-predict --time emulated");
      fmt::print("{:<10} {:<16} {:8.4f} s", gpu, program, alone);
      for (const char* tool : {"memcheck", "racecheck", "synccheck"}) {
        const double ratio = seconds(fmt::format("check --tool {}", tool)) / alone;
        costs[tool].push_back(ratio);
        fmt::print("  {} {:6.2f}", tool, ratio);
      }
      fmt::print("\n");
    }
  std::vector<Row> rows;
  for (auto& [tool, ratios] : costs) {
    std::ranges::sort(ratios);
    rows.push_back({.name = fmt::format("{}: times as long, median", tool),
                    .value = ratios[ratios.size() / 2],
                    .unit = "",
                    .high_is_better = false,
                    .floor = 40,
                    .aim = tool == "memcheck" ? 4.0 : 10.0});
  }
  fmt::print("\n");
  return publish(rows, json);
}

}  // namespace
}  // namespace hipsight::bench

int main(int argc, char** argv) {
  return hipsight::bench::main_of(argc, argv, hipsight::bench::run);
}
