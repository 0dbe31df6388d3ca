#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace hipsight::bench {

/// A table of bench/validation: a line that says where its figures come from, the names of the
/// columns, and rows of as many cells. @throws std::runtime_error when it is malformed.
/// `every`: only the first of so many rows, the first of the next, and so on.
struct Table {
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;
};
Table read_table(const std::string& name, std::size_t every = 1);

}  // namespace hipsight::bench
