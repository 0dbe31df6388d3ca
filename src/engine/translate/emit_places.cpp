// Accesses whose places grow by a stride within each group of lanes (Affinities): checked once for
// the whole wave, then a plain load or store for each slice.

#include <fmt/format.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Intrinsics.h>

#include <algorithm>

#include "engine/access_memory.h"
#include "engine/translate/emitter.h"

namespace hipsight::engine {

std::uint32_t Emitter::leader(unsigned i) const {
  const unsigned groups = file_.lanes / Affine::group;
  return i / 2 % groups * Affine::group + (i % 2 ? Affine::group - 1 : 0);
}

Value* Emitter::leaders_of(unsigned place) {
  slice_ = wave_;
  // Whole groups are loaded, as they were stored, and their ends picked: two groups at a time.
  const auto group = [&](unsigned g) {
    return build_.CreateAlignedLoad(
        llvm::FixedVectorType::get(build_.getInt32Ty(), Affine::group),
        wave_at(register_pointer(place), g * Affine::group * std::uint64_t{4}),
        llvm::Align(options_.slice_lanes * 4));
  };
  constexpr int last = Affine::group - 1;
  const auto ends = [&](unsigned g) {
    return build_.CreateShuffleVector(group(g), group(g + 1), {0, last, last + 1, 2 * last + 1});
  };
  Value* const low = ends(0);
  Value* const high = file_.lanes == 64 ? ends(2) : low;
  return build_.CreateShuffleVector(low, high, {0, 1, 2, 3, 4, 5, 6, 7});
}

void Emitter::find_places() {
  std::vector<std::size_t> accesses;
  std::vector<int> needed;
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    const Op& op = *nodes_[n].op;
    const bool access = op.instruction->format == isa::Format::Global && affine_of(op).known;
    if (!access) continue;
    accesses.push_back(n);
    for (const Source& source : {nodes_[n].first[0], nodes_[n].second[0]})
      if (source.node >= 0) need(source.node, needed);
  }
  std::set<std::tuple<int, unsigned, unsigned>> in_lds;
  for (const Node& node : nodes_) {
    const Load* load = load_of(*node.op);
    const Store* store = store_of(*node.op);
    // With a large stride, lanes might wrap between a first and a last one that are in range.
    if (!((load && load->lds) || (store && store->lds)) || !signed_stride(affine_of(*node.op)))
      continue;
    if (in_lds.insert(node.first[0].key()).second && node.first[0].node >= 0)
      need(node.first[0].node, needed);
  }
  if (accesses.empty() && in_lds.empty()) return;

  at_leaders_ = true;
  const Library& usual = *library_;
  set_lanes(Affine::leaders, *options_.leaders);
  std::ranges::sort(needed);
  for (const int node : needed) emit(nodes_[static_cast<std::size_t>(node)]);
  for (const std::size_t n : accesses) {
    const Node& node = nodes_[n];
    const isa::Instruction& in = *node.op->instruction;
    const Load* load = load_of(*node.op);
    const unsigned bytes = load ? 4 * load->dwords : store_of(*node.op)->bytes;
    const auto [base, high] = base_and_high(node);
    const auto stride = static_cast<std::int32_t>(affine_of(*node.op).stride);
    const std::int64_t span = std::int64_t{stride} * (Affine::group - 1);
    places_[n] = leaders_room();
    call("PLACES",
         {wave_, build_.CreatePtrToInt(places_[n], build_.getInt64Ty()), base,
          build_.getInt32(known_index(in.address)), build_.getInt64(bytes),
          build_.getInt64(static_cast<std::uint64_t>(span)), value_of(node.first[0]), high},
         nullptr);
  }
  for (const auto& [node, component, place] : in_lds) {
    const Source address{node, component, place};
    Value* checked[4]{};
    call("LDS check", {wave_, build_.getInt32(lds_extent(address)), value_of(address)}, checked);
    Value*& room = lds_places_[address.key()];
    room = leaders_room();
    auto* const words = llvm::FixedVectorType::get(build_.getInt64Ty(), lanes_);
    build_.CreateAlignedStore(build_.CreateZExt(checked[0], words), room, llvm::Align(64));
  }
  give_up_if(rare_lanes(nullptr), give_up_);
  for (llvm::BasicBlock* from : llvm::predecessors(give_up_)) before_slices_.insert(from);
  for (const std::size_t n : accesses)
    if (load_of(*nodes_[n].op)) prefetch(*nodes_[n].op, places_[n]);

