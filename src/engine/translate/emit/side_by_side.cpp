// Short clusters: all slices of a wave in one straight line, instruction by instruction.

#include <algorithm>
#include <utility>

#include "engine/translate/cluster.h"
#include "engine/translate/emit/emitter.h"

namespace hipsight::engine {

/// A slice on its way: what has been computed of it.
struct Emitter::Slice {
  Value *index, *begin;
  std::vector<Node> nodes;
  Value* lane_numbers = nullptr;
  std::map<std::uint64_t, Value*> cache{};
  std::map<Value**, const Pending*> pending{};
};

/// Goes to a slice, or from it back to none.
void Emitter::exchange(Slice& slice) {
  index_ = slice.index;
  slice_ = slice.begin;
  std::swap(lane_numbers_, slice.lane_numbers);
  nodes_.swap(slice.nodes);
  cache_.swap(slice.cache);
  pending_.swap(slice.pending);
}

bool Emitter::fits_side_by_side(std::span<const Op* const> ops) const {
  if (options_.masked || std::ranges::any_of(nodes_, [&](auto& n) { return stores_apart(n); }))
    return false;
  constexpr std::size_t most_nodes = 256;  // LLVM takes its time for each
  const std::size_t slices = file_.lanes / lanes_;
  std::size_t kept = stored_.count();
  for (const auto& [place, source] : now_) kept += live_.test(place);
  kept = std::max<std::size_t>(kept, chain_of(ops, file_, live_).width);
  return slices * nodes_.size() <= most_nodes && slices * kept <= options_.group;
}

Value* Emitter::find_rows() {
  constexpr unsigned fewest = 8;  // dwords: code is made twice for them
  Value* same = nullptr;
  for (const auto& [key, slots] : lds_places_) {
    const auto held = firsts_.find(slots);
    if (held == firsts_.end()) continue;
    unsigned dwords = 0;
    for (const Node& node : nodes_) {
      const MemoryAccess* load = load_of(*node.op);
      if (load && node.first[0].key() == key && affine_of(*node.op).stride)
        dwords += load->all_dwords();
    }
    if (dwords < fewest) continue;
    in_rows_.insert(slots);
    for (Value* first : held->second) {
      Value* const equal = build_.CreateICmpEQ(first, held->second.front());
      same = same ? build_.CreateAnd(same, equal) : equal;
    }
  }
  return same;
}

void Emitter::side_by_side() {
  check_modes();
  find_outputs(live_);
  undo_ = bail_out_;
  std::vector<int> needed;
  const auto want = [&](const Source& source) {
    if (source.node >= 0) need(source.node, needed);
  };
  for (const auto* wanted : {&outputs_, &masks_})
    for (const auto& [place, source] : *wanted) want(source);
  for (unsigned place = place::vector; place < place::count; ++place)
    if (stored_.test(place)) want(current(place));
  std::ranges::sort(needed);
  if (Value* const same = find_rows()) {
    llvm::BasicBlock *const in_rows = block("in_rows"), *const otherwise = block("otherwise");
    build_.CreateCondBr(same, in_rows, otherwise);
    build_.SetInsertPoint(in_rows);
    emit_slices(needed);
    in_rows_.clear();
    build_.SetInsertPoint(otherwise);
  }
  emit_slices(needed);
  build_.SetInsertPoint(bail_out_);
  leave_rest(build_.getInt64(0));
}

void Emitter::emit_slices(std::span<const int> needed) {
  rare_.clear();
  std::vector<unsigned> stored;
  for (unsigned place = place::vector; place < place::count; ++place)
    if (stored_.test(place)) stored.push_back(place);
  std::vector<Slice> slices;
  for (unsigned s = 0; s < file_.lanes / lanes_; ++s)
    slices.push_back({.index = build_.getInt64(s),
                      .begin = wave_at(wave_, std::uint64_t{s} * lanes_ * 4),
                      .nodes = nodes_});
  const auto in_each = [&](auto what) {
    for (Slice& slice : slices) {
      exchange(slice);
      what();
      exchange(slice);
    }
  };
  for (const int node : needed) in_each([&] { emit(nodes_[static_cast<std::size_t>(node)]); });
  in_each([&] { check_stores(); });

  // Bits of masks, those of the first slice last.
  std::vector<Value*> masks(masks_.size(), build_.getIntN(file_.lanes, 0));
  std::vector<std::map<unsigned, Value*>> words;  // that are stored
  in_each([&] {
    for (const auto& [place, source] : outputs_) value_of(source);
    auto& here = words.emplace_back();
    for (const unsigned place : stored) here[place] = value_of(current(place));
    for (std::size_t m = 0; m < masks_.size(); ++m) {
      Value* const bits = build_.CreateZExt(
          build_.CreateBitCast(as_lanes(value_of(masks_[m].second)), build_.getIntNTy(lanes_)),
          masks[m]->getType());
      masks[m] = build_.CreateOr(
          masks[m], build_.CreateShl(
                        bits, build_.CreateTrunc(build_.CreateMul(index_, build_.getInt64(lanes_)),
                                                 bits->getType())));
    }
  });
  bail_out_if(rare_lanes(nullptr), bail_out_);
  in_each([&] {
    for (const auto& [place, source] : outputs_) store(value_of(source), register_pointer(place));
  });
  for (std::size_t m = 0; m < masks_.size(); ++m)
    build_.CreateAlignedStore(masks[m], scalar_pointer(masks_[m].first), llvm::Align(4));
  for (const std::size_t node : stores_)
    for (unsigned a = 0; a < store_of(*nodes_[node].op)->accesses; ++a)
      for (std::size_t s = 0; s < slices.size(); ++s)
        store_slice(node, a, slices[s].index, [&](unsigned place) { return words[s].at(place); });
  go_on();
}

}  // namespace hipsight::engine
