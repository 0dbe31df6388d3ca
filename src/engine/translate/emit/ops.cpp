// Operands and entries.

#include <llvm/Analysis/InstructionSimplify.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>
#include <span>

#include "engine/translate/emit/emitter.h"
#include "engine/translate/emit/words.h"

namespace hipsight::engine {

using isa::Type;

Value* Emitter::initial(unsigned place) {
  if (const auto at = pinned_.find(place); at != pinned_.end()) return at->second;
  Value*& value = cache_[place];
  if (!value && at_leaders_) value = leaders_of(place);
  if (!value)
    value = build_.CreateAlignedLoad(bits_, register_pointer(place), llvm::Align(lanes_ * 4));
  return value;
}

Value* Emitter::value_of(const Source& source) {
  if (source.node < 0) return initial(source.place);
  Value*& value = nodes_[static_cast<std::size_t>(source.node)].result[source.component];
  if (!value) load_pending(&value);
  return value;
}

Value* Emitter::splat(std::uint32_t value) {
  return llvm::ConstantVector::getSplat(llvm::ElementCount::getFixed(lanes_),
                                        build_.getInt32(value));
}

Value* Emitter::scalar(std::uint32_t offset) {
  const unsigned place = place_of(offset);
  if (const auto at = scalars_.find(place); at != scalars_.end())
    return build_.CreateVectorSplat(lanes_, at->second);
  Value*& value = cache_[place::count + offset];
  if (!value)
    value = build_.CreateVectorSplat(
        lanes_,
        build_.CreateAlignedLoad(build_.getInt32Ty(), wave_at(wave_, offset), llvm::Align(4)));
  return value;
}

Value* Emitter::mask_at(unsigned place) {
  auto* const type = llvm::FixedVectorType::get(build_.getInt1Ty(), lanes_);
  if (const auto at = lane_masks_.find(place); at != lane_masks_.end()) return lanes_of(at->second);
  const bool written = scalars_.contains(place) || scalars_.contains(place + 1);
  if (written || at_leaders_) {
    Value* all = file_.lanes == 64 ? scalar_pair(place)
                                   : build_.CreateZExt(scalar_word(place), build_.getInt64Ty());
    if (!at_leaders_) {
      all = build_.CreateLShr(all, build_.CreateMul(index_, build_.getInt64(lanes_)));
      return build_.CreateBitCast(build_.CreateTrunc(all, build_.getIntNTy(lanes_)), type);
    }
    llvm::SmallVector<llvm::Constant*, 16> bits;
    for (unsigned l = 0; l < lanes_; ++l) bits.push_back(build_.getInt64(1ull << leader(l)));
    all = build_.CreateVectorSplat(lanes_, all);
    all = build_.CreateAnd(all, llvm::ConstantVector::get(bits));
    return build_.CreateICmpNE(all, llvm::Constant::getNullValue(all->getType()));
  }
  Value* from = build_.CreateInBoundsGEP(build_.getInt8Ty(),
                                         wave_at(wave_, offsetof(Wave, scalar) + place * 4),
                                         build_.CreateMul(index_, build_.getInt64(lanes_ / 8)));
  return build_.CreateBitCast(build_.CreateLoad(build_.getIntNTy(lanes_), from), type);
}

Value* Emitter::as_lanes(Value* mask) {
  return build_.CreateICmpNE(mask, llvm::Constant::getNullValue(bits_));
}

Value* Emitter::constant(const Op& op, unsigned i, unsigned which) {
  const auto* words = reinterpret_cast<const std::uint32_t*>(op.src[i]);
  return splat(words[which * file_.lanes]);
}

Value* Emitter::mask_operand(const Node& node, unsigned i) {
  const Op& op = *node.op;
  if (is_constant(op, i)) {
    std::uint64_t bits;
    std::memcpy(&bits, reinterpret_cast<const void*>(op.src[i]), sizeof bits);
    // Masks are constant only as all or none.
    return splat(bits ? ~0u : 0);
  }
  if (node.first[i].node >= 0) return value_of(node.first[i]);
  return build_.CreateSExt(mask_at(node.first[i].place), bits_);
}

Value* Emitter::plain_operand(const Node& node, unsigned i, unsigned which) {
  const Op& op = *node.op;
  if (is_constant(op, i)) return constant(op, i, which);
  if (is_vector(op, i)) {
    const Source& source = which ? node.second[i] : node.first[i];
    return value_of(source);
  }
  return scalar(op.origin[i] + which * 4);
}

void Emitter::emit(Node& node) {
  if (const MemoryAccess* load = load_of(*node.op)) return emit_load(node, *load);
  const isa::Shape& shape = *node.op->shape;
  if (shape.form == isa::Form::Packed) return emit_packed(node);
  Value *low[4]{}, *high[4]{};
  for (unsigned i = 0; i < shape.operands; ++i) {
    if (shape.operand[i] == Type::B1) {
      low[i] = mask_operand(node, i);
      continue;
    }
    low[i] = operand(node, i, 0);
    if (isa::is_64_bit(shape.operand[i])) high[i] = operand(node, i, 1);
  }
  splice(*node.op, low, high, node.result);
  finish(node);
}

void Emitter::emit_packed(Node& node) {
  const Op& op = *node.op;
  const isa::Shape& shape = *op.shape;
  const auto modifiers = static_cast<std::uint32_t>(op.imm);
  Value* halves[2]{};
  for (unsigned half = 0; half < 2; ++half) {
    Value *low[4]{}, *high[4]{}, *result[3]{};
    for (unsigned i = 0; i < shape.operands; ++i) {
      const unsigned select = modifiers >> (half * 3 + i) & 1;
      const bool negate = modifiers >> (6 + half * 3 + i) & 1;
      const bool word = isa::is_16_bit(shape.operand[i]);
      Value* value = plain_operand(node, i, word ? 0 : select);
      if (word && select) value = build_.CreateLShr(value, 16);
      if (word) value = build_.CreateAnd(value, splat(0xffff));
      if (negate) value = build_.CreateXor(value, splat(word ? 0x8000u : 0x80000000u));
      low[i] = value;
    }
    splice(op, low, high, result);
    halves[half] = result[0];
  }
  if (isa::is_16_bit(shape.result))
    node.result[0] = build_.CreateOr(halves[0], build_.CreateShl(halves[1], 16));
  else
    node.result[0] = halves[0], node.result[1] = halves[1];
}

namespace {

/// Whether a constant is 0, 1 or a denormal, or one less than 0, in all lanes.
bool is_delicate(Type type, const Value* low, const Value* high) {
  const auto word = [](const Value* value) {
    const auto* const constant = llvm::cast<llvm::Constant>(value)->getSplatValue();
    const auto* const number = llvm::dyn_cast_or_null<llvm::ConstantInt>(constant);
    return number ? std::optional(static_cast<std::uint32_t>(number->getZExtValue()))
                  : std::nullopt;
  };
  const auto number = word(high ? high : low);
  if (!number) return false;
  const std::uint32_t magnitude = *number & (isa::is_16_bit(type) ? 0x7fff : 0x7fffffff);
  switch (type) {
    case Type::F64:
      return magnitude < 0x00100000 || (magnitude == 0x3ff00000 && word(low) == 0u);
    case Type::F32:
      return magnitude < 0x00800000 || magnitude == 0x3f800000;
    case Type::F16:
      return magnitude < 0x0400 || magnitude == 0x3c00;
    default:
      return magnitude < 0x0080 || magnitude == 0x3f80;
  }
}

}  // namespace

Value* Emitter::hidden(Value* constant) {
  auto* const value = llvm::cast<llvm::Constant>(constant);
  llvm::Constant* const one = value->getSplatValue();
  llvm::Constant* const kept = one ? one : value;
  // One global for each value, so that code that is alike stays so.
  llvm::GlobalVariable* global = nullptr;
  for (llvm::GlobalVariable& other : module_.globals())
    if (other.hasPrivateLinkage() && other.getInitializer() == kept) global = &other;
  if (!global)
    global = new llvm::GlobalVariable(module_, kept->getType(), /*isConstant=*/false,
                                      llvm::GlobalValue::PrivateLinkage, kept);
  auto* const load = build_.CreateLoad(kept->getType(), global);
  load->setMetadata(llvm::LLVMContext::MD_invariant_load,
                    llvm::MDNode::get(module_.getContext(), {}));
  return one ? build_.CreateVectorSplat(lanes_, load) : load;
}

void Emitter::hide_constants(const isa::Shape& shape, Value** low, Value** high) {
  const unsigned operands = shape.operands - shape.has_fields();
  const std::span types(shape.operand.data(), operands);
  if (!isa::is_float(shape.result) && std::ranges::none_of(types, isa::is_float)) return;
  // Two may meet in a part of what an instruction does, as may the only number.
  unsigned constants = 0, floats = 0, constant_floats = 0;
  bool delicate = false;
  for (unsigned i = 0; i < operands; ++i) {
    if (shape.operand[i] == Type::B1) continue;
    const bool constant =
        llvm::isa<llvm::Constant>(low[i]) && (!high[i] || llvm::isa<llvm::Constant>(high[i]));
    constants += constant;
    if (!isa::is_float(shape.operand[i])) continue;
    ++floats;
    constant_floats += constant;
    delicate |= constant && is_delicate(shape.operand[i], low[i], high[i]);
  }
  const bool alone = floats ? floats == constant_floats : constants == operands;
  if (constants < 2 && !alone && !delicate) return;
  for (unsigned i = 0; i < operands; ++i)
    for (Value** value : {&low[i], &high[i]})
      if (*value && shape.operand[i] != Type::B1 && llvm::isa<llvm::Constant>(*value))
        *value = hidden(*value);
}

void Emitter::splice(const Op& op, Value** low, Value** high, Value** results) {
  const llvm::Function& meaning = *library_->find(op);
  ValueMap map;
  const unsigned operands = op.shape->operands;
  hide_constants(*op.shape, low, high);
  for (unsigned i = 0; i < operands; ++i) {
    map[meaning.getArg(4 + i)] = low[i];
    map[meaning.getArg(4 + operands + i)] = high[i] ? high[i] : llvm::PoisonValue::get(bits_);
  }
  if (!meaning.getArg(3)->use_empty()) map[meaning.getArg(3)] = lane_numbers();
  copy_here(meaning, map, results);
}

Value* Emitter::mapped(const ValueMap& map, Value* value) {
  const auto at = map.find(value);
  return at == map.end() ? value : at->second;
}

void Emitter::copy_here(const llvm::Function& function, ValueMap& map, Value** results) {
  const bool straight = function.size() == 1;
  llvm::DenseMap<const llvm::BasicBlock*, llvm::BasicBlock*> blocks;
  blocks[&function.front()] = build_.GetInsertBlock();
  for (const llvm::BasicBlock& from : function)
    if (&from != &function.front()) blocks[&from] = block("part");
  llvm::BasicBlock* const after = straight ? nullptr : block("after");
  std::vector<llvm::Instruction*> copies;
  for (const llvm::BasicBlock& from : function) {
    build_.SetInsertPoint(blocks[&from]);
    for (const llvm::Instruction& i : from) {
      if (llvm::isa<llvm::ReturnInst>(i)) {
        if (!straight) build_.CreateBr(after);
        continue;
      }
      const auto* store = llvm::dyn_cast<llvm::StoreInst>(&i);
      const auto* to = store ? llvm::dyn_cast<llvm::Argument>(store->getPointerOperand()) : nullptr;
      if (to) {
        Value* value = mapped(map, const_cast<Value*>(store->getValueOperand()));
        if (value->getType()->getPrimitiveSizeInBits() == bits_->getPrimitiveSizeInBits())
          value = build_.CreateBitCast(value, bits_);
        results[to->getArgNo()] = value;
        continue;
      }
      const auto* load = llvm::dyn_cast<llvm::LoadInst>(&i);
      if (load && llvm::isa<llvm::Argument>(load->getPointerOperand())) {
        map[&i] = build_.CreateBitCast(mapped(map, const_cast<Value*>(load->getPointerOperand())),
                                       load->getType());
        continue;  // an operand, whole (Library)
      }
      if (Value* copy = copy_instruction(i, map, straight)) {
        map[&i] = copy;
        if (auto* made = llvm::dyn_cast<llvm::Instruction>(copy)) copies.push_back(made);
      }
    }
  }
  if (straight) return;
  // Blocks may refer to later ones.
  for (llvm::Instruction* copy : copies) {
    for (llvm::Use& use : copy->operands()) use.set(mapped(map, use.get()));
    if (auto* phi = llvm::dyn_cast<llvm::PHINode>(copy))
      for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i)
        phi->setIncomingBlock(i, blocks[phi->getIncomingBlock(i)]);
    if (auto* branch = llvm::dyn_cast<llvm::BranchInst>(copy))
      for (unsigned i = 0; i < branch->getNumSuccessors(); ++i)
        branch->setSuccessor(i, blocks[branch->getSuccessor(i)]);
  }
  build_.SetInsertPoint(after);
}

