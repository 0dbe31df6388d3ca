#include "report.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace hipsight::bench {
namespace fs = std::filesystem;

nlohmann::json report(const std::string& command, const std::string& gpu,
                      const std::string& program) {
  // This program lies in build/bin.
  const fs::path build = fs::read_symlink("/proc/self/exe").parent_path().parent_path();
  const fs::path file = fs::temp_directory_path() / fmt::format("hipsight.{}.json", gettid());
  const std::string line =
      fmt::format("{}/hipsight {} --gpu {} --no-report --json {} -- {}/bench/{} > /dev/null",
                  build.string(), command, gpu, file.string(), build.string(), program);
  if (std::system(line.c_str()) != 0) throw std::runtime_error(fmt::format("'{}' failed", line));
  std::ifstream in(file);
  nlohmann::json read = nlohmann::json::parse(in);
  fs::remove(file);
  return read;
}

}  // namespace hipsight::bench
