#include "report.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "hipsight/report_file.h"

namespace hipsight::bench {
namespace fs = std::filesystem;

RunReport report(const std::string& command, const std::string& gpu, const std::string& program) {
  // This program lies in build/bin.
  const fs::path build = fs::read_symlink("/proc/self/exe").parent_path().parent_path();
  const fs::path file = fs::temp_directory_path() / fmt::format("hipsight.{}.values", gettid());
  const std::string line =
      fmt::format("{}/hipsight {} --gpu {} --no-report --values {} -- {}/bench/{} > /dev/null",
                  build.string(), command, gpu, file.string(), build.string(), program);
  if (std::system(line.c_str()) != 0) throw std::runtime_error(fmt::format("'{}' failed", line));
  auto report = read_report(file);
  fs::remove(file);
  if (!report) throw std::runtime_error(fmt::format("'{}': {}", line, report.error().text));
  return *std::move(report);
}

const KernelReport& first(const RunReport& report) {
  if (report.kernels.empty()) throw std::runtime_error("no kernel ran");
  const KernelReport& kernel = report.kernels.front();
  if (!kernel.prediction || !kernel.profile)
    throw std::runtime_error(kernel.kernel.title + " has no prediction");
  return kernel;
}

double predicted_seconds(const RunReport& report) {
  double seconds = 0;
  for (const KernelReport& kernel : report.kernels) seconds += kernel.prediction.value().seconds;
  return seconds;
}

double percent_busy(const KernelReport& kernel, const std::string& unit) {
  const auto& busy = kernel.prediction.value().busy;
  const auto found = std::ranges::find(busy, unit, &Amount::of);
  if (found == busy.end()) throw std::runtime_error("no unit is called " + unit);
  return 100 * found->value;
}

}  // namespace hipsight::bench
