#include "analysis/under_way.h"

#include <fmt/format.h>

#include <algorithm>

#include "isa/operand_use.h"

namespace hipsight::analysis {
namespace {

using isa::Counter;
using isa::Gfx;
using Access = isa::MemoryAccess;

constexpr std::size_t most = 64;  // a counter holds no more: the wave waits before it asks

std::size_t index(Counter counter) {
  return static_cast<std::size_t>(counter);
}

/// Whether it brings something to registers later on.
bool brings(const isa::Instruction& in) {
  const Access& access = in.row->memory;
  if (in.row->kind == isa::Kind::Memory)
    return !access.with_lds() && (access.does == Access::Does::Load ||
                                  (access.atomic() && (access.returns || in.returns)));
  if (in.format == isa::Format::Ds) return in.row->kind == isa::Kind::Permute;
  return in.row->pipe == isa::Pipe::ScalarMemory || in.is(isa::Opcode::S_SENDMSG_RTN_B32) ||
         in.is(isa::Opcode::S_SENDMSG_RTN_B64);
}

bool is_scalar(const isa::Instruction& in) {
  return in.format == isa::Format::Smem || in.is(isa::Opcode::S_SENDMSG) ||
         in.is(isa::Opcode::S_SENDMSG_RTN_B32) || in.is(isa::Opcode::S_SENDMSG_RTN_B64);
}

/// Whether what it brings may come before what was asked for earlier.
bool comes_any_time(const isa::Instruction& in) {
  return is_scalar(in) || (in.format == isa::Format::Flat && !isa::is_rdna(in.gfx));
}

/// The counters that it raises.
std::array<bool, isa::kCounters> counters_of(const isa::Instruction& in) {
  std::array<bool, isa::kCounters> counted{};
  const auto add = [&](Counter kind) { counted[index(isa::counter_of(in.gfx, kind))] = true; };
  switch (in.format) {
    case isa::Format::Ds:
      add(Counter::Lds);
      break;
    case isa::Format::Flat:
      add(Counter::Lds);
      [[fallthrough]];
    case isa::Format::Global:
    case isa::Format::Scratch:
    case isa::Format::Mubuf:
    case isa::Format::Mtbuf:
      // Work of caches counts, too, on most GPUs; where it does not, this misses something.
      add(brings(in) || in.row->kind == isa::Kind::Cache || !in.row->memory.stores()
              ? Counter::Load
              : Counter::Store);
      break;
    default:
      if (is_scalar(in)) add(Counter::Scalar);
  }
  return counted;
}

}  // namespace

bool UnderWay::One::is_there() const {
  return std::ranges::find(counted, true) == counted.end();
}

/// Whether a wait for more than none says which are there.
bool UnderWay::comes_in_order(Counter counter) const {
  return std::ranges::none_of(
      all_, [&](const One& one) { return one.counted[index(counter)] && comes_any_time(*one.by); });
}

void UnderWay::wait(Gfx gfx, const isa::Wait& wait) {
  for (std::size_t i = 0; i < isa::kCounters; ++i) {
    const auto counter = static_cast<Counter>(i);
    if (!wait[i] || isa::counter_of(gfx, counter) != counter) continue;
    if (*wait[i] && !comes_in_order(counter)) continue;
    auto under_way = std::ranges::count_if(all_, [&](const One& one) { return one.counted[i]; });
    for (One& one : all_) {
      if (under_way <= *wait[i]) break;
      if (one.counted[i]) one.counted[i] = false, --under_way;
    }
  }
  std::erase_if(all_, [](const One& one) { return one.is_there(); });
}

void UnderWay::ask(const isa::Instruction& in) {
  One one{.by = &in, .counted = counters_of(in)};
  if (one.is_there()) return;
  if (all_.size() == most) all_.erase(all_.begin());
  all_.push_back(one);
}

std::optional<EarlyUse> UnderWay::early(const One& one, const isa::Instruction& by,
                                        bool writes) const {
  EarlyUse early{.of = one.by, .by = &by, .overwrites = writes, .counter = {}, .at_most = 0};
  // Those that come in order may write the same register one after the other.
  if (writes && brings(by) && counters_of(by) == one.counted &&
      std::ranges::count(one.counted, true) == 1 && !is_scalar(*one.by))
    return std::nullopt;
  for (std::size_t i = 0; i < isa::kCounters; ++i) {
    if (!one.counted[i]) continue;
    early.counter = static_cast<Counter>(i);
    early.at_most = 0;
    if (comes_in_order(early.counter))
      for (const One* later = &one + 1; later < all_.data() + all_.size(); ++later)
        early.at_most += later->counted[i];
  }
  return early;
}

void UnderWay::run(const isa::Instruction& in, unsigned lanes, std::vector<EarlyUse>& found) {
  if (in.is(isa::Opcode::S_WAIT_IDLE)) all_.clear();
  if (!all_.empty())
    for (const isa::OperandUse& use : isa::operand_uses(in, lanes))
      for (One& one : all_) {
        if (one.told || !brings(*one.by)) continue;
        for (const isa::OperandUse& brought : isa::operand_uses(*one.by, lanes))
          if (brought.writes && brought.overlaps(use))
            if (const auto early = this->early(one, in, !use.reads)) {
              found.push_back(*early);
              one.told = true;
              break;
            }
      }
  if (in.row->field == isa::Field::Counters) wait(in.gfx, isa::wait_of(in));
  ask(in);
}

std::string UnderWay::key() const {
  std::string key;
  for (const One& one : all_) {
    unsigned counted = 0;
    for (std::size_t i = 0; i < isa::kCounters; ++i) counted |= unsigned{one.counted[i]} << i;
    // What brings nothing counts alone.
    key += fmt::format("{}{}{:x} ", counted, comes_any_time(*one.by) ? '?' : ':',
                       brings(*one.by) && !one.told ? one.by->address : 0);
  }
  return key;
}

std::string wait_text(Gfx gfx, Counter counter, unsigned at_most) {
  if (gfx == Gfx::Gfx12) {
    constexpr std::array names{"loadcnt", "storecnt", "dscnt", "kmcnt"};
    return fmt::format("s_wait_{} {:#x}", names[index(counter)], at_most);
  }
  if (counter == Counter::Store) return fmt::format("s_waitcnt_vscnt null, {:#x}", at_most);
  return fmt::format("s_waitcnt {}({})", counter == Counter::Load ? "vmcnt" : "lgkmcnt", at_most);
}

}  // namespace hipsight::analysis
