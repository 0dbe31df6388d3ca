#include "engine/translate/cluster.h"

#include <algorithm>
#include <map>
#include <utility>

#include "engine/program/program.h"
#include "engine/translate/analysis/effects.h"
#include "engine/translate/matrix.h"
#include "isa/entry.h"

namespace hipsight::engine {
namespace {

bool meet(const Places& a, const Places& b) {
  return (a & b).any();
}

/// Instructions compiled together at most: the time that LLVM takes grows faster than their number.
constexpr std::size_t largest = 512;

bool uses_memory(const Effects& e) {
  return e.reads.test(place::global) || e.writes.test(place::global);
}

/// Other waves see, or change, memory where one stands.
bool is_barrier(const Op& op) {
  const isa::Control control = op.instruction->row->control;
  return control == isa::Control::Barrier || control == isa::Control::OtherWaves;
}

/// One cluster while it grows.
class Growing {
 public:
  explicit Growing(const RegisterFile& file) : file_(&file) {}

  bool takes_arithmetic(const Op& op, const Effects& e) const {
    if (meet(e.reads, after_.writes) || meet(e.writes, after_.reads) ||
        meet(e.writes, after_.writes))
      return false;
    // Stores are done once all lanes have done the rest: nothing may read memory after them, or
    // change what they store. Others see memory change: accesses that they share keep their order.
    for (const unsigned memory : {place::global, place::lds})
      if (e.reads.test(memory) && arithmetic_.writes.test(memory)) return false;
    if (uses_memory(e) && uses_memory(after_)) return false;
    if (meet(e.writes, stored_)) return false;
    // Masks made here are values of the loop: nothing but a whole mask can be read.
    for (unsigned i = 0; op.shape && i < op.shape->operands; ++i) {
      if (is_constant(op, i) || is_vector(op, i)) continue;
      const bool mask = op.shape->operand[i] == isa::Type::B1;
      const unsigned first =
          place::at(mask ? static_cast<std::uint32_t>(op.src[i]) : op.origin[i], file_->lanes * 4);
      if (mask ? splits(first) : masks_.test(first) || masks_.test(first + 1)) return false;
    }
    return !(op.flags & flag::write_bits) || !splits(place::at(op.bit_dst, file_->lanes * 4));
  }
  void add_arithmetic(const Op& op, const Effects& e) {
    cluster_.arithmetic.push_back(&op);
    arithmetic_.reads |= e.reads;
    arithmetic_.writes |= e.writes;
    if (e.writes.test(place::global) || e.writes.test(place::lds)) stored_ |= e.reads;
    if (!(op.flags & flag::write_bits)) return;
    const unsigned first = place::at(op.bit_dst, file_->lanes * 4);
    mask_starts_.set(first);
    for (unsigned i = 0; i < file_->lanes / 32; ++i) masks_.set(first + i);
  }

  /// Before the arithmetic where possible: then later arithmetic may use what it gives.
  void add_other(const Op& op, const Effects& e) {
    // Others see memory change: accesses that they share keep their order, loads too. What scalar
    // loads read does not change, or they would not see it.
    const bool scalar = op.instruction->format == isa::Format::Smem;
    const bool overtakes =
        uses_memory(e) && (uses_memory(after_) || (uses_memory(arithmetic_) && !scalar));
    const bool first = !meet(e.reads, arithmetic_.writes) && !meet(e.writes, arithmetic_.reads) &&
                       !meet(e.writes, arithmetic_.writes) && !meet(e.reads, after_.writes) &&
                       !meet(e.writes, after_.reads) && !meet(e.writes, after_.writes);
    if (first && !overtakes) {
      cluster_.before.push_back(&op);
      return;
    }
    add_last(op, e);
  }
  void add_last(const Op& op, const Effects& e) {
    cluster_.after.push_back(&op);
    after_.reads |= e.reads;
    after_.writes |= e.writes;
  }

  std::size_t size() const { return cluster_.arithmetic.size(); }
  Cluster take() { return std::move(cluster_); }

 private:
  /// Whether a mask at this scalar register would overlap another one that was made here.
  bool splits(unsigned first) const {
    if (file_->lanes == 32) return false;
    return (first > 0 && mask_starts_.test(first - 1)) || mask_starts_.test(first + 1);
  }

