#include "check/shufflecheck.h"

#include <fmt/format.h>

#include <bit>

#include "check/registers.h"
#include "engine/engine.h"

namespace hipsight::check {

class Shufflecheck::Group final : public engine::GroupObserver {
 public:
  Group(Shufflecheck& all, std::uint64_t number) : all_(all), number_(number) {}
  engine::Wants wants() const override { return {.regions = false, .accesses = false}; }
  bool steps(unsigned) const override { return true; }
  void workgroup_ends() override { waves_ = {}; }

  void wave_begins(unsigned wave, std::uint64_t) override {
    if (waves_.size() <= wave) waves_.resize(wave + 1);
    waves_[wave] = {};
  }
  void step(unsigned wave, const engine::Step& step) override {
    // The address may lie where the result comes to.
    if (step.instruction && step.instruction->is(isa::Opcode::DS_BPERMUTE_B32)) look(wave, step);
    for (const engine::Written& one : step.written) waves_[wave].set(one, all_.lanes_);
  }

 private:
  void look(unsigned wave, const engine::Step& step) {
    const isa::Instruction& in = *step.instruction;
    Read read{.wave = wave};
    for (const engine::Written& one : step.written) {
      if (one.file != engine::Written::File::Vector) continue;
      for (std::uint64_t left = one.mask; left; left &= left - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(left));
        const auto offset = static_cast<std::uint32_t>(in.offset);
        const unsigned from = (waves_[wave].at(in.src[0], 0, lane) + offset) / 4 % all_.lanes_;
        if (one.mask >> from & 1) continue;
        if (!read.count++) read.lane = lane, read.from = from;
      }
    }
    if (read.count) all_.add(number_, in, read);
  }

  Shufflecheck& all_;
  const std::uint64_t number_;
  std::vector<Registers> waves_;
};

std::unique_ptr<engine::GroupObserver> Shufflecheck::watcher_of(std::uint64_t workgroup) {
  return std::make_unique<Group>(*this, workgroup);
}

void Shufflecheck::add(std::uint64_t workgroup, const isa::Instruction& instruction,
                       const Read& read) {
  found_.add(workgroup, &instruction, read.count, [&] {
    return Finding{.tool = "shufflecheck",
                   .text = fmt::format("a lane reads a lane that is off, and gets 0\n"
                                       "  kernel      {}\n  shuffle     {}\n"
                                       "  workgroup   {}, wave {}, lane {} of lane {}",
                                       kernel_, place_text(*listing_, instruction), workgroup,
                                       read.wave, read.lane, read.from),
                   .address = instruction.address,
                   .kernel = kernel_,
                   .at = location_of(*listing_, instruction)};
  });
}

}  // namespace hipsight::check
