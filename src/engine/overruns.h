#pragma once

#include <functional>
#include <mutex>
#include <set>
#include <string>

#include "isa/instruction.h"

namespace hipsight::engine {

/// Accesses beyond an allocation, but on a page of it: a GPU protects whole pages, so programs that
/// do this run there. Each instruction that does is told once.
struct Overruns {
  bool errors = false;  ///< they are errors (Options::strict)
  std::function<void(const std::string&)> tell;
  std::mutex mutex;
  std::set<const isa::Instruction*> told;
};

}  // namespace hipsight::engine
