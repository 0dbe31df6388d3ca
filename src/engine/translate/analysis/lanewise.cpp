#include "engine/translate/analysis/lanewise.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "engine/program/dpp.h"
#include "isa/entry.h"
#include "isa/instruction.h"

namespace hipsight::engine {
namespace {

using On = Branch::On;

/// What is being found out of a loop.
class Analysis {
 public:
  Analysis(const Loop& loop, const RegisterFile& file,
           const std::function<bool(const Op&)>& translatable,
           const std::function<bool(const Op&)>& translatable_scalar)
      : loop_(loop),
        file_(file),
        translatable_(translatable),
        translatable_scalar_(translatable_scalar),
        width_(file.lanes / 32) {}

  std::optional<LanewiseLoop> run() {
    result_.masks.insert(reg::exec);
    for (std::size_t known = 0; known != result_.masks.size();) {
      known = result_.masks.size();
      for (const LoopPart& part : loop_.parts)
        if (!classify(part)) return std::nullopt;
    }
    std::erase_if(result_.scalars, [&](unsigned word) { return covered(result_.masks, word); });
    if (!branches_fit() || !scalars_fit()) return std::nullopt;
    return result_;
  }

 private:
  // --- which scalar registers are masks, where

  struct Words {
    std::set<unsigned> masks;   ///< places of those that are masks now
    std::set<unsigned> broken;  ///< words of a mask of which the other one was written
    bool scc = true;            ///< whether SCC does not depend on lanes
  };

  bool covered(const std::set<unsigned>& masks, unsigned word) const {
    return masks.contains(word) || (width_ == 2 && word > 0 && masks.contains(word - 1));
  }
  unsigned place_of(std::uint64_t offset) const {
    return place::at(static_cast<std::uint32_t>(offset), file_.lanes * 4);
  }
  /// Whether a mask is either one as a whole, or not at all.
  bool whole(const Words& now, unsigned first) const {
    if (now.masks.contains(first)) return true;
    for (unsigned w = 0; w < width_; ++w)
      if (covered(now.masks, first + w) || now.broken.contains(first + w)) return false;
    return true;
  }
  bool is_scalar_word(const Words& now, unsigned word) const {
    return !covered(now.masks, word) && !now.broken.contains(word);
  }
  bool write_mask(Words& now, unsigned first) const {
    if (width_ == 2 && (now.masks.contains(first + 1) || (first && now.masks.contains(first - 1))))
      return false;
    now.masks.insert(first);
    for (unsigned w = 0; w < width_; ++w) now.broken.erase(first + w);
    return true;
  }
  void write_word(Words& now, unsigned word) {
    for (unsigned first = word + 1 - std::min(width_, word + 1); first <= word; ++first)
      if (now.masks.erase(first))
        for (unsigned w = 0; w < width_; ++w) now.broken.insert(first + w);
    now.broken.erase(word);
    result_.scalars.insert(word);
  }

  static bool is_scalar_op(const Op& op) { return op.instruction->format < isa::Format::Smem; }

  bool classify(const LoopPart& part) {
    Words now;
    now.masks = result_.masks;
    for (const Op& op : part.ops())
      if (!(is_scalar_op(op) ? scalar(now, op) : vector(now, op))) return false;
    const On on = part.branch.on;
    const bool reads_scc = on == On::SccZero || on == On::SccOne;
    if (!now.scc && (reads_scc || part.live_after.test(place::scc))) return false;
    for (const unsigned first : result_.masks)
      if (!whole(now, first)) return false;
    result_.masks.merge(now.masks);
    return true;
  }

  bool vector(Words& now, const Op& op) {
    Op plain = op;
    plain.flags &= static_cast<std::uint8_t>(~flag::write_exec);
    if (!translatable_(plain) || is_dpp(*op.instruction)) return false;
    if (!op.shape) {
      const isa::Operand& base = op.instruction->base;
      return base.where != isa::Where::Sgpr ||
             (is_scalar_word(now, base.index) && is_scalar_word(now, base.index + 1u));
    }
    for (unsigned i = 0; i < op.shape->operands; ++i) {
      const isa::Type type = op.shape->operand[i];
      if (is_constant(op, i)) continue;
      if (type == isa::Type::B1) {
        if (!whole(now, place_of(op.src[i]))) return false;
      } else if (!is_vector(op, i)) {
        for (unsigned r = 0; r < op.shape->registers(type); ++r)
          if (!is_scalar_word(now, place_of(op.origin[i]) + r)) return false;
      }
    }
    if (op.flags & flag::write_bits && !write_mask(now, place_of(op.bit_dst))) return false;
    return true;
  }

