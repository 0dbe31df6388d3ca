#pragma once

#include <vector>

namespace hipsight::bench {

/// Of absolute values. NaN when there are none.
double quantile(std::vector<double> values, double q);
double mean(const std::vector<double>& values);
/// Spearman's, of values that belong together.
double rank_correlation(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace hipsight::bench
