#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "engine/engine.h"
#include "timing/predict.h"

namespace hipsight::timing {

/// What observed workgroups did, as far as families of kernels differ by it. docs/timing.md,
/// "Families", says what each is for.
struct Doings {
  // Executions.
  std::array<double, 16> matrix{};  ///< by isa::Number
  double transcendental = 0, conversions = 0, memory = 0;
  bool lds = false, atomics = false;
  bool crosses = false;  ///< lanes have values of other lanes: permutes, DPP, swaps
  // Where values come from, of the workgroup that did most.
  bool gathers = false;           ///< an address in memory has come out of memory
  bool chains = false;            ///< A or B of a product comes out of another product
  bool converts = false;          ///< A or B was loaded, and then computed with
  bool scales = false;            ///< sums are computed with, and products follow
  bool scales_in_matrix = false;  ///< the matrix unit takes scales of blocks
  bool goes_on = false;           ///< sums are stored, and products follow
  bool shares = false;            ///< workgroups hand values to each other
  bool unlike = false;            ///< workgroups do more or less than others

  double products() const;
};
Doings doings_of(const profile::LaunchTrace& trace, const engine::Result& result,
                 std::uint32_t wavefront_size, bool unlike);

/// The family of kernels that one belongs to: of what it does, and of the unit that is busiest.
/// docs/timing.md, "Families", has the rules. Empty: of none.
std::string family_of(const gpus::Gpu& gpu, const profile::LaunchTrace& trace, const Doings& doings,
                      std::uint64_t workgroups, std::uint32_t wavefront_size,
                      const Prediction& prediction);

}  // namespace hipsight::timing