  bool scalar(Words& now, const Op& op) {
    const unsigned sources = op.shape ? op.shape->operands : 1;
    bool masks = !op.shape || place_of(op.dst) == reg::exec;
    for (unsigned i = 0; i < sources; ++i)
      masks |= !is_constant(op, i) && now.masks.contains(place_of(op.src[i])) &&
               !(op.shape && op.shape->operand[i] == isa::Type::B1);
    if (masks) {
      auto& found = result_.mask_ops;
      if (!found.contains(&op)) {
        const auto mask_op = mask_op_of(op, file_);
        if (!mask_op) return false;
        found.emplace(&op, *mask_op);
      }
      for (unsigned i = 0; i < sources; ++i)
        if (!is_constant(op, i) && !whole(now, place_of(op.src[i]))) return false;
      if (found.at(&op).writes_scc) now.scc = false;
      return write_mask(now, place_of(op.dst));
    }
    if (!translatable_scalar_(op) || result_.mask_ops.contains(&op)) return false;
    for (unsigned i = 0; i < sources; ++i) {
      const isa::Type type = op.shape->operand[i];
      if (type == isa::Type::B1) {
        if (!now.scc) return false;
        continue;
      }
      if (is_constant(op, i)) continue;
      for (unsigned r = 0; r < op.shape->registers(type); ++r)
        if (!is_scalar_word(now, place_of(op.src[i]) + r)) return false;
    }
    if (op.shape->result == isa::Type::B1 || op.shape->bit_result) {
      now.scc = true;
      result_.scalars.insert(place::scc);
    }
    if (op.shape->result != isa::Type::B1)
      for (unsigned r = 0; r < op.shape->registers(op.shape->result); ++r)
        write_word(now, place_of(op.dst) + r);
    return true;
  }

  // --- what becomes of a lane that is off

  using Bits = std::map<unsigned, LaneBit>;

  /// A lane that is off, where masks are not known to be all ones or none.
  static Bits off(Bits bits) {
    for (auto& [mask, bit] : bits)
      if (bit == LaneBit{}) bit = LaneBit::initial(mask);
    bits[reg::exec] = LaneBit::zero();
    return bits;
  }
  Bits unknown() const {
    Bits bits;
    for (const unsigned mask : result_.masks) bits[mask] = {};
    return bits;
  }
  static void meet(std::optional<Bits>& at, const Bits& bits) {
    if (!at) {
      at = bits;
      return;
    }
    for (auto& [mask, bit] : *at)
      if (bit != bits.at(mask)) bit = {};
  }
  /// What is known of any lane at the end of each part.
  void find_constants() {
    std::vector<std::optional<Bits>> at(loop_.parts.size());
    at[0] = unknown();
    for (std::size_t p = 0; p < at.size(); ++p) {
      Bits bits = at[p].value_or(unknown());
      pass(bits, loop_.parts[p]);
      for (const int to : loop_.parts[p].branch.ways())
        if (to > 0) meet(at[static_cast<std::size_t>(to)], bits);
      ends_.push_back(std::move(bits));
    }
  }
  LaneBit source(const Bits& bits, const Op& op, unsigned i) const {
    if (is_constant(op, i)) {
      std::uint64_t value;
      std::memcpy(&value, reinterpret_cast<const void*>(op.src[i]), sizeof value);
      const std::uint64_t full = width_ == 2 ? ~0ull : 0xffff'ffffull;
      if ((value & full) == 0) return LaneBit::zero();
      return (value & full) == full ? LaneBit{LaneBit::Kind::One, 0} : LaneBit{};
    }
    const auto at = bits.find(place_of(op.src[i]));
    return at == bits.end() ? LaneBit{} : at->second;
  }
  void pass(Bits& bits, const LoopPart& part) const {
    for (const Op& op : part.ops()) {
      const LaneBit exec = bits.at(reg::exec);
      if (const auto at = result_.mask_ops.find(&op); at != result_.mask_ops.end()) {
        const bool two = op.shape && op.shape->operands > 1;
        const std::array<LaneBit, 3> from{source(bits, op, 0),
                                          two ? source(bits, op, 1) : LaneBit::zero(), exec};
        bits[reg::exec] = apply(at->second.exec, from);
        bits[place_of(op.dst)] = apply(at->second.result, from);
      } else if (is_scalar_op(op)) {
        if (op.shape->result == isa::Type::B1) continue;
        for (auto& [mask, bit] : bits)
          for (unsigned r = 0; r < op.shape->registers(op.shape->result); ++r)
            if (place_of(op.dst) + r - mask < width_) bit = {};
        const auto written = bits.find(place_of(op.dst));
        if (written == bits.end() || !is_constant(op, 0) || op.shape->operands != 1) continue;
        if (const auto moves = mask_op_of(op, file_))
          written->second =
              apply(moves->result, {source(bits, op, 0), LaneBit::zero(), LaneBit::zero()});
      } else {
        // Comparisons give nothing for lanes that are off.
        const LaneBit result = exec == LaneBit::zero() ? exec : LaneBit{};
        if (op.flags & flag::write_bits) bits[place_of(op.bit_dst)] = result;
        if (op.flags & flag::write_exec) bits[reg::exec] = result;
      }
    }
  }
  /// Whether the lane is off still, and no mask that is wanted has changed.
  bool unchanged(const Bits& bits, const Bits& before, const Places& wanted) const {
    return std::ranges::all_of(result_.masks, [&](unsigned mask) {
      const bool live =
          mask == reg::exec || wanted.test(mask) || (width_ == 2 && wanted.test(mask + 1));
      return !live || bits.at(mask) == before.at(mask);
    });
  }
  /// Whether a lane that is off when control comes to part `first` is left as it is on every way to
  /// the next trip and out of the loop; or, with `end`, on every way to that part.
  bool leaves_alone(int first, const Bits& before, std::optional<int> end) const {
    std::vector<std::optional<Bits>> at(loop_.parts.size());
    at[static_cast<std::size_t>(first)] = before;
    for (auto p = static_cast<std::size_t>(first); p < at.size(); ++p) {
      if (!at[p]) continue;
      if (end && *end == static_cast<int>(p) && *end != 0) {
        if (!unchanged(*at[p], before, loop_.parts[p].live_before)) return false;
        continue;
      }
      Bits bits = *at[p];
      pass(bits, loop_.parts[p]);
      for (const int to : loop_.parts[p].branch.ways()) {
        if (to == Branch::out || to == 0) {
          if (end && (*end != 0 || to != 0)) return false;
          if (!unchanged(bits, before, to ? loop_.live_at_exit : loop_.live_at_header))
            return false;
          continue;
        }
        meet(at[static_cast<std::size_t>(to)], bits);
      }
    }
    return true;
  }

