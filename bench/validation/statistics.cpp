#include "validation/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace hipsight::bench {

double quantile(std::vector<double> values, double q) {
  for (double& value : values) value = std::fabs(value);
  std::ranges::sort(values);
  return values.empty()
             ? NAN
             : values[std::min(values.size() - 1, std::size_t(q * double(values.size())))];
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / double(values.size());
}

double rank_correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const auto ranks = [](const std::vector<double>& values) {
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(values[i], i); });
    std::vector<double> rank(values.size());
    for (std::size_t i = 0; i < order.size(); ++i) rank[order[i]] = double(i);
    return rank;
  };
  const auto first = ranks(a), second = ranks(b);
  double squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    squares += (first[i] - second[i]) * (first[i] - second[i]);
  const auto n = double(a.size());
  return 1 - 6 * squares / (n * (n * n - 1));
}

}  // namespace hipsight::bench
