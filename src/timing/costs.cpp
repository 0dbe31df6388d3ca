#include "timing/costs.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "isa/operand_use.h"
#include "timing/power.h"
#include "timing/roofs.h"

namespace hipsight::timing {
namespace {

Cost::Registers registers(const isa::Operand& operand, unsigned count) {
  if (operand.where != isa::Where::Vgpr && operand.where != isa::Where::Agpr) return {};
  const unsigned first = operand.index + (operand.where == isa::Where::Agpr ? 512u : 0u);
  return {static_cast<std::uint16_t>(first), static_cast<std::uint16_t>(count)};
}

/// Cycles of a SIMD for so many operations at the rate of the whole compute unit.
double cycles(const gpus::Gpu& gpu, double operations, std::optional<double> per_clock) {
  return per_clock ? operations / (*per_clock / gpu.simds_per_cu) : 0;
}

}  // namespace

gpus::Gpu joined(gpus::Gpu gpu, std::uint32_t units) {
  gpu.simds_per_cu *= units;
  for (gpus::Gpu::Rate& rate : gpu.rates)
    for (std::optional<double>* per_clock : {&rate.vector, &rate.matrix})
      if (*per_clock) **per_clock *= units;
  return gpu;
}

Cost cost_of(const gpus::Gpu& gpu, const isa::Instruction& in, unsigned lanes) {
  const isa::Work work = isa::work_of(in);
  const double halves = lanes > gpu.wavefront_size ? 2 : 1;  // a wave64 on a GPU of 32
  const gpus::Gpu::Rate* rate = gpu.rate(rate_name(work.number));
  Cost cost;
  cost.pipe = work.pipe;
  cost.energy_pj = energy_of(gpu, work, lanes);
  cost.stores = work.bytes_written != 0;
  cost.atomic = work.bytes_read && work.bytes_written;
  cost.moves = work.bytes_read || work.bytes_written;
  cost.wait = isa::wait_of(in);
  cost.barrier =
      in.row->control == isa::Control::Barrier || in.row->control == isa::Control::BarrierWait;
  switch (work.pipe) {
    case isa::Pipe::Vector:
      // Types with less than the full rate, f64 on RDNA say, keep the unit for longer.
      cost.busy = std::max(gpu.issue_cycles * halves, cycles(gpu, work.operations_per_lane * lanes,
                                                             rate ? rate->vector : std::nullopt));
      // AMD RDNA3 ISA guide, s_delay_alu: a dependent vector instruction waits five cycles.
      cost.latency = isa::is_rdna(in.gfx) ? cost.busy + 4 : cost.busy;
      break;
    case isa::Pipe::Transcendental:
      cost.busy = gpu.transcendental_cycles.value_or(gpu.issue_cycles) * halves;
      cost.latency = cost.busy + (isa::is_rdna(in.gfx) ? 6 : 0);
      break;
    case isa::Pipe::Matrix:
      cost.busy = std::max(gpu.issue_cycles, cycles(gpu, work.operations_per_wave,
                                                    rate ? rate->matrix : std::nullopt));
      // CDNA: a result is read 16 cycles after the last pass (fitted on assembly GEMMs, gfx950).
      cost.latency = cost.busy + 16;
      for (unsigned i = 0; i < 3; ++i) {
        const isa::Operand& source = i == 2 && in.row->sparse ? in.dst : in.src[i];
        cost.sources[i] = registers(source, isa::matrix_registers(in, i, lanes));
      }
      cost.result = registers(in.dst, isa::matrix_registers(in, 2, lanes));
      return cost;
    case isa::Pipe::Scalar:
    case isa::Pipe::ScalarMemory:
    case isa::Pipe::Branch:
      cost.busy = gpu.issue_cycles / (isa::is_rdna(in.gfx) ? 1 : halves);
      break;
    case isa::Pipe::Wait:
      if (in.is(isa::Opcode::S_NOP)) cost.pause = gpu.issue_cycles * ((in.imm.number() & 15) + 1);
      if (in.is(isa::Opcode::S_SLEEP)) cost.pause = 64.0 * (in.imm.number() & 127);
      if (in.is(isa::Opcode::S_SETPRIO)) cost.priority = in.imm.number() & 3;
      break;
    default:  // LDS and memory: by request
      cost.busy = gpu.issue_cycles;
      break;
  }
  const unsigned wide = 2;  // 64-bit and packed operands; what is narrower waits in vain rarely
  for (unsigned i = 0; i < 3; ++i) cost.sources[i] = registers(in.src[i], wide);
  cost.result = registers(in.dst, 1);
  return cost;
}

}  // namespace hipsight::timing
