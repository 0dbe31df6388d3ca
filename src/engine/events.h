#pragma once
// What a launch tells those who watch it (docs/watching.md).

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "isa/instruction.h"
#include "isa/scope.h"

namespace hipsight::code {
struct SourceLine;
struct Target;
}  // namespace hipsight::code

namespace hipsight::engine {

struct Dispatch;
struct Dim3;
struct RegionOfCode;

/// What one execution of an instruction asks of memory: the same number of bytes for each lane.
/// Instructions with two addresses make two accesses, those between memory and LDS one of each.
struct Access {
  enum class Space : std::uint8_t {
    Global,   ///< host addresses
    Scratch,  ///< bytes from the begin of the workgroup's scratch, of the first dword; the next one
              ///< lies `lanes` dwords further
    Lds,      ///< bytes from the begin of the workgroup's LDS
    Scalar,   ///< through the scalar cache: one address, in at[0]
  };
  using Does = isa::MemoryAccess::Does;

  Space space;
  unsigned bytes;           ///< of each lane
  unsigned lanes;           ///< of the wave, on or off
  std::uint64_t mask;       ///< lanes that take part
  const std::uint64_t* at;  ///< where, of each lane in the mask

  Does does = Does::Load;
  isa::Scope scope = isa::Scope::Wave;
  /// A load of an atomic of a scope beyond the workgroup, or volatile.
  bool synchronises = false;

  /// Lanes that get less than `bytes`, and how much they do, from the first byte on: a buffer's
  /// records end there. Loads give 0 for the rest, and stores of it vanish. Null: none do.
  std::uint64_t cut = 0;
  const std::uint32_t* inside = nullptr;
  /// Lanes that access nothing, since what they want is not there (Fault).
  std::uint64_t faults = 0;

  bool loads() const { return does != Does::Store; }
  bool stores() const { return does != Does::Load; }
  /// Bytes that a lane in the mask accesses.
  unsigned bytes_of(unsigned lane) const {
    if (faults >> lane & 1) return 0;
    return cut >> lane & 1 ? inside[lane] : bytes;
  }
  /// Lanes that access some.
  std::uint64_t touching() const {
    std::uint64_t lanes_that_do = mask & ~faults;
    for (std::uint64_t left = lanes_that_do & cut; left; left &= left - 1)
      if (!inside[__builtin_ctzll(left)]) lanes_that_do &= ~(left & -left);
    return lanes_that_do;
  }
};

/// An access that is an error: outside all memory that is there for it, or misaligned. A wave that
/// goes on does nothing there: loads give 0, stores vanish.
struct Fault {
  Access::Space space;
  unsigned wave, lane;
  const isa::Instruction& instruction;
  std::uint64_t at;  ///< in Scratch: bytes of the lane's own
  unsigned bytes;
  bool misaligned;
  /// The error, in words: kernel, instruction, source line, and the nearest allocation.
  const std::function<std::string()>& text;
};

/// What a wave does about memory beside accesses: waits for its own, and work of caches. Fences and
/// the ordering of atomics are made of these.
struct Ordering {
  bool waits = false;  ///< for counters of what is under way (isa::wait_of)
  isa::CacheWork caches;
};

/// A wave tells a barrier that it is there.
struct Signal {
  unsigned
      barrier;  ///< the workgroup's own is 0, others are those that waves join by number (GFX12)
  const isa::Instruction& instruction;
  std::uint64_t exec;  ///< lanes that are on
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

/// Which events one wants to be told of, beside those that are always told: those that it does not
/// want cost less.
struct Wants {
  bool regions = true, accesses = true;
  bool ordering = false;
};

/// Is told what one workgroup does, by one host thread at a time, each wave's doings in the order
/// of the program. It outlives the launch.
class GroupObserver {
 public:
  virtual ~GroupObserver() = default;
  /// Asked once, when the workgroup begins.
  virtual Wants wants() const { return {}; }

  /// A wave begins, with these lanes.
  virtual void wave_begins(unsigned /*wave*/, std::uint64_t /*exec*/) {}
  virtual void wave_ends(unsigned /*wave*/) {}
  /// All waves have ended. Not told of a workgroup that is left before.
  virtual void workgroup_ends() {}

  /// A wave begins a stretch of code (Result::regions) that it runs to its end.
  virtual void enters(unsigned /*wave*/, std::uint32_t /*region*/, std::uint64_t /*exec*/) {}
  /// Told before it is done: memory is as it was.
  virtual void accesses(unsigned /*wave*/, const isa::Instruction& /*instruction*/,
                        const Access& /*access*/) {}
  virtual void orders(unsigned /*wave*/, const isa::Instruction& /*instruction*/,
                      const Ordering& /*ordering*/) {}

  /// A wave signals a barrier; when all members have, it completes; then each passes it.
  virtual void signals(unsigned /*wave*/, const Signal& /*signal*/) {}
  virtual void completes(unsigned /*barrier*/) {}
  virtual void passes(unsigned /*wave*/, unsigned /*barrier*/) {}

  /// Whether the wave goes on in spite of an error; else the launch ends with it (KernelError).
  virtual bool forgives(const Fault& /*fault*/) { return false; }

  /// Whether to be told of each instruction of a wave, which takes long; asked when it starts.
  virtual bool steps(unsigned /*wave*/) const { return false; }
  virtual void step(unsigned /*wave*/, const Step& /*step*/) {}

  /// Whether it has seen enough of the workgroup. When all have, that goes on unobserved, or, where
  /// only observed workgroups run, ends there.
  virtual bool enough() const { return false; }
  /// The wave only goes round and round, and nobody runs who could free it (observed_only).
  /// Whether it is spinning for another workgroup, and shall leave its loop.
  virtual bool spins([[maybe_unused]] unsigned wave) { return false; }
};

/// Says what instructions of a launch are, and where they come from.
class Listing {
 public:
  virtual ~Listing() = default;
  /// As the assembler writes it.
  virtual std::string text(const isa::Instruction& instruction) const = 0;
  virtual std::optional<code::SourceLine> line(const isa::Instruction& instruction) const = 0;
  /// The stretches of code that were entered so far, by their numbers.
  virtual std::vector<RegionOfCode> regions() const = 0;
  /// What the code was compiled for.
  virtual const code::Target& target() const = 0;
};

/// A launch that begins. All of it lives until the launch has ended.
struct LaunchFacts {
  const Dispatch& dispatch;
  const Dim3& groups;           ///< workgroups
  unsigned lanes;               ///< of a wave
  std::uint32_t lds_bytes;      ///< of a workgroup
  std::uint32_t scratch_bytes;  ///< of a work-item
  const Listing& listing;
};

/// Chooses workgroups of a launch (Dispatch::observers).
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void launch_begins(const LaunchFacts& /*launch*/) {}
  /// A workgroup begins: what is told of it, or null. Comes from several host threads.
  virtual GroupObserver* begins(std::uint64_t workgroup) = 0;
  /// The first workgroup, this one or a later one, that it may choose: where only chosen ones run,
  /// it is not asked of those between. Past the launch's end if there is none.
  virtual std::uint64_t next_choice(std::uint64_t workgroup) const { return workgroup; }
  /// All workgroups have ended, and memory is as they left it. Not told of a launch that fails.
  virtual void launch_ends() {}
};

}  // namespace hipsight::engine
