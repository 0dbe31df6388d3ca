#include "engine/translate/analysis/liveness.h"

#include <algorithm>
#include <array>
#include <optional>

#include "isa/entry.h"
#include "isa/instruction.h"

namespace hipsight::engine {
namespace {

/// Where control goes from the end of a region: to other regions, or away for good.
struct Ways {
  std::vector<std::size_t> to;
  bool unknown = false;  ///< also to where nothing is known
};

/// What is known of a mask of lanes, beside the lanes that were on when the function was entered.
struct Mask {
  bool all = false;     ///< has all of them
  bool within = false;  ///< has no others
  bool operator==(const Mask&) const = default;
  Mask meet(const Mask& o) const { return {all && o.all, within && o.within}; }
};

/// EXEC, and the masks in scalar registers, each under its first register.
struct Lanes {
  std::array<Mask, reg::scalar_count> mask{};
  Mask& exec() { return mask[reg::exec]; }
  const Mask& exec() const { return mask[reg::exec]; }

  bool operator==(const Lanes&) const = default;
  Lanes meet(const Lanes& other) const {
    Lanes met;
    for (unsigned s = 0; s < reg::scalar_count; ++s) met.mask[s] = mask[s].meet(other.mask[s]);
    return met;
  }
  /// A scalar register is written: the mask, of so many registers, that it was part of is gone.
  void forget(unsigned index, unsigned registers) {
    mask[index] = {};
    if (registers == 2 && index > 0) mask[index - 1] = {};
  }
  void set(unsigned index, Mask value, unsigned registers) {
    for (unsigned i = 0; i < registers; ++i) forget(index + i, registers);
    mask[index] = value;
  }
};

/// The result of a logical operation on masks.
Mask combine(isa::Logic logic, const Mask& a, const Mask& b) {
  switch (logic) {
    case isa::Logic::Move:
      return a;
    case isa::Logic::And:
      return {a.all && b.all, a.within || b.within};
    case isa::Logic::Or:
      return {a.all || b.all, a.within && b.within};
    case isa::Logic::Xor:
      return {false, a.within && b.within};
    case isa::Logic::AndNot2:
      return {false, a.within};
    case isa::Logic::AndNot1:
      return {false, b.within};
    case isa::Logic::Select:
      return a.meet(b);
    default:
      return {};
  }
}

class Flow {
 public:
  explicit Flow(std::span<const Region> regions) : regions_(regions) {
    for (std::size_t r = 0; r < regions.size(); ++r) ways_.push_back(ways_from(r));
    // Where all ways are known, what none leads to never runs: padding in front of loops.
    if (std::ranges::any_of(ways_, &Ways::unknown)) return;
    std::vector<bool> reached(regions.size());
    std::vector<std::size_t> todo{0};
    reached[0] = true;
    while (!todo.empty()) {
      const std::size_t r = todo.back();
      todo.pop_back();
      for (const std::size_t to : ways_[r].to)
        if (!reached[to]) reached[to] = true, todo.push_back(to);
    }
    for (std::size_t r = 0; r < regions.size(); ++r)
      if (!reached[r]) ways_[r].to.clear();
  }

  std::vector<Lanes> lanes() const {
    std::vector<std::optional<Lanes>> at(regions_.size());
    std::vector<std::size_t> todo;
    const auto enter = [&](std::size_t r, const Lanes& lanes) {
      at[r] = lanes;
      todo.push_back(r);
    };
    Lanes first;
    first.exec() = {.all = true, .within = true};
    enter(0, first);
    // Of what is entered from elsewhere, after a call for one, nothing is known.
    std::vector<bool> seen(regions_.size());
    for (const Ways& ways : ways_)
      for (const std::size_t to : ways.to) seen[to] = true;
    for (std::size_t r = 1; r < regions_.size(); ++r)
      if (!seen[r]) enter(r, {});
    while (!todo.empty()) {
      const std::size_t r = todo.back();
      todo.pop_back();
      const Lanes out = run(r, *at[r]);
      for (const std::size_t next : ways_[r].to) {
        const Lanes met = at[next] ? at[next]->meet(out) : out;
        if (at[next] == met) continue;
        enter(next, met);
      }
    }
    std::vector<Lanes> result;
    for (const auto& lanes : at) result.push_back(lanes.value_or(Lanes{}));
    return result;
  }

  const Ways& ways(std::size_t r) const { return ways_[r]; }

 private:
  Ways ways_from(std::size_t r) const {
    Ways ways;
    const Region& region = regions_[r];
    const Op* last = region.end - 1;
    const isa::Row& row = *last->instruction->row;
    const bool falls = !row.ends_path();
    const bool leaves = row.control == isa::Control::Jump || row.control == isa::Control::Call ||
                        row.control == isa::Control::Trap;
    ways.unknown = leaves;
    if (last->target && last != region.begin) {
      const auto to = std::ranges::find(regions_, last->target, &Region::begin);
      if (to == regions_.end())
        ways.unknown = true;
      else
        ways.to.push_back(static_cast<std::size_t>(to - regions_.begin()));
    }
    if (falls && !leaves) {
      if (r + 1 < regions_.size())
        ways.to.push_back(r + 1);
      else
        ways.unknown = true;
    }
    return ways;
  }

