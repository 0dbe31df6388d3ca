#include "check/synccheck.h"

#include <fmt/format.h>

#include <ranges>

#include "engine/engine.h"

namespace hipsight::check {

using engine::Access;

class Synccheck::Group final : public engine::GroupObserver {
 public:
  Group(Synccheck& all, std::uint64_t number) : all_(all), number_(number) {}

  void wave_begins(unsigned wave, std::uint64_t exec) override {
    if (waves_.size() <= wave) waves_.resize(wave + 1);
    waves_[wave] = {.lanes = exec};
  }
  void signals(unsigned wave, const engine::Signal& signal) override {
    if (signal.barrier != 0) return;
    Wave& self = waves_[wave];
    look(wave, signal.exec);
    if (const std::uint64_t off = self.lanes & ~signal.exec) {
      self.off = off;
      self.passed_by = &signal.instruction;
    }
    there_.emplace_back(wave, &signal.instruction);
  }
  void completes(unsigned barrier) override {
    if (barrier != 0) return;
    const auto& [first_wave, first] = there_.front();
    for (const auto& [wave, at] : there_ | std::views::drop(1)) {
      // Once they are apart, all that follow are.
      if (apart_ || at == first || !all_.is_syncthreads(*at) || !all_.is_syncthreads(*first))
        continue;
      apart_ = true;
      const bool in_order = first->address <= at->address;
      all_.add(number_, in_order ? Cause{first, at} : Cause{at, first},
               in_order ? fmt::format("waves {} and {}", first_wave, wave)
                        : fmt::format("waves {} and {}", wave, first_wave));
    }
    there_.clear();
  }
  void accesses(unsigned wave, const isa::Instruction&, const Access& access) override {
    // Spills of whole waves come with all lanes on.
    if (waves_[wave].off && access.space != Access::Space::Scratch) look(wave, access.mask);
  }

 private:
  struct Wave {
    std::uint64_t lanes = 0;                      ///< it began with
    std::uint64_t off = 0;                        ///< of these at its last barrier
    const isa::Instruction* passed_by = nullptr;  ///< that barrier
  };
  /// Lanes that are on have not ended: they have passed the last barrier by if they were off there.
  void look(unsigned wave, std::uint64_t on) {
    Wave& self = waves_[wave];
    const std::uint64_t back = self.off & on;
    if (!back) return;
    all_.add(number_, {self.passed_by, nullptr},
             fmt::format("wave {}, lanes {:#x} were elsewhere", wave, back));
    self.off = 0;
  }

  Synccheck& all_;
  const std::uint64_t number_;
  std::vector<Wave> waves_;
  std::vector<std::pair<unsigned, const isa::Instruction*>> there_;  ///< at the barrier, by now
  bool apart_ = false;
};

std::unique_ptr<engine::GroupObserver> Synccheck::watcher_of(std::uint64_t workgroup) {
  return std::make_unique<Group>(*this, workgroup);
}

bool Synccheck::is_syncthreads(const isa::Instruction& instruction) {
  const std::lock_guard lock(mutex_);
  const auto [known, is_new] = syncthreads_.try_emplace(&instruction, false);
  if (is_new) known->second = is_of_headers(*listing_, instruction);
  return known->second;
}

void Synccheck::add(std::uint64_t workgroup, const Cause& cause, const std::string& who) {
  const auto& [one, other] = cause;
  found_.add(workgroup, cause, 1, [&] {
    std::string text = fmt::format("{}\n  kernel      {}\n  barrier     {}\n",
                                   other ? "waves of a workgroup wait at different barriers"
                                         : "barrier that lanes of a wave pass by",
                                   kernel_, place_text(*listing_, *one));
    if (other) text += fmt::format("  barrier     {}\n", place_text(*listing_, *other));
    return Finding{.tool = "synccheck",
                   .text = text + fmt::format("  workgroup   {}, {}", workgroup, who),
                   .address = one->address,
                   .other = other ? other->address : 0,
                   .kernel = kernel_,
                   .at = location_of(*listing_, *one),
                   .second = other ? location_of(*listing_, *other) : Location()};
  });
}

}  // namespace hipsight::check
