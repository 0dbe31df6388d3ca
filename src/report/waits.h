#pragma once

#include <string>
#include <vector>

#include "code/code_object.h"
#include "report/place.h"
#include "timing/predict.h"

namespace hipsight::report {

/// Where waves would wait longest.
struct Wait {
  Place at;           ///< the instruction that could not be issued
  Place of;           ///< whose access or result it waited for; no text: a unit
  std::string cause;  ///< timing::Prediction::stalls
  double share = 0;   ///< of all waves' waiting, 0 to 1
};

std::vector<Wait> describe(const timing::Prediction& prediction, const code::CodeObject& object);

/// Lines of text, each to be indented by `indent`; empty when there are none.
std::string text_of(const std::vector<Wait>& waits, std::size_t indent);

}  // namespace hipsight::report
