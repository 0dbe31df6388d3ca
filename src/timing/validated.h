#pragma once

#include <string_view>

#include "timing/predict.h"

namespace hipsight::timing {

/// Fewer measured points than this of a family on a GPU say nothing of the next one.
constexpr unsigned enough_points = 10;

/// How far off predictions of a family were on a GPU: `./dev bench validation` says so when this
/// is no longer what it finds. Of points on which nothing was fitted: null where there are not
/// enough of them.
const ModelError* error_of(std::string_view gpu, std::string_view family);

}  // namespace hipsight::timing
