#pragma once

#include <array>
#include <memory>
#include <vector>

#include "runtime/module/module.h"
#include "runtime/stream/operation.h"
#include "services/services.h"

namespace hipsight::runtime {

/// One launch as the program asks for it.
struct Launch {
  std::shared_ptr<Function> function;
  const void* stub = nullptr;  ///< what the program calls the kernel by, if not by the function
  std::array<std::uint64_t, 3> grid{};  ///< work-items
  engine::Dim3 block;
  std::size_t dynamic_lds = 0;
  hipStream_t stream = nullptr;
  void** parameters = nullptr;  ///< one pointer for each argument, or
  void** extra = nullptr;       ///< {1, buffer, 2, pointer to its size, 3}
  bool cooperative = false;
  std::shared_ptr<const services::GridGroup> group = {};  ///< of a launch on several devices
  hipEvent_t start = nullptr, stop = nullptr;             ///< recorded before and after
};

/// Checks a launch by HIP's rules and copies its arguments, to `segment` as well.
/// @throws Failure for what HIP refuses, after telling the user why.
Operation operation_of(Launch launch, std::vector<std::byte>* segment = nullptr);

/// Submits it to its stream. @throws Failure like operation_of, and when the device is lost.
void run(Launch launch);

}  // namespace hipsight::runtime