  // Now for the slices.
  at_leaders_ = false;
  set_lanes(options_.slice_lanes, usual);
  cache_.clear();
  rare_.clear();
  lane_numbers_ = nullptr;
  for (Node& node : nodes_) {
    node.emitted = false;
    std::ranges::fill(node.result, nullptr);
  }
}

void Emitter::set_lanes(unsigned lanes, const Library& library) {
  lanes_ = lanes;
  library_ = &library;
  bits_ = llvm::FixedVectorType::get(build_.getInt32Ty(), lanes);
}

Value* Emitter::leaders_room() {
  llvm::IRBuilder<> at_entry(entry_, entry_->begin());
  auto* const room = at_entry.CreateAlloca(at_entry.getInt64Ty(), build_.getInt32(Affine::leaders));
  room->setAlignment(llvm::Align(64));
  return room;
}

void Emitter::prefetch(const Op& op, Value* places) {
  llvm::Type* const word = build_.getInt64Ty();
  const auto last = offsetof(AccessMemory, last) +
                    known_index(op.instruction->address) * sizeof *AccessMemory::last;
  Value* const known = build_.CreateLoad(build_.getPtrTy(), wave_at(wave_, offsetof(Wave, known)));
  Value* const wave = build_.CreateAnd(
      build_.CreateLoad(build_.getInt32Ty(), wave_at(wave_, offsetof(Wave, index_in_group))),
      AccessMemory::waves - 1);
  Value* const slot =
      build_.CreateInBoundsGEP(word, wave_at(known, last), build_.CreateZExt(wave, word));
  Value* const first = build_.CreateLoad(word, places);
  Value* const step = build_.CreateSub(first, build_.CreateLoad(word, slot));
  build_.CreateStore(first, slot);
  for (unsigned g = 0; g < file_.lanes / Affine::group; ++g) {
    Value* const at =
        build_.CreateLoad(word, build_.CreateConstInBoundsGEP1_32(word, places, 2 * g));
    Value* const next = build_.CreateIntToPtr(build_.CreateAdd(at, step), build_.getPtrTy());
    build_.CreateIntrinsic(llvm::Intrinsic::prefetch, {build_.getPtrTy()},
                           {next, build_.getInt32(0), build_.getInt32(3), build_.getInt32(1)});
  }
}

Value* Emitter::in_slice(Value* slots, std::int64_t stride, Value* index) {
  llvm::Type* const word = build_.getInt64Ty();
  Value* const lane = build_.CreateMul(index, build_.getInt64(lanes_));
  Value* const group = build_.CreateUDiv(lane, build_.getInt64(Affine::group / 2));
  Value* const slot = build_.CreateAnd(group, ~1ull);
  Value* const first = build_.CreateLoad(word, build_.CreateInBoundsGEP(word, slots, slot));
  if (lanes_ == Affine::group) return first;
  Value* const in_group = build_.CreateURem(lane, build_.getInt64(Affine::group));
  return build_.CreateAdd(
      first, build_.CreateMul(in_group, build_.getInt64(static_cast<std::uint64_t>(stride))));
}

Value* Emitter::place_in_slice(std::size_t node, Value* index) {
  const auto stride = static_cast<std::int32_t>(affine_of(*nodes_[node].op).stride);
  return in_slice(places_.at(node), stride, index);
}

void Emitter::load_at_place(std::size_t index) {
  Node& node = nodes_[index];
  const unsigned dwords = load_of(*node.op)->dwords;
  const auto stride = static_cast<std::int32_t>(affine_of(*node.op).stride);
  call(fmt::format("LOAD {}{}", dwords, pattern_of(stride, dwords * 4)),
       {place_in_slice(index, index_),
        build_.getInt64(static_cast<std::uint64_t>(std::int64_t{stride}))},
       node.result);
}

}  // namespace hipsight::engine
