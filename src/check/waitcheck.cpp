#include "check/waitcheck.h"

#include <fmt/format.h>

namespace hipsight::check {

class Waitcheck::Group final : public engine::GroupObserver {
 public:
  explicit Group(Waitcheck& all) : all_(all) {}
  engine::Wants wants() const override { return {.accesses = false}; }

  void wave_begins(unsigned wave, std::uint64_t) override {
    if (states_.size() <= wave) states_.resize(wave + 1);
    states_[wave] = 0;
  }
  void enters(unsigned wave, std::uint32_t region, std::uint64_t) override {
    states_[wave] = all_.through(states_[wave], region);
  }

 private:
  Waitcheck& all_;
  std::vector<std::uint32_t> states_;  ///< of waves
};

std::unique_ptr<engine::GroupObserver> Waitcheck::watcher_of(std::uint64_t) {
  return std::make_unique<Group>(*this);
}

std::uint32_t Waitcheck::through(std::uint32_t state, std::uint32_t number) {
  const std::lock_guard lock(mutex_);
  const auto [way, is_new] = ways_.try_emplace(std::uint64_t{state} << 32 | number);
  if (!is_new) return way->second;
  if (number >= regions_.size()) regions_ = listing_->regions();
  const engine::RegionOfCode& region = regions_[number];
  analysis::UnderWay under_way = states_[state];
  std::vector<analysis::EarlyUse> found;
  for (std::uint32_t i = 0; i < region.count; ++i) under_way.run(region.first[i], lanes_, found);
  for (const analysis::EarlyUse& use : found) add(use);
  const auto [known, first] =
      numbers_.try_emplace(under_way.key(), static_cast<std::uint32_t>(states_.size()));
  if (first) states_.push_back(std::move(under_way));
  return way->second = known->second;
}

void Waitcheck::add(const analysis::EarlyUse& use) {
  const auto [known, is_new] = found_.try_emplace({use.by->address, use.of->address});
  if (!is_new) return;
  known->second = {
      .tool = "waitcheck",
      .text = fmt::format(
          "a register is {} before what comes into it is sure to be there\n"
          "  kernel      {}\n  comes by    {}\n  {}     {}\n  missing     {}, or less, before that",
          use.overwrites ? "overwritten" : "read", kernel_, place_text(*listing_, *use.of),
          use.overwrites ? "written" : "read   ", place_text(*listing_, *use.by),
          analysis::wait_text(use.by->gfx, use.counter, use.at_most)),
      .count = 1,
      .address = use.by->address,
      .other = use.of->address,
      .kernel = kernel_,
      .at = location_of(*listing_, *use.by),
      .second = location_of(*listing_, *use.of)};
}

std::vector<Finding> Waitcheck::findings() const {
  std::vector<Finding> all;
  for (const auto& [cause, finding] : found_) all.push_back(finding);
  return all;
}

}  // namespace hipsight::check
