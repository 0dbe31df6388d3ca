// Accesses whose places grow by a stride within each group of lanes (Affinities): checked once for
// the whole wave, then a plain load or store for each slice.

#include <fmt/format.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Intrinsics.h>

#include <algorithm>
#include <array>
#include <ranges>

#include "engine/memory/access_memory.h"
#include "engine/translate/emit/emitter.h"

namespace hipsight::engine {

std::uint32_t Emitter::leader(unsigned i) const {
  const unsigned groups = file_.lanes / leaders_group_;
  return i / 2 % groups * leaders_group_ + (i % 2 ? leaders_group_ - 1 : 0);
}

Value* Emitter::leaders_of(unsigned place) {
  slice_ = wave_;
  // Sixteen lanes are loaded, as they were stored, and their ends picked: two such at a time.
  constexpr unsigned loaded = 16;
  const auto lanes_from = [&](unsigned first) {
    return build_.CreateAlignedLoad(llvm::FixedVectorType::get(build_.getInt32Ty(), loaded),
                                    wave_at(register_pointer(place), first * std::uint64_t{4}),
                                    llvm::Align(options_.slice_lanes * 4));
  };
  const auto ends = [&](unsigned first) {
    llvm::SmallVector<int, loaded> at;
    for (unsigned l = 0; l < 2 * loaded; l += leaders_group_)
      at.append({static_cast<int>(l), static_cast<int>(l + leaders_group_ - 1)});
    return build_.CreateShuffleVector(lanes_from(first), lanes_from(first + loaded), at);
  };
  Value* const low = ends(0);
  if (4 * loaded / leaders_group_ == lanes_) return low;
  Value* const high = file_.lanes == 64 ? ends(2 * loaded) : low;
  llvm::SmallVector<int, loaded> both;
  for (unsigned l = 0; l < lanes_; ++l) both.push_back(static_cast<int>(l));
  return build_.CreateShuffleVector(low, high, both);
}

void Emitter::find_places() {
  find_held_places();
  for (const unsigned group : {Affine::group, Affine::half}) find_places(group);
}

/// An address in LDS that a register holds, and where each group's first lane may have it.
struct Emitter::HeldPlaces {
  Source address;
  unsigned group;
  bool falls;  ///< from lane to lane
  Value *least, *most, *slots;
};

void Emitter::find_held_places() {
  llvm::Type* const word = build_.getInt64Ty();
  std::vector<HeldPlaces> all;
  Value* lds_bytes = nullptr;
  for (const Node& node : nodes_) {
    const Source& address = node.first[0];
    const auto stride = stride_in_lds(node);
    if (!stride || address.node >= 0 || lds_places_.contains(address.key())) continue;
    const unsigned group = address_of(*node.op).group;
    const std::int64_t span = *stride * (group - 1);
    const auto number = [&](std::int64_t n) {
      return build_.getInt64(static_cast<std::uint64_t>(n));
    };
    if (!lds_bytes)
      lds_bytes = build_.CreateZExt(
          build_.CreateLoad(build_.getInt32Ty(), wave_at(wave_, offsetof(Wave, lds_bytes))), word);
    // Of the first lane, so that the last one's is in range, too.
    Value* const least = number(std::max<std::int64_t>(0, -span));
    Value* const most =
        build_.CreateSub(lds_bytes, number(lds_extent(address) + std::max<std::int64_t>(0, span)));
    Value* const slots = leaders_room(2 * file_.lanes / group);
    lds_places_[address.key()] = slots;
    all.push_back({address, group, span < 0, least, most, slots});
  }
  if (all.empty()) return;
  if (together_) {
    Value* fits = build_.getTrue();
    for (const HeldPlaces& held : all)
      for (unsigned g = 0; g < file_.lanes / held.group; ++g) {
        firsts_[held.slots].push_back(held_place(held, build_.getInt64(g)));
        fits = build_.CreateAnd(fits, held_place_fits(held, firsts_[held.slots].back()));
      }
    go_on_if(fits);
    return;
  }
  for (const unsigned group : {Affine::group, Affine::half}) {
    const auto of_group = [&](const HeldPlaces& held) { return held.group == group; };
    if (std::ranges::none_of(all, of_group)) continue;
    for_each(file_.lanes / group, [&](Value* g) {
      Value* fits = build_.getTrue();
      for (const HeldPlaces& held : all | std::views::filter(of_group)) {
        Value* const first = held_place(held, g);
        build_.CreateStore(first, build_.CreateInBoundsGEP(
                                      word, held.slots, build_.CreateMul(g, build_.getInt64(2))));
        fits = build_.CreateAnd(fits, held_place_fits(held, first));
      }
      go_on_if(fits);
    });
  }
}

Value* Emitter::held_place(const HeldPlaces& held, Value* group) {
  slice_ = wave_;
  Value* const from = build_.CreateInBoundsGEP(
      build_.getInt8Ty(), register_pointer(held.address.place),
      build_.CreateMul(group, build_.getInt64(std::uint64_t{held.group} * 4)));
  return build_.CreateZExt(build_.CreateAlignedLoad(build_.getInt32Ty(), from, llvm::Align(4)),
                           build_.getInt64Ty());
}

Value* Emitter::held_place_fits(const HeldPlaces& held, Value* first) {
  Value* const fits = build_.CreateICmpSLE(first, held.most);
  return held.falls ? build_.CreateAnd(fits, build_.CreateICmpSGE(first, held.least)) : fits;
}

void Emitter::go_on_if(Value* fits) {
  llvm::BasicBlock* const fine = block("fine");
  before_slices_.insert(build_.GetInsertBlock());
  build_.CreateCondBr(fits, fine, bail_out_);
  build_.SetInsertPoint(fine);
}

std::optional<std::int64_t> Emitter::stride_in_lds(const Node& node) const {
  const MemoryAccess* load = load_of(*node.op);
  const MemoryAccess* store = store_of(*node.op);
  if (!(load && load->in_lds()) && !(store && store->in_lds())) return std::nullopt;
  // With a large stride, lanes might wrap between a first and a last one that are in range.
  return signed_stride(affine_of(*node.op));
}

void Emitter::find_places(unsigned group) {
  std::vector<std::size_t> accesses;
  std::vector<int> needed;
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    const Op& op = *nodes_[n].op;
    const bool access = op.instruction->format == isa::Format::Global && affine_of(op).known &&
                        address_of(op).group == group;
    if (!access) continue;
    accesses.push_back(n);
    for (const Source& source : {nodes_[n].first[0], nodes_[n].second[0]})
      if (source.node >= 0) need(source.node, needed);
  }
  std::set<std::tuple<int, unsigned, unsigned>> in_lds;
  for (const Node& node : nodes_) {
    const Source& address = node.first[0];
    if (address.node >= 0 && stride_in_lds(node) && address_of(*node.op).group == group &&
        in_lds.insert(address.key()).second)
      need(address.node, needed);
  }
  if (accesses.empty() && in_lds.empty()) return;

