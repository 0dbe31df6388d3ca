#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/launch/wave.h"
#include "engine/program/program.h"
#include "engine/translate/analysis/effects.h"
#include "engine/watch/observers.h"

namespace hipsight::engine {

/// Runs a wave op by op and tells its observer of each instruction (GroupObserver::step). Where all
/// is translated at first sight, that is compiled code too: its instructions are told of together,
/// and what they have changed with the last of them; instructions without effect are left out.
class Stepper {
 public:
  /// `wave`: just started.
  Stepper(Program& program, const RegisterFile& file, const Wave& wave);

  /// Until the wave stops.
  void run(Wave& wave);

 private:
  const Op* run_one(Wave& wave, const Op* op);
  void run_compiled(Wave& wave, const Op* op,
                    std::span<const isa::Instruction* const> instructions);
  /// The first op of the translated block that serves the wave at a region, once it is counted.
  const Op* enter_block(Wave& wave, const Op& region);
  void begin(const Wave& wave, const Op& op);
  bool is_region(const Op& op);
  void tell(const Wave& wave);
  void tell_skipped(const Wave& wave, std::uint64_t until);
  void tell_start(const Wave& wave);
  std::size_t vector_words() const;

  Program& program_;
  const RegisterFile file_;
  std::vector<Region> regions_;
  const isa::Instruction *next_ = nullptr, *end_ = nullptr;  ///< of the region, in order

  // The instruction that is under way, which may be several ops; and what was there before.
  const isa::Instruction* instruction_ = nullptr;
  bool in_block_ = false;  ///< of translated code
  std::uint64_t exec_ = 0;
  Places results_;
  std::vector<std::uint32_t> scalars_, vectors_;
  std::uint32_t scc_ = 0;
};

}  // namespace hipsight::engine
