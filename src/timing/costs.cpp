#include "timing/costs.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "timing/roofs.h"

namespace hipsight::timing {
namespace {

/// Bits of an element of A and B.
unsigned bits_of(isa::Number number) {
  switch (number) {
    case isa::Number::F64:
      return 64;
    case isa::Number::F32:
    case isa::Number::XF32:
      return 32;
    case isa::Number::F16:
    case isa::Number::BF16:
      return 16;
    case isa::Number::I4:
    case isa::Number::F4:
      return 4;
    default:
      return 8;
  }
}
/// Registers of A (0), B (1) and C (2) of a matrix instruction.
std::uint16_t matrix_registers(const isa::Instruction& in, const isa::Work& work, unsigned source,
                               unsigned lanes) {
  const isa::Tile& t = work.tile;
  const isa::Number c = in.row->result;
  const unsigned c_bits = c == isa::Number::F64 ? 64 : c == isa::Number::F16 ? 16 : 32;
  const unsigned elements = (source == 2 ? t.m * t.n : (source ? t.n : t.m) * t.k) * t.blocks;
  const unsigned bits = elements * (source == 2 ? c_bits : bits_of(work.number));
  // GFX11's WMMA holds A and B in both halves of the wave.
  const bool twice = source != 2 && in.gfx == isa::Gfx::Gfx11;
  return static_cast<std::uint16_t>(std::max(1u, bits * (twice ? 2 : 1) / 32 / lanes));
}

Cost::Registers registers(const isa::Operand& operand, std::uint16_t count) {
  if (operand.where != isa::Where::Vgpr && operand.where != isa::Where::Agpr) return {};
  const unsigned first = operand.index + (operand.where == isa::Where::Agpr ? 512u : 0u);
  return {static_cast<std::uint16_t>(first), count};
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
      for (unsigned i = 0; i < 3; ++i)
        cost.sources[i] = registers(in.src[i], matrix_registers(in, work, i, lanes));
      cost.result = registers(in.dst, matrix_registers(in, work, 2, lanes));
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
  const std::uint16_t wide =
      2;  // 64-bit and packed operands; what is narrower waits in vain rarely
  for (unsigned i = 0; i < 3; ++i) cost.sources[i] = registers(in.src[i], wide);
  cost.result = registers(in.dst, 1);
  return cost;
}

}  // namespace hipsight::timing
