// What the host's side of a kernel library's call needs here: launches.cpp stands in for the HIP
// runtime.
#pragma once

#include <string>

#include "hipsight/kernels/device.h"

#define HIPSIGHT_EXPORT extern "C" __attribute__((visibility("default")))

/// The GPU that launches are planned for, by LLVM's name.
inline hipsight::kernels::Device hipsight_device(const std::string& name, int compute_units) {
  using hipsight::kernels::Architecture;
  for (const auto one : {Architecture::cdna2, Architecture::cdna3, Architecture::cdna4,
                         Architecture::rdna3, Architecture::rdna4})
    if (name.starts_with(hipsight::kernels::facts(one).name)) return {one, compute_units, {}};
  return {.error = "there are no kernels for the GPU's architecture, " + name};
}
