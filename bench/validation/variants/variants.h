#pragma once

#include <string>
#include <vector>

#include "validation/validation.h"

namespace hipsight::bench {

/// Where the sources of the studies are, to record their launches anew; empty: from recordings.
struct VariantSources {
  std::string sgemm, laplacian;
};

/// Step by step from a first version of a kernel to a fast one: what others measured of each step
/// (variants.csv). Nothing is fitted on them. The bytes of a point are those that must move.
std::vector<Point> variant_points(const VariantSources& sources);

}  // namespace hipsight::bench