  at_leaders_ = true;
  leaders_group_ = group;
  constexpr unsigned fewest = 8;  // that the library has
  set_lanes(std::max(2 * file_.lanes / group, fewest));
  std::ranges::sort(needed);
  for (const int node : needed) emit(nodes_[static_cast<std::size_t>(node)]);
  check_places(accesses, group);
  for (const auto& [node, component, place] : in_lds) {
    const Source address{node, component, place};
    Value* checked[4]{};
    call("LDS check", {wave_, build_.getInt32(lds_extent(address)), value_of(address)}, checked);
    auto* const words = llvm::FixedVectorType::get(build_.getInt64Ty(), lanes_);
    lds_places_[address.key()] = keep_places(build_.CreateZExt(checked[0], words));
  }
  bail_out_if(rare_lanes(nullptr), bail_out_);
  for (llvm::BasicBlock* from : llvm::predecessors(bail_out_)) before_slices_.insert(from);
  prefetch(accesses);

  // Now for the slices.
  at_leaders_ = false;
  set_lanes(options_.slice_lanes);
  cache_.clear();
  rare_.clear();
  lane_numbers_ = nullptr;
  for (Node& node : nodes_) {
    node.emitted = false;
    std::ranges::fill(node.result, nullptr);
  }
}

void Emitter::check_places(std::span<const std::size_t> accesses, unsigned group) {
  // Accesses behind the same address are checked together.
  std::map<std::tuple<std::tuple<int, unsigned, unsigned>, std::tuple<int, unsigned, unsigned>,
                      isa::Where, unsigned>,
           std::vector<std::size_t>>
      by_address;
  for (const std::size_t n : accesses) {
    const Node& node = nodes_[n];
    const isa::Operand& base = node.op->instruction->base;
    by_address[{node.first[0].key(), node.second[0].key(), base.where, base.index}].push_back(n);
  }
  for (auto& [address, behind] : by_address) {
    std::ranges::sort(behind, {}, [&](std::size_t n) { return nodes_[n].op->imm; });
    const Node& first = nodes_[behind.front()];
    std::int64_t end = 0;
    const Node* owner = &first;  // of the range that is looked at: a store, if there is one
    for (const std::size_t n : behind) {
      const Op& op = *nodes_[n].op;
      const MemoryAccess* load = load_of(op);
      if (!load) owner = &nodes_[n];
      places_[n].behind = op.imm - first.op->imm;
      end = std::max(end, places_[n].behind + (load ? 4 * load->dwords() : store_of(op)->bytes));
    }
    const auto [base, high] = base_and_high(first);
    const auto stride = static_cast<std::int32_t>(affine_of(*first.op).stride);
    const std::int64_t span = std::int64_t{stride} * (group - 1);
    Value* const known = parameter(Parameter::Known, known_index(owner->op->instruction->address,
                                                                 store_of(*owner->op) != nullptr));
    Value* checked[4]{};
    call("PLACES",
         {wave_, base, build_.CreateTrunc(known, build_.getInt32Ty()),
          build_.getInt64(static_cast<std::uint64_t>(end)),
          build_.getInt64(static_cast<std::uint64_t>(span)), value_of(first.first[0]), high},
         checked);
    Value* const slots = keep_places(checked[0]);
    for (const std::size_t n : behind) places_[n].slots = slots;
  }
}

