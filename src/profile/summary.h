#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "engine/engine.h"
#include "isa/instruction.h"

namespace hipsight::profile {

constexpr std::size_t kPipes = std::size_t(isa::Pipe::Wait) + 1;
constexpr std::size_t kNumbers = std::size_t(isa::Number::XF32) + 1;

/// Bytes that active lanes asked for; what caches catch is not known here.
struct Bytes {
  double read = 0, written = 0;
  double total() const { return read + written; }
};

/// What one or more launches did, summed. Counts are exact.
struct Summary {
  std::array<std::uint64_t, kPipes> instructions{};  ///< wave-instructions by pipe
  std::array<double, kNumbers> vector_operations{};  ///< by type; an FMA is 2
  std::array<double, kNumbers> matrix_operations{};  ///< by type of the inputs
  std::uint64_t vector_lanes = 0;  ///< active lanes of vector and transcendental instructions
  Bytes global, lds, scratch;
  Bytes flat;    ///< by instructions whose address may be in any space
  Bytes scalar;  ///< through the scalar cache: constants and kernel arguments

  std::uint64_t launches = 0, workgroups = 0, waves = 0;
  double host_seconds = 0;

  /// Adds `executions` of an instruction with `lanes` active lanes in all.
  void add(const isa::Work& work, std::uint64_t executions, std::uint64_t lanes);
  /// Adds one launch.
  void add(const engine::Result& result);
  void add(const Summary& other);

  std::uint64_t instructions_of(isa::Pipe pipe) const { return instructions[std::size_t(pipe)]; }
  std::uint64_t all_instructions() const;
  double floating_operations() const;  ///< vector and matrix, floating types only
  double memory_bytes() const;         ///< global, flat and scratch: what may go to DRAM
  /// Mean share of a wave's lanes that were active in vector instructions; 0 when there were none.
  double active_lanes(std::uint32_t wavefront_size) const;
};

/// Whether operations of this type are floating-point ones.
bool is_floating(isa::Number number);

}  // namespace hipsight::profile
