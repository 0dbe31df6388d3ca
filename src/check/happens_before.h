#pragma once
// Which accesses of a launch are over when a wave makes another one.

#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

namespace hipsight::check {

/// A launch's time: a number that grows with each event that may put accesses in order.
using Time = std::uint32_t;
inline constexpr Time never = ~Time{0};

/// What a launch's workgroups have published: accesses that are over for whoever learns of them
/// later. It does not matter to whom they were published, so it may take two accesses to be in
/// order that are not, never the other way round.
struct Launch {
  Time now = 0;
  /// Of each wave of a workgroup: up to which of its times, and when that was published; both grow.
  using Wave = std::vector<std::pair<Time, Time>>;
  std::unordered_map<std::uint32_t, std::vector<Wave>> published;

  Time tick() { return now == never - 1 ? now : ++now; }
  bool over() const { return now == never - 1; }
  /// When it was published that a wave's accesses up to `time` are over, or `never`.
  Time when_published(std::uint32_t workgroup, unsigned wave, Time time) const;
};

/// One workgroup's part. A wave's accesses have a time, which is the same until its next event.
class Order {
 public:
  Order(Launch& launch, std::uint32_t workgroup) : launch_(launch), workgroup_(workgroup) {}

  Time time(unsigned wave) { return self(wave).known.waves[wave]; }
  /// What the wave does from now on has another time.
  void advances(unsigned wave) { self(wave).known.waves[wave] = launch_.tick(); }
  /// Whether an access of this or another workgroup is over for the wave.
  bool is_over(unsigned wave, std::uint32_t workgroup, unsigned other, Time time) {
    const Known& own = self(wave).known;
    if (workgroup != workgroup_) return was_published(own, workgroup, other, time);
    return other == wave || (other < own.waves.size() && own.waves[other] >= time);
  }

  void signals(unsigned wave, unsigned barrier);
  void completes(unsigned barrier);
  void passes(unsigned wave, unsigned barrier);
  /// Atomics of one address come one after the other: what was before one is before what comes
  /// after the next one of the workgroup.
  void meets(unsigned wave, bool lds, std::uint64_t address);

  /// The wave accesses memory that other workgroups see.
  void accesses(unsigned wave) { self(wave).drained = false; }
  /// It waits until its accesses are done.
  void drains(unsigned wave);
  /// It is about to store where others may ask for it: what it knows to be done is published.
  void publishes(unsigned wave);
  /// It has loaded what another workgroup stored at that time; counts once it `acquires`.
  void sees(unsigned wave, Time time);
  void acquires(unsigned wave);
  /// All waves have ended.
  void ends();

 private:
  struct Known {
    std::vector<Time> waves;  ///< accesses of wave w of this workgroup up to then
    std::vector<Time> done;   ///< and those that wave w has waited for, or learned of before
    Time seen = 0;            ///< when what it has loaded was stored by other workgroups
    Time others = 0;          ///< of those, what was published up to then is over
    void learn(const Known& from);
  };
  struct Self {
    Known known;
    bool drained = true;
  };
  Self& self(unsigned wave) {
    if (wave < waves_.size()) {
      Self& own = waves_[wave];
      if (wave < own.known.waves.size() && own.known.waves[wave]) [[likely]]
        return own;
    }
    return begin(wave);
  }
  Self& begin(unsigned wave);
  bool was_published(const Known& known, std::uint32_t workgroup, unsigned other, Time time) const;

  Launch& launch_;
  const std::uint32_t workgroup_;
  std::vector<Self> waves_;
  std::map<unsigned, Known> gathered_, completed_;  ///< by barrier
  std::map<std::pair<bool, std::uint64_t>, Known> met_;
};

}  // namespace hipsight::check
