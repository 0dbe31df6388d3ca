#pragma once

#include <memory>

#include "runtime/module/module.h"

namespace hipsight::runtime {

/// The kernel on `device` that stands behind a host stub (`&kernel`); loads its fat binary if that
/// has not been done. @throws Failure hipErrorInvalidDeviceFunction.
std::shared_ptr<Function> registered_function(const void* stub, int device);

/// The device copy, on `device`, of a __device__ or __managed__ variable, by its host address.
/// @throws Failure hipErrorInvalidSymbol.
Variable registered_variable(const void* host_variable, int device);

/// The device name of a registered kernel, or null.
const char* registered_name(const void* stub);

}  // namespace hipsight::runtime
