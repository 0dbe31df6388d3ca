#pragma once

#include <cstdint>

#include "isa/instruction.h"

namespace hipsight::engine {

/// What one execution of an instruction asks of memory: the same number of bytes for each lane.
/// Instructions with two addresses make two accesses.
struct Access {
  enum class Space : std::uint8_t {
    Global,   ///< host addresses
    Scratch,  ///< host addresses of the first dword; the next one lies `lanes` dwords further
    Lds,      ///< bytes from the begin of the workgroup's LDS
    Scalar,   ///< through the scalar cache: one address, in at[0]
  };
  Space space;
  unsigned bytes;           ///< of each lane
  unsigned lanes;           ///< of the wave, on or off
  std::uint64_t mask;       ///< lanes that take part
  const std::uint64_t* at;  ///< where, of each lane in the mask
};

/// Is told what one workgroup does, by one host thread at a time, each wave's doings in order.
class GroupObserver {
 public:
  virtual ~GroupObserver() = default;
  /// A wave begins a stretch of code (Result::regions) that it runs to its end.
  virtual void enters(unsigned wave, std::uint32_t region, std::uint64_t exec) = 0;
  virtual void accesses(unsigned wave, const isa::Instruction& instruction,
                        const Access& access) = 0;
};

/// Chooses workgroups of a launch (Dispatch::observer), which then are interpreted.
class Observer {
 public:
  virtual ~Observer() = default;
  /// A workgroup begins: what is told of it, or null. Comes from several host threads.
  virtual GroupObserver* begins(std::uint64_t workgroup) = 0;
};

}  // namespace hipsight::engine
