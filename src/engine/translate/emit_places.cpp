// Accesses whose places grow by a stride within each group of lanes (Affinities): checked once for
// the whole wave, then a plain load or store for each slice. A load is done with its slice; the one
// store that a cluster may have, once all slices are, so that no lane's load comes after another
// lane's store.

#include <fmt/format.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>
#include <array>

#include "engine/translate/emitter.h"

namespace hipsight::engine {
namespace {

struct Store {
  std::string_view name;
  unsigned dwords;
};
constexpr Store stores[]{{"GLOBAL_STORE_DWORD", 1},
                         {"GLOBAL_STORE_DWORDX2", 2},
                         {"GLOBAL_STORE_DWORDX3", 3},
                         {"GLOBAL_STORE_DWORDX4", 4}};

}  // namespace

unsigned stored_dwords(const Op& op) {
  if (op.shape) return 0;
  const auto* at = std::ranges::find(stores, op.instruction->name, &Store::name);
  return at == std::end(stores) ? 0 : at->dwords;
}

bool stores_to_memory(const Op& op) {
  return stored_dwords(op) != 0;
}

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
        llvm::Align(lanes_ * 4));
  };
  constexpr int last = Affine::group - 1;
  const auto ends = [&](unsigned g) {
    return build_.CreateShuffleVector(group(g), group(g + 1), {0, last, last + 1, 2 * last + 1});
  };
  Value* const low = ends(0);
  Value* const high = file_.lanes == 64 ? ends(2) : low;
  llvm::SmallVector<int, 16> all;
  for (unsigned l = 0; l < lanes_; ++l) all.push_back(static_cast<int>(l % 8));
  return build_.CreateShuffleVector(low, high, all);
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
    // With a large stride, lanes might wrap between a first and a last one that are in range.
    if (!load || !load->lds || !signed_stride(affine_of(*node.op))) continue;
    if (in_lds.insert(node.first[0].key()).second && node.first[0].node >= 0)
      need(node.first[0].node, needed);
  }
  if (accesses.empty() && in_lds.empty()) return;

  at_leaders_ = true;
  std::ranges::sort(needed);
  for (const int node : needed) emit(nodes_[static_cast<std::size_t>(node)]);
  std::vector<std::array<Value*, 4>> found;
  for (const std::size_t n : accesses) {
    const Node& node = nodes_[n];
    const isa::Instruction& in = *node.op->instruction;
    const Load* load = load_of(*node.op);
    const unsigned bytes = 4 * (load ? load->dwords : stored_dwords(*node.op));
    const auto [base, high] = base_and_high(node);
    const auto stride = static_cast<std::int32_t>(affine_of(*node.op).stride);
    const std::int64_t span = std::int64_t{stride} * (Affine::group - 1);
    call("PLACES",
         {wave_, base, build_.getInt32(known_index(in.address)), build_.getInt64(bytes),
          build_.getInt64(static_cast<std::uint64_t>(span)), value_of(node.first[0]), high},
         found.emplace_back().data());
  }
  for (const auto& [node, component, place] : in_lds) {
    const Source address{node, component, place};
    Value* checked[4]{};
    call("LDS check", {wave_, build_.getInt32(lds_extent(address)), value_of(address)}, checked);
    lds_places_[address.key()] = checked[0];
  }
  give_up_if(rare_lanes(nullptr), give_up_);
  for (llvm::BasicBlock* from : llvm::predecessors(give_up_)) before_slices_.insert(from);
  for (std::size_t a = 0; a < accesses.size(); ++a)
    places_[accesses[a]] = keep_leaders(found[a][0], found[a][1]);
  for (auto& [address, value] : lds_places_) value = keep_leaders(value, nullptr);

  // Now for the slices.
  at_leaders_ = false;
  cache_.clear();
  rare_.clear();
  lane_numbers_ = nullptr;
  for (Node& node : nodes_) {
    node.emitted = false;
    std::ranges::fill(node.result, nullptr);
  }
}

Value* Emitter::keep_leaders(Value* low, Value* high) {
  const unsigned groups = file_.lanes / Affine::group;
  llvm::Type* const word = build_.getInt64Ty();
  llvm::IRBuilder<> at_entry(entry_, entry_->begin());
  Value* slots = at_entry.CreateAlloca(word, build_.getInt32(groups));
  for (unsigned g = 0; g < groups; ++g) {
    const auto part = [&](Value* from) {
      return build_.CreateZExt(build_.CreateExtractElement(from, std::uint64_t{2 * g}), word);
    };
    Value* first = part(low);
    if (high) first = build_.CreateOr(first, build_.CreateShl(part(high), 32));
    build_.CreateStore(first, build_.CreateConstInBoundsGEP1_32(word, slots, g));
  }
  return slots;
}

Value* Emitter::in_slice(Value* slots, std::int64_t stride, Value* index) {
  llvm::Type* const word = build_.getInt64Ty();
  Value* const lane = build_.CreateMul(index, build_.getInt64(lanes_));
  Value* const group = build_.CreateUDiv(lane, build_.getInt64(Affine::group));
  Value* const first = build_.CreateLoad(word, build_.CreateInBoundsGEP(word, slots, group));
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
  call(fmt::format("LOAD {}{}", dwords, pattern_of(stride, dwords)),
       {place_in_slice(index, index_),
        build_.getInt64(static_cast<std::uint64_t>(std::int64_t{stride}))},
       node.result);
}

void Emitter::store_slices(Value* slices) {
  if (!store_) return;
  const Op& op = *nodes_[*store_].op;
  const unsigned dwords = stored_dwords(op);
  const auto stride = static_cast<std::int32_t>(affine_of(op).stride);
  llvm::BasicBlock *const before = build_.GetInsertBlock(), *const head = block("store"),
                          *const body = block("store_slice"), *const after = block("stored");
  build_.CreateBr(head);
  build_.SetInsertPoint(head);
  auto* const index = build_.CreatePHI(build_.getInt64Ty(), 2);
  index->addIncoming(build_.getInt64(0), before);
  build_.CreateCondBr(build_.CreateICmpULT(index, slices), body, after);
  build_.SetInsertPoint(body);
  slice_ = build_.CreateInBoundsGEP(build_.getInt8Ty(), wave_,
                                    build_.CreateMul(index, build_.getInt64(lanes_ * 4)));
  Value* value[4];
  for (unsigned r = 0; r < 4; ++r)
    value[r] = r < dwords
                   ? build_.CreateAlignedLoad(bits_, register_pointer(place_of(op.src[1]) + r),
                                              llvm::Align(lanes_ * 4))
                   : splat(0);
  const bool uniform = stride == 0;  // the last lane's stays
  call(fmt::format("STORE {}{}", dwords, uniform ? " strided" : pattern_of(stride, dwords)),
       {place_in_slice(*store_, index),
        build_.getInt64(static_cast<std::uint64_t>(std::int64_t{stride})), value[0], value[1],
        value[2], value[3]},
       nullptr);
  index->addIncoming(build_.CreateAdd(index, build_.getInt64(1)), build_.GetInsertBlock());
  build_.CreateBr(head);
  build_.SetInsertPoint(after);
}

}  // namespace hipsight::engine
