#include "validation/csv.h"

#include <fmt/format.h>

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace hipsight::bench {

Table read_table(const std::string& name, std::size_t every) {
  const std::string path = HIPSIGHT_VALIDATION "/" + name;
  std::ifstream in(path);
  std::string line;
  if (!std::getline(in, line)) throw std::runtime_error("cannot read " + path);
  Table table;
  std::size_t rows = 0;
  while (std::getline(in, line)) {
    line += ',';  // an empty last cell counts
    std::vector<std::string> cells;
    std::istringstream row(line);
    for (std::string cell; std::getline(row, cell, ',');) cells.push_back(cell);
    if (table.head.empty())
      table.head = cells;
    else if (cells.size() != table.head.size())
      throw std::runtime_error(fmt::format("{}: malformed row: {}", path, line));
    else if (rows++ % every == 0)
      table.rows.push_back(cells);
  }
  return table;
}

}  // namespace hipsight::bench
