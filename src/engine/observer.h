#pragma once

#include <cstdint>
#include <span>

#include "isa/instruction.h"

namespace hipsight::engine {

/// What one execution of an instruction asks of memory: the same number of bytes for each lane.
/// Instructions with two addresses make two accesses.
struct Access {
  enum class Space : std::uint8_t {
    Global,   ///< host addresses
    Scratch,  ///< bytes from the begin of the workgroup's scratch, of the first dword; the next one
              ///< lies `lanes` dwords further
    Lds,      ///< bytes from the begin of the workgroup's LDS
    Scalar,   ///< through the scalar cache: one address, in at[0]
  };
  Space space;
  unsigned bytes;           ///< of each lane
  unsigned lanes;           ///< of the wave, on or off
  std::uint64_t mask;       ///< lanes that take part
  const std::uint64_t* at;  ///< where, of each lane in the mask
};

/// A register that an instruction wrote, and what it holds now.
struct Written {
  enum class File : std::uint8_t { Scalar, Scc, Vector, Accumulator };
  File file;
  unsigned index;               ///< scalar registers by their encoding: VCC is 106, EXEC 126
  std::uint64_t mask;           ///< lanes that were written, of a vector register
  const std::uint32_t* values;  ///< one, or one for each lane of the wave
};
/// What one execution of an instruction did to the registers: all that have changed, and results
/// that are what they were before.
struct Step {
  const isa::Instruction* instruction;  ///< null: what the wave starts with
  unsigned lanes;                       ///< of the wave
  std::span<const Written> written;
};

/// Is told what one workgroup does, by one host thread at a time, each wave's doings in order.
class GroupObserver {
 public:
  virtual ~GroupObserver() = default;
  /// A wave begins a stretch of code (Result::regions) that it runs to its end.
  virtual void enters(unsigned wave, std::uint32_t region, std::uint64_t exec) = 0;
  virtual void accesses(unsigned wave, const isa::Instruction& instruction,
                        const Access& access) = 0;
  /// What an instruction loads goes to LDS, there.
  virtual void fills_lds(unsigned /*wave*/, const isa::Instruction& /*instruction*/,
                         const Access& /*access*/) {}
  /// Whether to be told of each instruction of a wave, which takes long; asked when it starts.
  virtual bool steps(unsigned /*wave*/) const { return false; }
  virtual void step(unsigned /*wave*/, const Step& /*step*/) {}
  /// Whether it has seen enough of the workgroup, which then goes on unobserved, or, where only
  /// observed workgroups run, ends there.
  virtual bool enough() const { return false; }
  /// The wave only goes round and round, and nobody runs who could free it (observed_only).
  /// Whether it is spinning for another workgroup, and shall leave its loop.
  virtual bool spins([[maybe_unused]] unsigned wave) { return false; }
};

/// Chooses workgroups of a launch (Dispatch::observer), which then are interpreted.
class Observer {
 public:
  virtual ~Observer() = default;
  /// A workgroup begins: what is told of it, or null. Comes from several host threads.
  virtual GroupObserver* begins(std::uint64_t workgroup) = 0;
};

}  // namespace hipsight::engine