  bool branches_fit() {
    if (!leaves_alone(0, off(unknown()), std::nullopt)) return false;
    find_constants();
    for (std::size_t p = 0; p < loop_.parts.size(); ++p) {
      const Branch& b = loop_.parts[p].branch;
      if (!b.on_exec()) continue;
      const int empty = b.empty_side(), busy = b.busy_side();
      if (busy == Branch::out) return false;
      const Bits before = off(ends_[p]);
      if (empty != Branch::out && (busy == 0 || !leaves_alone(busy, before, empty))) return false;
      if (empty == Branch::out && busy != 0 && !leaves_alone(busy, before, std::nullopt))
        return false;
    }
    return true;
  }

  // --- scalars that some lanes do not see written

  std::set<int> reached(int first) const {
    std::set<int> found;
    std::vector<int> todo;
    const auto add = [&](int p) {
      if (p > 0 && found.insert(p).second) todo.push_back(p);
    };
    add(first);
    while (!todo.empty()) {
      const int p = todo.back();
      todo.pop_back();
      for (const int to : loop_.parts[static_cast<std::size_t>(p)].branch.ways()) add(to);
    }
    return found;
  }
  Places written(int p) const {
    Places words;
    for (const Op& op : loop_.parts[static_cast<std::size_t>(p)].ops())
      if (is_scalar_op(op)) words |= effects_of(op, file_).writes;
    Places scalars;
    for (const unsigned word : result_.scalars)
      if (words.test(word)) scalars.set(word);
    return scalars;
  }
  /// Scalars that a part reads as they come to it.
  Places read_first(int p) const {
    Places reads, writes;
    for (const Op& op : loop_.parts[static_cast<std::size_t>(p)].ops()) {
      const Effects effects = effects_of(op, file_);
      reads |= effects.reads & ~writes;
      writes |= effects.writes;
    }
    return reads;
  }

  bool scalars_fit() {
    for (std::size_t p = 0; p < loop_.parts.size(); ++p) {
      const Branch& b = loop_.parts[p].branch;
      if (!b.on_exec() || b.empty_side() == Branch::out) continue;
      const std::set<int> with = reached(b.busy_side()), without = reached(b.empty_side());
      Places passed_over;
      for (const int part : with)
        if (!without.contains(part)) passed_over |= written(part);
      if ((passed_over & loop_.live_at_exit).any()) return false;
      for (const int part : without)
        if ((passed_over & read_first(part)).any()) return false;
      if ((passed_over & loop_.live_at_header).any())
        result_.must_leave.insert(static_cast<int>(p));
    }
    // Slices that leave by different ways in one trip would not agree on these.
    const bool wanted = std::ranges::any_of(
        result_.scalars, [&](unsigned word) { return loop_.live_at_exit.test(word); });
    return result_.must_leave.size() <= 1 && !(wanted && loop_.exits > 1);
  }

  const Loop& loop_;
  const RegisterFile& file_;
  const std::function<bool(const Op&)>& translatable_;
  const std::function<bool(const Op&)>& translatable_scalar_;
  const unsigned width_;  ///< scalar registers of a mask
  LanewiseLoop result_;
  std::vector<Bits> ends_;  ///< of parts: what is known of any lane
};

}  // namespace

std::optional<LanewiseLoop> lanewise(const Loop& loop, const RegisterFile& file,
                                     const std::function<bool(const Op&)>& translatable,
                                     const std::function<bool(const Op&)>& translatable_scalar) {
  return Analysis(loop, file, translatable, translatable_scalar).run();
}

}  // namespace hipsight::engine
