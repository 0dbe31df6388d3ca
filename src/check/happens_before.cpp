#include "check/happens_before.h"

#include <algorithm>

namespace hipsight::check {

Time Launch::when_published(std::uint32_t workgroup, unsigned wave, Time time) const {
  const auto known = published.find(workgroup);
  if (known == published.end() || wave >= known->second.size()) return never;
  const Wave& entries = known->second[wave];
  const auto entry = std::ranges::lower_bound(entries, time, {}, &Wave::value_type::first);
  return entry == entries.end() ? never : entry->second;
}

static void join(std::vector<Time>& to, const std::vector<Time>& from) {
  if (to.size() < from.size()) to.resize(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) to[i] = std::max(to[i], from[i]);
}

void Order::Known::learn(const Known& from) {
  join(waves, from.waves);
  join(done, from.done);
  seen = std::max(seen, from.seen);
  others = std::max(others, from.others);
}

Order::Self& Order::begin(unsigned wave) {
  if (waves_.size() <= wave) waves_.resize(wave + 1);
  Self& own = waves_[wave];
  if (own.known.waves.size() <= wave) own.known.waves.resize(wave + 1);
  if (own.known.waves[wave] == 0) own.known.waves[wave] = launch_.tick();
  return own;
}

bool Order::was_published(const Known& known, std::uint32_t workgroup, unsigned other,
                          Time time) const {
  return known.others >= time && launch_.when_published(workgroup, other, time) <= known.others;
}

void Order::signals(unsigned wave, unsigned barrier) {
  gathered_[barrier].learn(self(wave).known);
  advances(wave);
}
void Order::completes(unsigned barrier) {
  completed_[barrier] = std::exchange(gathered_[barrier], {});
}
void Order::passes(unsigned wave, unsigned barrier) {
  Self& own = self(wave);
  own.known.learn(completed_[barrier]);
  own.drained = false;
}

void Order::meets(unsigned wave, bool lds, std::uint64_t address) {
  Known& own = self(wave).known;
  Known& met = met_[{lds, address}];
  own.learn(met);
  met.learn(own);
  advances(wave);
}

void Order::drains(unsigned wave) {
  Self& own = self(wave);
  if (own.drained) return;
  own.drained = true;
  own.known.done = own.known.waves;
  advances(wave);
}

void Order::publishes(unsigned wave) {
  Self& own = self(wave);
  const std::vector<Time>& done = own.known.done;
  if (done.empty()) return;
  auto& published = launch_.published[workgroup_];
  if (published.size() < done.size()) published.resize(done.size());
  for (std::size_t i = 0; i < done.size(); ++i)
    if (done[i] && (published[i].empty() || published[i].back().first < done[i]))
      published[i].emplace_back(done[i], own.known.waves[wave]);
}

void Order::sees(unsigned wave, Time time) {
  Known& own = self(wave).known;
  own.seen = std::max(own.seen, time);
}
void Order::acquires(unsigned wave) {
  Known& own = self(wave).known;
  own.others = std::max(own.others, own.seen);
}

void Order::ends() {
  waves_ = {};
  gathered_.clear();
  completed_.clear();
  met_.clear();
}

}  // namespace hipsight::check