Value* Emitter::copy_instruction(const llvm::Instruction& i, const ValueMap& map, bool simplify) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&i);
  if (call && call->getCalledFunction()->getName() == "hipsight_rare") {
    Value* marked = mapped(map, call->getArgOperand(0));
    if (call->arg_size() == 2) {
      // Halves of a whole, as a rule.
      Value* const high = mapped(map, call->getArgOperand(1));
      const auto* of = llvm::dyn_cast<llvm::ShuffleVectorInst>(marked);
      const auto* other = llvm::dyn_cast<llvm::ShuffleVectorInst>(high);
      llvm::SmallVector<int, 32> both(lanes_);
      std::iota(both.begin(), both.end(), 0);
      const llvm::ArrayRef<int> all(both);
      if (of && other && of->getOperand(0) == other->getOperand(0) &&
          of->getShuffleMask() == all.take_front(lanes_ / 2) &&
          other->getShuffleMask() == all.take_back(lanes_ / 2))
        marked = of->getOperand(0);
      else
        marked = build_.CreateShuffleVector(marked, high, both);
    }
    rare_.push_back(marked);
    return nullptr;
  }
  llvm::Instruction* copy = i.clone();
  copy->dropUnknownNonDebugMetadata();
  for (llvm::Use& use : copy->operands()) use.set(mapped(map, use.get()));
  if (call) {
    const llvm::Function* callee = call->getCalledFunction();
    llvm::cast<llvm::CallInst>(copy)->setCalledFunction(module_.getOrInsertFunction(
        callee->getName(), callee->getFunctionType(), callee->getAttributes()));
  }
  build_.Insert(copy);
  if (simplify)
    if (Value* simple = llvm::simplifyInstruction(copy, module_.getDataLayout())) {
      copy->eraseFromParent();
      return simple;
    }
  if (Value* whole = joined_words(build_, *copy)) {
    copy->eraseFromParent();
    return whole;
  }
  return copy;
}

Value* Emitter::lane_numbers() {
  if (!lane_numbers_) {
    llvm::SmallVector<llvm::Constant*, 16> numbers;
    for (unsigned l = 0; l < lanes_; ++l)
      numbers.push_back(build_.getInt32(at_leaders_ ? leader(l) : l));
    if (at_leaders_) return lane_numbers_ = llvm::ConstantVector::get(numbers);
    Value* first =
        build_.CreateMul(build_.CreateTrunc(index_, build_.getInt32Ty()), build_.getInt32(lanes_));
    lane_numbers_ = build_.CreateAdd(llvm::ConstantVector::get(numbers),
                                     build_.CreateVectorSplat(lanes_, first));
  }
  return lane_numbers_;
}

}  // namespace hipsight::engine
