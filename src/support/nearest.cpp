#include "support/nearest.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace hipsight {
namespace {

// How many letters must be put in, taken out or changed to get from one word to the other.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

const std::string& nearest(std::string_view written, std::span<const std::string> names) {
  return *std::ranges::min_element(names, {},
                                   [&](const std::string& one) { return distance(written, one); });
}

}  // namespace hipsight