  Lanes run(std::size_t r, Lanes lanes) const {
    const unsigned registers = regions_[r].file.lanes / 32;
    for (const Op* op = regions_[r].begin + 1; op != regions_[r].end; ++op) {
      const isa::Instruction& in = *op->instruction;
      const auto of = [&](const isa::Operand& o) -> Mask {
        if (o.where == isa::Where::Sgpr) return lanes.mask[o.index];
        return {false, o.where == isa::Where::Constant && o.value == 0 && !o.inline_float};
      };
      const Mask before = lanes.exec();
      const isa::Row& row = *in.row;
      if (row.kind == isa::Kind::ExecMask) {
        const Mask after = combine(row.logic, of(in.src[0]), before);
        lanes.set(in.dst.index, row.saves_exec ? before : after, registers);
        lanes.set(reg::exec, after, registers);
        continue;
      }
      const Effects effects = effects_of(*op, regions_[r].file);
      const bool logical = in.format == isa::Format::Sop1 || in.format == isa::Format::Sop2;
      const bool whole = row.width == regions_[r].file.lanes;
      const Mask result =
          logical && whole ? combine(row.logic, of(in.src[0]), of(in.src[1])) : Mask{};
      for (unsigned s = 0; s < reg::scalar_count; ++s)
        if (effects.writes.test(s)) lanes.forget(s, registers);
      if (!effects.movable && !is_branch_or_wait(in)) {
        const Mask exec = before;
        lanes = {};
        lanes.exec() =
            in.dst.where == isa::Where::Sgpr && in.dst.index >= reg::exec ? Mask{} : exec;
      } else if (logical && in.dst.where == isa::Where::Sgpr &&
                 in.dst.index < reg::scalar_count - 1) {
        lanes.set(in.dst.index, result, whole ? registers : 1);
      }
      // Comparisons give bits for lanes that are on only.
      const Mask some{false, before.within};
      const bool compares = op->shape && op->shape->form == isa::Form::Vector;
      if (compares && op->flags & flag::write_bits)
        lanes.set(place::at(op->bit_dst, regions_[r].file.lanes * 4), some, registers);
      if (op->flags & flag::write_exec) lanes.set(reg::exec, some, registers);
    }
    return lanes;
  }
  static bool is_branch_or_wait(const isa::Instruction& in) {
    return in.format == isa::Format::Sopp || in.row->is_barrier();
  }

  std::span<const Region> regions_;
  std::vector<Ways> ways_;
};

/// Places that have no lanes which keep their values.
const Places& scalars() {
  static const Places places = [] {
    Places made;
    for (unsigned s = 0; s <= place::scc; ++s) made.set(s);
    return made;
  }();
  return places;
}

/// Ops that read no vector register, whatever else they do.
bool is_scalar(const isa::Instruction& in) {
  return in.format <= isa::Format::Smem;
}

}  // namespace

void Live::step_back(std::span<const Op* const> ops, const RegisterFile& file, bool all_lanes) {
  for (std::size_t i = ops.size(); i-- > 0;) {
    const Effects effects = effects_of(*ops[i], file);
    if (!effects.movable && !is_scalar(*ops[i]->instruction)) here.set();
    after &= ~(all_lanes ? effects.writes : effects.writes & scalars());
    here &= ~effects.writes;
    here |= effects.reads;
    if (!effects.complete) here |= scalars();
  }
}

Liveness::Liveness(std::span<const Region> regions) : after_(regions.size()) {
  const Flow flow(regions);
  const auto lanes = flow.lanes();
  for (const Lanes& at : lanes) all_lanes_.push_back(at.exec().all);
  elsewhere_.assign(regions.size(), true);
  for (std::size_t r = 0; r < regions.size(); ++r) {
    next_.push_back(flow.ways(r).to);
    for (const std::size_t to : next_[r]) elsewhere_[to] = false;
  }

  // Each region as one step: what it reads, and what it lets through.
  std::vector<Live> steps(regions.size());
  for (std::size_t r = 0; r < regions.size(); ++r) {
    steps[r].after.set();
    for (const Op* op = regions[r].end - 1; op != regions[r].begin; --op)
      steps[r].step_back({&op, 1}, regions[r].file, all_lanes_[r]);
  }
  before_.resize(regions.size());
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t r = regions.size(); r-- > 0;) {
      Places after;
      if (flow.ways(r).unknown) after.set();
      if (!lanes[r].exec().within) after |= ~scalars();
      for (const std::size_t next : flow.ways(r).to) after |= before_[next];
      const Places before = steps[r].here | (after & steps[r].after);
      if (after == after_[r] && before == before_[r]) continue;
      after_[r] = after;
      before_[r] = before;
      changed = true;
    }
  }
}

}  // namespace hipsight::engine
