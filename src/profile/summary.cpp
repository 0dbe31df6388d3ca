#include "profile/summary.h"

#include <numeric>

namespace hipsight::profile {
namespace {

Bytes* space_of(Summary& summary, isa::Pipe pipe) {
  switch (pipe) {
    case isa::Pipe::Global:
      return &summary.global;
    case isa::Pipe::Lds:
      return &summary.lds;
    case isa::Pipe::Scratch:
      return &summary.scratch;
    case isa::Pipe::Flat:
      return &summary.flat;
    case isa::Pipe::ScalarMemory:
      return &summary.scalar;
    default:
      return nullptr;
  }
}

}  // namespace

bool is_floating(isa::Number number) {
  switch (number) {
    case isa::Number::F64:
    case isa::Number::F32:
    case isa::Number::F16:
    case isa::Number::BF16:
    case isa::Number::F8:
    case isa::Number::F6:
    case isa::Number::F4:
    case isa::Number::XF32:
      return true;
    default:
      return false;
  }
}

void Summary::add(const isa::Work& work, std::uint64_t executions, std::uint64_t lanes) {
  instructions[std::size_t(work.pipe)] += executions;
  const bool vector = work.pipe == isa::Pipe::Vector || work.pipe == isa::Pipe::Transcendental;
  if (vector) vector_lanes += lanes;

  auto& operations = work.pipe == isa::Pipe::Matrix ? matrix_operations : vector_operations;
  operations[std::size_t(work.number)] +=
      work.operations_per_lane * double(lanes) + work.operations_per_wave * double(executions);

  if (Bytes* space = space_of(*this, work.pipe)) {
    const double times = double(work.pipe == isa::Pipe::ScalarMemory ? executions : lanes);
    space->read += work.bytes_read * times;
    space->written += work.bytes_written * times;
  }
}

void Summary::add(const engine::Result& result) {
  for (const engine::InstructionCount& count : result.counts)
    add(isa::work_of(*count.instruction), count.executions, count.lanes);
  ++launches;
  workgroups += result.workgroups;
  waves += result.waves;
  host_seconds += result.host_seconds;
}

void Summary::add(const Summary& other) {
  const auto add_all = [](auto& sums, const auto& others) {
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += others[i];
  };
  add_all(instructions, other.instructions);
  add_all(vector_operations, other.vector_operations);
  add_all(matrix_operations, other.matrix_operations);
  vector_lanes += other.vector_lanes;
  for (Bytes Summary::* space :
       {&Summary::global, &Summary::lds, &Summary::scratch, &Summary::flat, &Summary::scalar}) {
    (this->*space).read += (other.*space).read;
    (this->*space).written += (other.*space).written;
  }
  launches += other.launches;
  workgroups += other.workgroups;
  waves += other.waves;
  host_seconds += other.host_seconds;
}

std::uint64_t Summary::all_instructions() const {
  return std::accumulate(instructions.begin(), instructions.end(), std::uint64_t{0});
}

double Summary::floating_operations() const {
  double sum = 0;
  for (std::size_t i = 0; i < kNumbers; ++i)
    if (is_floating(isa::Number(i))) sum += vector_operations[i] + matrix_operations[i];
  return sum;
}

double Summary::memory_bytes() const {
  return global.total() + flat.total() + scratch.total();
}

double Summary::active_lanes(std::uint32_t wavefront_size) const {
  const std::uint64_t vector =
      instructions_of(isa::Pipe::Vector) + instructions_of(isa::Pipe::Transcendental);
  return vector == 0 ? 0 : double(vector_lanes) / (double(vector) * wavefront_size);
}

}  // namespace hipsight::profile
