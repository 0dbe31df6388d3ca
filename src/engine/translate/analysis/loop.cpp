#include "engine/translate/analysis/loop.h"

#include <algorithm>

#include "isa/instruction.h"

namespace hipsight::engine {
namespace {

using On = Branch::On;

/// Parts beyond this many are not worth what compiling them costs.
constexpr std::size_t most_parts = 32, most_ops = 512;

std::optional<On> condition_of(const Region& region) {
  const Op* last = region.end - 1;
  if (last == region.begin || !last->target) return On::Nothing;
  const isa::Row& row = *last->instruction->row;
  if (row.control != isa::Control::Branch) return std::nullopt;
  switch (row.condition) {
    case isa::Condition::Always:
      return On::Always;
    case isa::Condition::Scc0:
      return On::SccZero;
    case isa::Condition::Scc1:
      return On::SccOne;
    case isa::Condition::ExecZero:
      return On::ExecZero;
    case isa::Condition::ExecNotZero:
      return On::ExecNotZero;
    default:
      return std::nullopt;
  }
}

/// The regions of the natural loop, so that control goes forward; none if there is no such loop.
class Finder {
 public:
  Finder(const Liveness& liveness, std::size_t regions, std::size_t header)
      : liveness_(liveness), header_(header), inside_(regions), met_(regions), before_(regions) {
    for (std::size_t r = 0; r < regions; ++r)
      for (const std::size_t to : liveness.next(r)) before_[to].push_back(r);
  }
  std::vector<std::size_t> find() {
    std::vector<bool> reached(inside_.size());
    std::vector<std::size_t> todo{header_};
    while (!todo.empty()) {
      const std::size_t r = todo.back();
      todo.pop_back();
      for (const std::size_t to : liveness_.next(r))
        if (!reached[to]) reached[to] = true, todo.push_back(to);
    }
    inside_[header_] = true;
    for (const std::size_t r : before_[header_])
      if (reached[r] && !inside_[r]) inside_[r] = true, todo.push_back(r);
    if (!reached[header_]) return {};
    while (!todo.empty()) {
      const std::size_t r = todo.back();
      todo.pop_back();
      if (r == 0 || liveness_.is_entered_from_elsewhere(r)) return {};
      for (const std::size_t from : before_[r])
        if (!inside_[from]) inside_[from] = true, todo.push_back(from);
    }
    visit(header_);
    if (has_cycle_) return {};
    std::ranges::reverse(order_);
    return order_;
  }

 private:
  enum class Met : std::uint8_t { No, Open, Done };
  void visit(std::size_t r) {
    met_[r] = Met::Open;
    for (const std::size_t to : liveness_.next(r)) {
      if (to == header_ || !inside_[to]) continue;
      if (met_[to] == Met::Open) has_cycle_ = true;
      if (met_[to] == Met::No) visit(to);
    }
    met_[r] = Met::Done;
    order_.push_back(r);
  }

  const Liveness& liveness_;
  std::size_t header_;
  std::vector<bool> inside_;
  std::vector<Met> met_;
  std::vector<std::vector<std::size_t>> before_;
  std::vector<std::size_t> order_;
  bool has_cycle_ = false;
};

}  // namespace

std::vector<int> Branch::ways() const {
  switch (on) {
    case On::Nothing:
      return {next};
    case On::Always:
      return {taken};
    default:
      return {taken, next};
  }
}

std::span<const Op> LoopPart::ops() const {
  return {region.begin + 1, region.end - (branch.on != On::Nothing)};
}

std::optional<std::size_t> Loop::follows(std::size_t part) const {
  std::optional<std::size_t> before;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const auto to = parts[p].branch.ways();
    if (std::ranges::find(to, static_cast<int>(part)) == to.end()) continue;
    if (before || to.size() > 1) return std::nullopt;
    before = p;
  }
  return part == 0 ? std::nullopt : before;
}

std::optional<Loop> find_loop(std::span<const Region> regions, const Liveness& liveness,
                              std::size_t header) {
  const auto order = Finder(liveness, regions.size(), header).find();
  if (order.empty() || order.size() > most_parts) return std::nullopt;
  Loop loop;
  loop.live_at_header = liveness.before(header);
  const auto part_of = [&](std::size_t r) {
    const auto at = std::ranges::find(order, r);
    if (at != order.end()) return static_cast<int>(at - order.begin());
    ++loop.exits;
    const Op* to = regions[r].begin;
    if (loop.exit && loop.exit != to) loop.exits = 0;  // two places: no such loop
    loop.exit = to;
    loop.live_at_exit = liveness.before(r);
    return Branch::out;
  };
  std::size_t ops = 0;
  for (const std::size_t r : order) {
    const Region& region = regions[r];
    const auto on = condition_of(region);
    if (!on) return std::nullopt;
    LoopPart& part = loop.parts.emplace_back();
    part.region = region;
    part.live_before = liveness.before(r);
    part.live_after = liveness.after(r);
    part.branch.on = *on;
    // The branch's target comes first (Liveness::next).
    const auto& next = liveness.next(r);
    if (next.size() != part.branch.ways().size()) return std::nullopt;
    const Op* const before = loop.exit;
    if (*on != On::Nothing) part.branch.taken = part_of(next.front());
    if (*on != On::Always) part.branch.next = part_of(next.back());
    if (before && loop.exit != before) return std::nullopt;
    ops += part.ops().size();
  }
  if (!loop.exits || ops > most_ops) return std::nullopt;
  return loop;
}

}  // namespace hipsight::engine
