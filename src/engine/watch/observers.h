#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "code/code_object.h"
#include "engine/events.h"
#include "engine/program/program.h"

namespace hipsight::engine {

struct Wave;

/// Those who observe one workgroup, each told what it wants.
class Observers {
 public:
  explicit Observers(Program& program) : program_(&program) {}
  Observers(const Observers&) = delete;
  Observers& operator=(const Observers&) = delete;

  /// None any more.
  void clear();
  void add(GroupObserver& one);
  bool empty() const { return all_.empty(); }
  /// Whether blocks must tell of accesses and regions: nobody wants steps alone.
  bool want_accesses() const { return !of_regions_.empty() || !of_accesses_.empty(); }

  /// A wave comes to an instruction: what it came past without code is told of.
  void comes_to(unsigned wave, const isa::Instruction& instruction) { come_to(wave, &instruction); }
  void wave_begins(unsigned wave, std::uint64_t exec);
  void wave_ends(unsigned wave);
  void workgroup_ends();
  void enters(unsigned wave, std::uint32_t region, std::uint64_t exec);
  void accesses(unsigned wave, const isa::Instruction& instruction, const Access& access);
  void signals(unsigned wave, const Signal& signal);
  void completes(unsigned barrier);
  void passes(unsigned wave, unsigned barrier);
  bool forgives(const Fault& fault);
  bool steps(unsigned wave) const;
  void step(unsigned wave, const Step& step);
  /// Takes leave of those that have seen enough; whether that were all.
  bool have_enough();
  bool spins(unsigned wave);

 private:
  /// Instructions that order memory and need no code of their own are told of as the wave comes
  /// past them: those before an instruction of its region, or all that are left of it.
  void come_to(unsigned wave, const isa::Instruction* instruction);
  void sort_out();

  Program* program_;
  std::vector<GroupObserver*> all_, of_regions_, of_accesses_, of_ordering_;
  struct Position {
    const isa::Instruction *next = nullptr, *end = nullptr;
  };
  std::vector<Position> positions_;  ///< of waves, where somebody wants to know of ordering
  std::vector<Region> regions_;      ///< of the program, as far as was needed
};

/// Of a program's instructions.
class ProgramListing final : public Listing {
 public:
  explicit ProgramListing(Program& program) : program_(program) {}
  std::string text(const isa::Instruction& instruction) const override;
  std::optional<code::SourceLine> line(const isa::Instruction& instruction) const override;
  std::vector<RegionOfCode> regions() const override;
  const code::Target& target() const override;

 private:
  Program& program_;
};

}  // namespace hipsight::engine
