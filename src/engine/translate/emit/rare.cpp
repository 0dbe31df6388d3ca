// Lanes that translated code does not serve: found, and left to the interpreter.

#include <llvm/IR/Instructions.h>
#include <llvm/IR/Intrinsics.h>

#include "engine/translate/emit/emitter.h"

namespace hipsight::engine {

Value* Emitter::nan_of(Value* mark) {
  auto* extended = llvm::dyn_cast<llvm::SExtInst>(mark);
  auto* compare = extended ? llvm::dyn_cast<llvm::FCmpInst>(extended->getOperand(0)) : nullptr;
  if (!compare || compare->getPredicate() != llvm::FCmpInst::FCMP_UNO) return nullptr;
  Value *a = compare->getOperand(0), *b = compare->getOperand(1);
  return a == b || llvm::isa<llvm::ConstantAggregateZero>(b) ? a : nullptr;
}

Emitter::Fate Emitter::fate_of(const Value* value, const std::set<const Value*>& looked_at) {
  for (const llvm::User* user : value->users()) {
    if (llvm::isa<llvm::BitCastInst>(user))
      if (const Fate fate = fate_of(user, looked_at); fate != Fate::Ends) return fate;
    if (llvm::isa<llvm::PHINode>(user) && !llvm::isa<llvm::PHINode>(value))
      if (fate_of(user, looked_at) == Fate::GoesOn) return Fate::NextTrip;
    const auto* i = llvm::dyn_cast<llvm::Instruction>(user);
    if (!i || !looked_at.contains(i)) continue;
    switch (i->getOpcode()) {
      case llvm::Instruction::FAdd:
      case llvm::Instruction::FSub:
      case llvm::Instruction::FMul:
        return Fate::GoesOn;
      case llvm::Instruction::Call:
        if (llvm::cast<llvm::CallInst>(i)->getIntrinsicID() == llvm::Intrinsic::fma)
          return Fate::GoesOn;
        break;
      default:
        break;
    }
  }
  return Fate::Ends;
}

Value* Emitter::nans_of(std::span<Value* const> values) {
  Value* any = nullptr;
  // One comparison looks at two values.
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool two = i + 1 < values.size() && values[i]->getType() == values[i + 1]->getType();
    Value* lanes = build_.CreateFCmpUNO(values[i], values[two ? i + 1 : i]);
    any = any ? build_.CreateOr(any, lanes) : lanes;
    i += two;
  }
  return any;
}

Value* Emitter::rare_lanes(std::vector<Value*>* later) {
  std::vector<Value*> nans;
  Value* any = nullptr;
  const auto join = [&](Value* lanes) {
    if (lanes) any = any ? build_.CreateOr(any, lanes) : lanes;
  };
  std::set<const Value*> met;
  for (Value* mark : rare_) {
    if (!met.insert(mark).second) continue;
    if (Value* value = nan_of(mark))
      nans.push_back(value);
    else
      join(as_lanes(mark));
  }
  const std::set<const Value*> looked_at(nans.begin(), nans.end());
  std::vector<Value*> here;
  for (Value* value : nans) {
    const Fate fate = fate_of(value, looked_at);
    if (fate == Fate::Ends || (fate == Fate::NextTrip && !later)) here.push_back(value);
    if (fate == Fate::NextTrip && later) later->push_back(value);
  }
  join(nans_of(here));
  return any;
}

void Emitter::bail_out_if(Value* lanes, llvm::BasicBlock* where) {
  if (!lanes) return;
  if (options_.masked) lanes = build_.CreateAnd(lanes, active_);
  Value* bits = build_.CreateBitCast(lanes, build_.getIntNTy(lanes_));
  llvm::BasicBlock* fine = block("fine");
  build_.CreateCondBr(build_.CreateICmpEQ(bits, build_.getIntN(lanes_, 0)), fine, where);
  build_.SetInsertPoint(fine);
}

}  // namespace hipsight::engine
