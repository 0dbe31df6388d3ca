#pragma once

#include "gpus/gpu.h"
#include "isa/instruction.h"

namespace hipsight::timing {

/// Energy of an instruction of a wave at a clock of 1 GHz, in pJ: its arithmetic, with what moves
/// its operands. 0: the GPU's file has none.
double energy_of(const gpus::Gpu& gpu, const isa::Work& work, unsigned lanes);

/// Energy of an operation of the matrix units at 1 GHz, in pJ. A type of which the file has none is
/// taken to need as much a cycle as the one that needs most.
double matrix_pj(const gpus::Gpu& gpu, const gpus::Gpu::Rate& rate);

/// What a launch keeps the whole GPU doing.
struct Activity {
  double pj_per_cycle = 0;  ///< of its instructions, at 1 GHz
  double memory_gb_per_s = 0;
};

/// The clock in GHz at which the GPU takes the power that it may take, at most `clock_ghz`. Without
/// `power_watts` in the GPU's file: `clock_ghz`.
///
/// The power is
///   power_base_watts + dram_pj_per_byte x bytes per second
///     + (power_clock_watts + energy of the instructions of a cycle) x (clock / GHz)^2,
/// for the voltage falls with the clock. docs/timing.md has what that was fitted on.
double clock_under(const gpus::Gpu& gpu, const Activity& activity);

}  // namespace hipsight::timing
