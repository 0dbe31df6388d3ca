#pragma once
// What a wave has asked memory for and not waited for: the rules of wait counters.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "isa/instruction.h"
#include "isa/waits.h"

namespace hipsight::analysis {

/// An instruction uses a register before what another one brings is sure to be there.
struct EarlyUse {
  const isa::Instruction* of = nullptr;  ///< brings it
  const isa::Instruction* by = nullptr;
  bool overwrites = false;  ///< it writes the register, which is then written once more
  isa::Counter counter{};   ///< that must be waited for, before it ...
  unsigned at_most = 0;     ///< ... until so many are under way
};

/// Of one wave. Results of loads come in the order of the instructions, as their counter falls;
/// those of scalar memory, and on GFX9 of flat accesses, come in any order, so that only a wait for
/// none says that they are there (ISA manuals, "wait counters"; LLVM, SIInsertWaitcnts).
class UnderWay {
 public:
  /// `lanes` of the wave: 32 or 64. What is not known to count (images, exports) is left out.
  void run(const isa::Instruction& instruction, unsigned lanes, std::vector<EarlyUse>& found);
  /// The same for the same state.
  std::string key() const;

 private:
  struct One {
    const isa::Instruction* by;
    std::array<bool, isa::kCounters> counted{};  ///< in which it still is
    bool told = false;                           ///< that it was used too early
    bool is_there() const;
  };
  void wait(isa::Gfx gfx, const isa::Wait& wait);
  void ask(const isa::Instruction& instruction);
  bool comes_in_order(isa::Counter counter) const;
  std::optional<EarlyUse> early(const One& one, const isa::Instruction& by, bool writes) const;

  std::vector<One> all_;  ///< oldest first
};

/// "s_waitcnt vmcnt(2)", as the assembler of that GPU has it.
std::string wait_text(isa::Gfx gfx, isa::Counter counter, unsigned at_most);

}  // namespace hipsight::analysis
