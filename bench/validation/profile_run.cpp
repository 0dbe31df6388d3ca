#include "validation/profile_run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace hipsight::bench {
namespace fs = std::filesystem;

nlohmann::json profile(const std::string& gpu, const std::string& program,
                       const std::string& options) {
  // This program lies in build/bin.
  const fs::path build = fs::read_symlink("/proc/self/exe").parent_path().parent_path();
  const fs::path file = fs::temp_directory_path() / fmt::format("hipsight.{}.json", getpid());
  const std::string command =
      fmt::format("{}/hipsight profile --gpu {} {} --no-report --json {} -- {}/bench/{}",
                  build.string(), gpu, options, file.string(), build.string(), program);
  if (std::system(command.c_str()) != 0)
    throw std::runtime_error(fmt::format("'{}' failed", command));
  std::ifstream in(file);
  nlohmann::json report = nlohmann::json::parse(in);
  fs::remove(file);
  return report;
}

Table read_table(const std::string& name) {
  const std::string path = HIPSIGHT_VALIDATION "/" + name;
  std::ifstream in(path);
  std::string line;
  if (!std::getline(in, line)) throw std::runtime_error("cannot read " + path);
  Table table;
  while (std::getline(in, line)) {
    line += ',';  // an empty last cell counts
    std::vector<std::string> cells;
    std::istringstream row(line);
    for (std::string cell; std::getline(row, cell, ',');) cells.push_back(cell);
    if (table.head.empty())
      table.head = cells;
    else if (cells.size() == table.head.size())
      table.rows.push_back(cells);
    else
      throw std::runtime_error(fmt::format("{}: malformed row: {}", path, line));
  }
  return table;
}

}  // namespace hipsight::bench