  const RegisterFile* file_;
  Cluster cluster_;
  Effects arithmetic_, after_;
  Places masks_, mask_starts_;
  Places stored_;  ///< what the stores among the arithmetic read
};

}  // namespace

std::vector<Cluster> clusters_of(std::span<const Op> ops, const RegisterFile& file,
                                 const std::function<bool(const Op&)>& translatable, bool ordered) {
  std::vector<Cluster> clusters;
  Growing growing(file);
  const auto next = [&] {
    clusters.push_back(growing.take());
    growing = Growing(file);
  };
  const Op* barrier = nullptr;
  for (const Op& op : ops) {
    Effects effects = effects_of(op, file);
    if (ordered && op.instruction->row->kind == isa::Kind::Memory)
      effects.writes.set(place::global);
    if (barrier && !grouped_matrix(op, file)) {
      growing.add_last(*std::exchange(barrier, nullptr), {});
      next();
    }
    if (is_barrier(op)) {
      // Matrix instructions that follow, which touch only registers, do not wait for it: so they
      // stay together with those before it.
      barrier = &op;
    } else if (!effects.movable) {
      growing.add_last(op, effects);
      next();
    } else if (!translatable(op)) {
      growing.add_other(op, effects);
    } else {
      if (growing.size() == largest || !growing.takes_arithmetic(op, effects)) next();
      growing.add_arithmetic(op, effects);
    }
  }
  if (barrier) growing.add_last(*barrier, {});
  next();
  return clusters;
}

bool Cluster::is_worth_code() const {
  constexpr std::size_t fewest_scalars = 4;
  return arithmetic.size() > 1 || (arithmetic.size() == 1 && !arithmetic.front()->shape) ||
         scalars.size() >= fewest_scalars;
}

void join_scalars(std::span<Cluster> clusters, const RegisterFile& file,
                  const std::function<bool(const Op&)>& translatable_scalar) {
  for (std::size_t c = 0; c < clusters.size(); ++c) {
    const Cluster as_it_was = clusters[c];
    const std::vector<const Op*> after_before = c > 0 ? clusters[c - 1].after : as_it_was.before;
    // From the last one on, since those that stay must not be passed by what they depend on.
    Effects stay;
    bool all_stay = false;
    const auto take_from = [&](std::vector<const Op*>& ops) {
      std::vector<const Op*> staying;
      for (std::size_t i = ops.size(); i-- > 0;) {
        Effects e = effects_of(*ops[i], file);
        // A barrier parts what accesses memory, not what only registers see.
        if (is_barrier(*ops[i]))
          e.writes.set(place::global);
        else
          all_stay |= !e.movable;
        if (!all_stay && translatable_scalar(*ops[i]) && !meet(e.reads, stay.writes) &&
            !meet(e.writes, stay.reads) && !meet(e.writes, stay.writes)) {
          clusters[c].scalars.push_back(ops[i]);
        } else {
          staying.push_back(ops[i]);
          stay.reads |= e.reads;
          stay.writes |= e.writes;
        }
      }
      std::ranges::reverse(staying);
      ops = std::move(staying);
    };
    take_from(clusters[c].before);
    if (c > 0) take_from(clusters[c - 1].after);
    std::ranges::reverse(clusters[c].scalars);
    if (clusters[c].is_worth_code()) continue;
    clusters[c] = as_it_was;
    if (c > 0) clusters[c - 1].after = after_before;
  }
}

Chain chain_of(std::span<const Op* const> ops, const RegisterFile& file, const Places& live) {
  struct Result {
    std::size_t made, last;
    unsigned length;
  };
  std::vector<Result> results;
  std::map<unsigned, std::size_t> now;  // of the places: which result they hold
  Chain chain;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const Effects e = effects_of(*ops[i], file);
    unsigned length = 0;
    for (auto& [place, result] : now) {
      if (!e.reads.test(place)) continue;
      results[result].last = i;
      length = std::max(length, results[result].length);
    }
    for (unsigned place = place::vector; place < place::count; ++place) {
      if (!e.writes.test(place)) continue;
      now.erase(place);
      if (!ops[i]->shape) continue;
      now[place] = results.size();
      results.push_back({i, i, length + 1});
      chain.length = std::max(chain.length, length + 1);
    }
  }
  for (const auto& [place, result] : now)
    if (live.test(place)) results[result].last = ops.size();
  for (std::size_t i = 0; i < ops.size(); ++i)
    chain.width = std::max(
        chain.width, static_cast<unsigned>(std::ranges::count_if(
                         results, [&](const Result& r) { return r.made <= i && i < r.last; })));
  return chain;
}

bool is_uniform_loop(std::span<const Op> ops, const Op* begin, const RegisterFile& file,
                     const std::function<bool(const Op&)>& translatable,
                     const std::function<bool(const Op&)>& translatable_scalar) {
  if (ops.empty() || ops.size() > largest) return false;
  const Op& branch = ops.back();
  if (!branch.instruction->row->branches_on_scc() || branch.target != begin) return false;
  Places masks, scalars;  // written by vector and by scalar instructions
  for (const Op& op : ops.first(ops.size() - 1)) {
    const bool scalar = op.shape && op.shape->form == isa::Form::Scalar;
    if (scalar ? !translatable_scalar(op) : !translatable(op)) return false;
    const Effects e = effects_of(op, file);
    if (scalar) {
      if (e.reads.test(reg::exec) || e.reads.test(reg::exec + 1)) return false;
      scalars |= e.writes;
    } else if (op.flags & flag::write_bits) {
      for (unsigned i = 0; i < file.lanes / 32; ++i)
        masks.set(place::at(op.bit_dst, file.lanes * 4) + i);
    }
  }
  if (meet(masks, scalars) || scalars.test(reg::exec) || scalars.test(reg::exec + 1)) return false;
  // A mask that lanes make is read by later vector instructions of the same trip only, and whole.
  Places made;
  for (const Op& op : ops.first(ops.size() - 1)) {
    const Effects e = effects_of(op, file);
    const unsigned lanes = file.lanes * 4;
    Places wanted = e.reads & masks;
    for (unsigned i = 0; op.shape && i < op.shape->operands; ++i) {
      if (op.shape->operand[i] != isa::Type::B1 || op.shape->form == isa::Form::Scalar ||
          op.base[i] != Base::Wave)
        continue;
      const unsigned first = place::at(static_cast<std::uint32_t>(op.src[i]), lanes);
      if (!made.test(first)) continue;
      for (unsigned r = 0; r < file.lanes / 32; ++r) wanted.reset(first + r);
    }
    if (wanted.any()) return false;
    if (!(op.flags & flag::write_bits)) continue;
    const unsigned first = place::at(op.bit_dst, lanes);
    if (file.lanes == 64 && ((first > 0 && made.test(first - 1)) || made.test(first + 1)))
      return false;
    made.set(first);
  }
  return true;
}

}  // namespace hipsight::engine