void Emitter::set_lanes(unsigned lanes) {
  lanes_ = lanes;
  library_ = &options_.library(lanes);
  bits_ = llvm::FixedVectorType::get(build_.getInt32Ty(), lanes);
}

Value* Emitter::leaders_room(unsigned leaders) {
  llvm::IRBuilder<> at_entry(entry_, entry_->begin());
  auto* const room = at_entry.CreateAlloca(at_entry.getInt64Ty(), build_.getInt32(leaders));
  room->setAlignment(llvm::Align(64));
  return room;
}

Value* Emitter::keep_places(Value* places) {
  if (together_) {
    auto& firsts = firsts_[places];
    for (unsigned g = 0; g < file_.lanes / leaders_group_; ++g)
      firsts.push_back(build_.CreateExtractElement(places, std::uint64_t{2} * g));
    return places;
  }
  Value* const room = leaders_room(lanes_);
  build_.CreateAlignedStore(places, room, llvm::Align(64));
  return room;
}

void Emitter::prefetch(std::span<const std::size_t> accesses) {
  llvm::Type* const word = build_.getInt64Ty();
  constexpr std::int64_t line = 64;
  std::set<std::pair<Value*, std::int64_t>> lines;
  Value *known = nullptr, *wave = nullptr;
  for (const std::size_t n : accesses) {
    const Op& op = *nodes_[n].op;
    if (!load_of(op) || !lines.emplace(places_[n].slots, places_[n].behind / line).second) continue;
    if (!known) {
      known = build_.CreateLoad(build_.getPtrTy(), wave_at(wave_, offsetof(Wave, known)));
      wave = build_.CreateZExt(
          build_.CreateAnd(build_.CreateLoad(build_.getInt32Ty(),
                                             wave_at(wave_, offsetof(Wave, index_in_group))),
                           AccessMemory::waves - 1),
          word);
    }
    const auto last = offsetof(AccessMemory, last) +
                      known_index(op.instruction->address) * sizeof *AccessMemory::last;
    Value* const slot = build_.CreateInBoundsGEP(word, wave_at(known, last), wave);
    const auto [slots, behind] = places_[n];
    const auto first_of = [&, slots = slots](unsigned group) {
      return first_in_group({slots}, build_.getInt64(group));
    };
    Value* const first = first_of(0);
    Value* const step = build_.CreateSub(first, build_.CreateLoad(word, slot));
    build_.CreateStore(first, slot);
    for (unsigned g = 0; g < file_.lanes / leaders_group_; ++g) {
      Value* const next =
          wave_at(build_.CreateIntToPtr(build_.CreateAdd(first_of(g), step), build_.getPtrTy()),
                  static_cast<std::uint64_t>(behind));
      build_.CreateIntrinsic(llvm::Intrinsic::prefetch, {build_.getPtrTy()},
                             {next, build_.getInt32(0), build_.getInt32(3), build_.getInt32(1)});
    }
  }
}

