#pragma once

#include <cstdint>
#include <string_view>

#include "engine/engine.h"
#include "timing/predict.h"

namespace hipsight::timing {

/// The family of kernels that one belongs to, as far as such ones were compared with measurements
/// anywhere; of what it executes and of its prediction. "": of none.
///   "small launch"    the launch itself takes more than half of the time
///   "GEMM, TYPE"      matrix instructions (most of them of this type), and hardly transcendental
///                     ones
///   "one wave"        one wave follows addresses in memory
///   "stream, LEVEL"   neighbouring lanes load and store neighbouring places; L1, L2, MALL or
///                     memory is busiest
///   "strided"         they load and store places that lie apart
/// The last three: neither matrix instructions nor LDS.
std::string_view family_of(const gpus::Gpu& gpu, const profile::LaunchTrace& trace,
                           const engine::Result& result, std::uint32_t wavefront_size,
                           const Prediction& prediction);

/// How far off predictions of a family were on a GPU: `./dev bench validation` says so when this
/// is no longer what it finds. Null where nothing public was measured.
const ModelError* error_of(std::string_view gpu, std::string_view family);

}  // namespace hipsight::timing
