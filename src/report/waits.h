#pragma once

#include <string>
#include <vector>

#include "code/code_object.h"
#include "timing/predict.h"

namespace hipsight::report {

/// Where waves would wait longest, with what it names as text: it outlives the code object.
struct Wait {
  struct Place {
    std::string text;           ///< of the instruction
    std::uint64_t address = 0;  ///< in the code object
    std::string file;
    std::uint32_t line = 0;  ///< 0: not known
  };
  Place at;           ///< the instruction that could not be issued
  Place of;           ///< whose access or result it waited for; no text: a unit
  std::string cause;  ///< timing::Prediction::stalls
  double share = 0;   ///< of all waves' waiting, 0 to 1
};

std::vector<Wait> describe(const timing::Prediction& prediction, const code::CodeObject& object);

/// Lines of text, each to be indented by `indent`; empty when there are none.
std::string text_of(const std::vector<Wait>& waits, std::size_t indent);

}  // namespace hipsight::report
