#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "explain/launch.h"
#include "explain/transforms.h"

namespace hipsight::explain {

/// A change that makes a launch quicker: the model was run as if it were made. docs/advice.md has a
/// section for each `id`.
struct Advice {
  std::string_view id;
  std::string change;                    ///< what to do
  std::string evidence;                  ///< why, in figures
  const isa::Instruction* at = nullptr;  ///< where most of it is; null: all over the kernel
  double gain = 0;                       ///< share of the launch's time that it saves
  bool but_first = false;                ///< a kernel's first launch saves nothing
};

/// The least gain that is worth telling: as with more waves (timing/predict.cpp), there is nothing
/// to measure of less.
constexpr double worth_telling = 0.05;

/// What would make a launch quicker, that was predicted so: what saves most first.
/// `spilled`: VGPRs, by the compiler.
std::vector<Advice> advise(const Launch& launch, const timing::Prediction& now,
                           std::uint32_t spilled);

}  // namespace hipsight::explain
