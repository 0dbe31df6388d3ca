#pragma once

#include <string>

#include "hipsight/values.h"

namespace hipsight::report {

/// A kernel's hierarchical roofline as SVG for the page: what each resource lets it reach by FLOP
/// per byte, and where the predicted launch lies, by the bytes asked of memory, beyond the L1 and
/// beyond the L2. Empty where there is no prediction, or nothing is computed or moved.
std::string roofline_svg(const KernelReport& kernel);

}  // namespace hipsight::report
