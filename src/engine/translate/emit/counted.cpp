// Loops of uniform control flow: first the scalar instructions alone, to count the trips; then each
// slice goes round that often, with its registers as values of the loop.

#include <llvm/IR/Instructions.h>

#include <algorithm>

#include "engine/translate/emit/emitter.h"

namespace hipsight::engine {
namespace {

bool is_scalar(const Op& op) {
  return op.shape && op.shape->form == isa::Form::Scalar;
}

}  // namespace

struct Emitter::Trips {
  Value* count;                        ///< i32, at least 1
  std::map<unsigned, Value*> scalars;  ///< what the scalar registers hold after them
};

Emitted Emitter::run_loop(std::span<const Op* const> ops, const Op& branch,
                          const std::string& name) {
  std::vector<const Op*> vectors;
  std::ranges::copy_if(ops, std::back_inserter(vectors),
                       [](const Op* op) { return !is_scalar(*op); });
  connect(vectors);
  begin(name);
  for (const Op* op : ops) {
    if (!is_scalar(*op)) continue;
    const isa::Shape& shape = *op->shape;
    if (shape.result == isa::Type::B1 || shape.bit_result) scalars_[place::scc] = nullptr;
    if (shape.result == isa::Type::B1) continue;
    for (unsigned i = 0; i < (isa::is_64_bit(shape.result) ? 2u : 1u); ++i)
      scalars_[place_of(op->dst) + i] = nullptr;
  }
  const Trips trips = count_trips(ops, branch);
  build_.CreateStore(trips.count, wave_at(wave_, offsetof(Wave, trips)));
  open();
  go_round(ops, trips);
  close();
  for (const auto& [place, value] : trips.scalars)
    build_.CreateAlignedStore(value, scalar_pointer(place), llvm::Align(4));
  go_on();
  return std::move(emitted_);
}

/// At the head of a loop: the scalar registers that it writes, as they come from `from`.
void Emitter::open_scalars(llvm::BasicBlock* from, std::map<unsigned, llvm::PHINode*>& phis) {
  for (auto& [place, value] : scalars_) value = nullptr;
  std::map<unsigned, Value*> first;
  llvm::BasicBlock* const head = build_.GetInsertBlock();
  build_.SetInsertPoint(from->getTerminator());
  for (const auto& [place, value] : scalars_) first[place] = scalar_word(place);
  build_.SetInsertPoint(head);
  for (auto& [place, value] : scalars_) {
    phis[place] = build_.CreatePHI(build_.getInt32Ty(), 2);
    phis[place]->addIncoming(first[place], from);
    value = phis[place];
  }
}

Emitter::Trips Emitter::count_trips(std::span<const Op* const> ops, const Op& branch) {
  Value* const budget =
      build_.CreateLoad(build_.getInt64Ty(), wave_at(wave_, offsetof(Wave, budget)));
  llvm::BasicBlock *const before = build_.GetInsertBlock(), *const head = block("count");
  build_.CreateBr(head);
  build_.SetInsertPoint(head);
  std::map<unsigned, llvm::PHINode*> phis;
  open_scalars(before, phis);
  auto* const count = build_.CreatePHI(build_.getInt64Ty(), 2);
  count->addIncoming(build_.getInt64(0), before);
  for (const Op* op : ops)
    if (is_scalar(*op)) emit_scalar(*op);
  Value* const next = build_.CreateAdd(count, build_.getInt64(1));
  Value* const scc = build_.CreateICmpNE(scalar_word(place::scc), build_.getInt32(0));
  const bool on_one = branch.instruction->row->condition == isa::Condition::Scc1;
  Value* const taken = on_one ? scc : build_.CreateNot(scc);
  Value* const again = build_.CreateAnd(taken, build_.CreateICmpSLT(next, budget));
  count->addIncoming(next, build_.GetInsertBlock());
  for (const auto& [place, phi] : phis) phi->addIncoming(scalars_[place], build_.GetInsertBlock());
  llvm::BasicBlock* const counted = block("counted");
  build_.CreateCondBr(again, head, counted);
  build_.SetInsertPoint(counted);
  return {build_.CreateTrunc(next, build_.getInt32Ty()), scalars_};
}

void Emitter::go_round(std::span<const Op* const> ops, const Trips& trips) {
  // Registers that a trip reads as the one before left them.
  std::map<unsigned, llvm::PHINode*> carried, phis;
  std::map<unsigned, Value*> first;
  for (const auto& [place, source] : now_)
    if (!is_mask(source) && initial_readers_.contains(place)) first[place] = initial(place);
  llvm::BasicBlock *const before = build_.GetInsertBlock(), *const head = block("trip");
  build_.CreateBr(head);
  build_.SetInsertPoint(head);
  cache_.clear();
  undo_ = bail_out_;
  open_scalars(before, phis);
  auto* const trip = build_.CreatePHI(build_.getInt32Ty(), 2);
  trip->addIncoming(build_.getInt32(0), before);
  auto* const flags = build_.CreatePHI(bits_, 2);
  flags->addIncoming(llvm::Constant::getNullValue(bits_), before);
  for (const auto& [place, value] : first) {
    carried[place] = build_.CreatePHI(bits_, 2);
    carried[place]->addIncoming(value, before);
    pinned_[place] = carried[place];
  }

  std::size_t node = 0;
  for (const Op* op : ops) {
    if (is_scalar(*op))
      emit_scalar(*op);
    else
      emit(nodes_[node++]);
  }

  const auto end_of = [&](unsigned place) { return value_of(now_.at(place)); };
  // The values that go round are tied up first, so that it is seen where NaNs go.
  llvm::BasicBlock* const last = build_.GetInsertBlock();
  for (const auto& [place, phi] : carried) phi->addIncoming(end_of(place), last);
  for (const auto& [place, phi] : phis) phi->addIncoming(scalars_[place], last);
  std::vector<Value*> later;
  Value* marked = flags;
  if (Value* rare = rare_lanes(&later))
    marked = build_.CreateOr(marked, build_.CreateSExt(rare, bits_));
  flags->addIncoming(marked, last);
  Value* const next = build_.CreateAdd(trip, build_.getInt32(1));
  trip->addIncoming(next, last);
  llvm::BasicBlock* const after = block("round");
  build_.CreateCondBr(build_.CreateICmpULT(next, trips.count), head, after);

  build_.SetInsertPoint(after);
  Value* rare = as_lanes(marked);
  if (Value* nans = nans_of(later)) rare = build_.CreateOr(rare, nans);
  bail_out_if(rare, bail_out_);
  for (const auto& [place, source] : outputs_) {
    Value* to = register_pointer(place);
    Value* old = nullptr;
    if (options_.masked) old = build_.CreateAlignedLoad(bits_, to, llvm::Align(lanes_ * 4));
    commit(source, old, to);
  }
}

}  // namespace hipsight::engine