Value* Emitter::first_in_group(const Place& place, Value* group) {
  llvm::Type* const word = build_.getInt64Ty();
  Value* first = nullptr;
  if (const auto known = firsts_.find(place.slots); known != firsts_.end()) {
    first = known->second[llvm::cast<llvm::ConstantInt>(group)->getZExtValue()];
  } else {
    Value* const slot = build_.CreateMul(group, build_.getInt64(2));
    first = build_.CreateLoad(word, build_.CreateInBoundsGEP(word, place.slots, slot));
  }
  if (!place.behind) return first;
  return build_.CreateAdd(first, build_.getInt64(static_cast<std::uint64_t>(place.behind)));
}

Value* Emitter::in_slice(const Place& place, const Address& address, Value* index) {
  if (lanes_ == address.group) return first_in_group(place, index);
  Value* const lane = build_.CreateMul(index, build_.getInt64(lanes_));
  Value* const group = build_.getInt64(address.group);
  Value* const first = first_in_group(place, build_.CreateUDiv(lane, group));
  const auto stride = static_cast<std::int32_t>(address.affine.stride);
  return build_.CreateAdd(
      first, build_.CreateMul(build_.CreateURem(lane, group),
                              build_.getInt64(static_cast<std::uint64_t>(std::int64_t{stride}))));
}

Value* Emitter::place_in_slice(std::size_t node, Value* index) {
  return in_slice(places_.at(node), address_of(*nodes_[node].op), index);
}

void Emitter::load_at_place(std::size_t index) {
  Node& node = nodes_[index];
  const Address address = address_of(*node.op);
  const auto load = [&](Value* first, Value** results) {
    const unsigned dwords = load_of(*node.op)->dwords();
    const auto stride = static_cast<std::int32_t>(address.affine.stride);
    call(fmt::format("LOAD {}{}", dwords, pattern_of(stride, dwords * 4)),
         {first, build_.getInt64(static_cast<std::uint64_t>(std::int64_t{stride}))}, results);
  };
  if (address.group >= lanes_) return load(place_in_slice(index, index_), node.result);
  llvm::SmallVector<std::array<Value*, 4>, 2> parts;
  for_each_group(address.group, index_, [&](Value* group, llvm::ArrayRef<int>) {
    load(first_in_group(places_.at(index), group), parts.emplace_back().data());
  });
  llvm::SmallVector<int, 16> both;
  for (unsigned l = 0; l < lanes_; ++l) both.push_back(static_cast<int>(l));
  for (unsigned d = 0; d < load_of(*node.op)->dwords(); ++d)
    node.result[d] = build_.CreateShuffleVector(parts[0][d], parts[1][d], both);
}

void Emitter::for_each_group(unsigned group, Value* index,
                             llvm::function_ref<void(Value*, llvm::ArrayRef<int>)> each) {
  const unsigned lanes = lanes_, groups = lanes / group;
  set_lanes(group);
  for (unsigned g = 0; g < groups; ++g) {
    llvm::SmallVector<int, 16> in_group;
    for (unsigned l = 0; l < group; ++l) in_group.push_back(static_cast<int>(g * group + l));
    each(build_.CreateAdd(build_.CreateMul(index, build_.getInt64(groups)), build_.getInt64(g)),
         in_group);
  }
  set_lanes(lanes);
}

}  // namespace hipsight::engine
