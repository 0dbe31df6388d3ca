#pragma once

#include <cstdint>
#include <map>

#include "analysis/live_registers.h"
#include "code/code_object.h"
#include "engine/engine.h"
#include "gpus/gpu.h"
#include "hipsight/values.h"
#include "profile/fidelity.h"
#include "profile/profile.h"
#include "profile/summary.h"
#include "timing/occupancy.h"
#include "timing/predict.h"

/// Makes public values, which outlive code objects and engines, of what the parts below found.
namespace hipsight::session {

GpuFacts describe(const gpus::Gpu& gpu);
KernelFacts describe(const code::Kernel& kernel, const code::CodeObject* object);
Counts describe(const profile::Summary& summary, std::uint32_t wavefront_size);
Occupancy occupancy_facts(const gpus::Gpu& gpu, const timing::Resources& resources);
Roofline roofline(const gpus::Gpu& gpu, const profile::Summary& summary,
                  const timing::Occupancy& occupancy, std::uint32_t wavefront_size);
Prediction describe(const timing::Prediction& prediction, const code::CodeObject& object);
Fidelity describe(const profile::FidelitySummary& summary);

/// What of a GPU a launch takes.
timing::Resources resources(const gpus::Gpu& gpu, const engine::Dispatch& dispatch);
/// Of the launch's grid; the last ones may be partial.
engine::Dim3 workgroups(const engine::Dispatch& dispatch);

/// Registers of a kernel, and how many are live at each instruction, by its address.
struct RegisterUse {
  Registers registers;
  std::map<std::uint64_t, analysis::LiveRegisters::Count> live;
};
RegisterUse register_use(const code::CodeObject& object, const code::Kernel& kernel,
                         const gpus::Gpu& gpu, const timing::Resources& resources);

Profile describe(const profile::Profile& profile, const code::CodeObject& object,
                 const RegisterUse& registers, std::uint32_t wavefront_size);
/// Says of each row what share of the waves' time it takes.
void add_times(Profile& profile, const timing::Prediction& prediction);

}  // namespace hipsight::session
