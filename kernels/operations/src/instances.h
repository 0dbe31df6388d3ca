// Instances of the kernels: libraries, each of a source of instances/ compiled with some macros for
// one GPU, on disk.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "hipsight/operations.h"

namespace hipsight::operations {

/// What is wrong with a call, in a sentence.
struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Instance {
  std::string source;               ///< "gemm": of instances/gemm.hip
  std::vector<std::string> macros;  ///< "VALUE=f16"
};

/// A function of the instance for the context's GPU. The instance is loaded: from the set that was
/// installed, or the cache, into which it is compiled if it is in neither. The function's launches
/// from this thread are the context's, until the next call.
/// @throws Failure if it cannot be compiled or loaded, with what the compiler says.
void* function_of(const hipsight_context& context, const Instance& instance, const char* function);

/// Makes the instance's file, or finds it. @throws Failure
std::string file_of(const hipsight_context& context, const Instance& instance);

}  // namespace hipsight::operations
