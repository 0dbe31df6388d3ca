#include "engine/translate/emit/words.h"

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/PatternMatch.h>

namespace hipsight::engine {
namespace {

using llvm::Value;
using namespace llvm::PatternMatch;

/// 64-bit values from their low and high words.
Value* join(llvm::IRBuilder<>& build, Value* low, Value* high, llvm::Type* type) {
  const unsigned lanes = llvm::cast<llvm::FixedVectorType>(type)->getNumElements();
  llvm::SmallVector<int, 32> order;
  for (unsigned l = 0; l < lanes; ++l)
    order.append({static_cast<int>(l), static_cast<int>(l + lanes)});
  return build.CreateBitCast(build.CreateShuffleVector(low, high, order), type);
}

/// The low words, or the high ones.
Value* part(llvm::IRBuilder<>& build, Value* values, bool high) {
  const unsigned lanes = llvm::cast<llvm::FixedVectorType>(values->getType())->getNumElements();
  auto* const words = llvm::FixedVectorType::get(build.getInt32Ty(), lanes * 2);
  llvm::SmallVector<int, 16> order;
  for (unsigned l = 0; l < lanes; ++l) order.push_back(static_cast<int>(2 * l + high));
  return build.CreateShuffleVector(build.CreateBitCast(values, words), order);
}

Value* permuted(llvm::Instruction& i) {
  llvm::IRBuilder<> build(&i);
  const auto is_words = [](Value* v) { return v->getType()->getScalarSizeInBits() == 32; };
  Value *low = nullptr, *high = nullptr, *other = nullptr;
  const auto first = m_ZExt(m_Value(low));
  const auto second = m_Shl(m_ZExt(m_Value(high)), m_SpecificInt(32));
  if (match(&i, m_c_Or(first, second)) && is_words(low) && is_words(high))
    return join(build, low, high, i.getType());
  if (match(&i, m_c_Add(second, m_c_Add(first, m_Value(other)))) && is_words(low) && is_words(high))
    return build.CreateAdd(join(build, low, high, i.getType()), other);
  if (match(&i, m_Trunc(m_LShr(m_Value(other), m_SpecificInt(32)))))
    return part(build, other, true);
  if (match(&i, m_Trunc(m_Value(other)))) return part(build, other, false);
  return nullptr;
}

/// Goes to where two values of one block have just been made.
void stand_behind(llvm::IRBuilder<>& build, Value* a, Value* b) {
  auto *const x = llvm::dyn_cast<llvm::Instruction>(a), *const y =
                                                            llvm::dyn_cast<llvm::Instruction>(b);
  if (!x || !y || x->getParent() != y->getParent() || llvm::isa<llvm::PHINode>(x) ||
      llvm::isa<llvm::PHINode>(y))
    return;
  build.SetInsertPoint(std::next((x->comesBefore(y) ? y : x)->getIterator()));
}

/// The 64-bit values of two registers, where that is less work than to join them: the words of one
/// value, an extended word, the same in all lanes, or a sum of such made by way of a carry.
Value* whole_of(llvm::IRBuilder<>& build, Value* low, Value* high) {
  auto* const type =
      llvm::VectorType::get(build.getInt64Ty(), llvm::cast<llvm::VectorType>(low->getType()));
  Value *whole = nullptr, *a = nullptr, *b = nullptr, *high_a = nullptr, *high_b = nullptr;
  if (match(low, m_Trunc(m_Value(whole))) &&
      match(high, m_Trunc(m_LShr(m_Specific(whole), m_SpecificInt(32)))))
    return whole;
  if (match(high, m_AShr(m_Specific(low), m_SpecificInt(31)))) return build.CreateSExt(low, type);
  if (match(high, m_Zero())) return build.CreateZExt(low, type);
  if (Value* const up = getSplatValue(high)) {
    Value* const down = getSplatValue(low);
    const auto shifted = [&] {
      return build.CreateShl(build.CreateZExt(up, build.getInt64Ty()), 32);
    };
    const auto spread = [&](Value* v) {
      return build.CreateVectorSplat(type->getElementCount(), v);
    };
    constexpr unsigned few = 8;  // lanes, which take no more to extend than to join
    if (!down && type->getElementCount().getFixedValue() > few) return nullptr;
    if (!down) return build.CreateOr(build.CreateZExt(low, type), spread(shifted()));
    llvm::IRBuilderBase::InsertPointGuard guard(build);
    stand_behind(build, down, up);  // if both are loads, one load serves
    return spread(build.CreateOr(build.CreateZExt(down, build.getInt64Ty()), shifted()));
  }
  llvm::CmpPredicate less;
  Value* addend = nullptr;
  if (!match(low, m_Add(m_Value(a), m_Value(b))) ||
      !match(high, m_Sub(m_Add(m_Value(high_a), m_Value(high_b)),
                         m_SExt(m_ICmp(less, m_Specific(low), m_Value(addend))))) ||
      less != llvm::CmpInst::ICMP_ULT || (addend != a && addend != b))
    return nullptr;
  if (Value* const first = whole_of(build, a, high_a))
    if (Value* const second = whole_of(build, b, high_b)) return build.CreateAdd(first, second);
  if (Value* const first = whole_of(build, a, high_b))
    if (Value* const second = whole_of(build, b, high_a)) return build.CreateAdd(first, second);
  return nullptr;
}

}  // namespace

Value* joined_words(llvm::IRBuilder<>& build, llvm::Instruction& i) {
  Value *low = nullptr, *high = nullptr, *more = nullptr;
  const auto second = m_Shl(m_ZExt(m_Value(high)), m_SpecificInt(32));
  const auto is_pair = [&] {
    return low->getType() == high->getType() && low->getType()->getScalarSizeInBits() == 32 &&
           low->getType()->isVectorTy();
  };
  if (match(&i, m_c_Or(second, m_ZExt(m_Value(low)))) && is_pair())
    return whole_of(build, low, high);
  if (match(&i, m_c_Add(second, m_ZExt(m_Value(low)))) && is_pair())
    return whole_of(build, low, high);
  if (match(&i, m_c_Add(second, m_c_Add(m_ZExt(m_Value(low)), m_Value(more)))) && is_pair())
    if (Value* const whole = whole_of(build, low, high)) return build.CreateAdd(whole, more);
  return nullptr;
}

void permute_words(llvm::Function& function, unsigned host_bits) {
  for (llvm::Instruction& i : llvm::make_early_inc_range(llvm::instructions(function))) {
    const bool narrows = llvm::isa<llvm::TruncInst>(i);
    auto* const wide =
        llvm::dyn_cast<llvm::FixedVectorType>(narrows ? i.getOperand(0)->getType() : i.getType());
    if (!wide || !wide->getElementType()->isIntegerTy(64) ||
        wide->getNumElements() * 64 <= host_bits ||
        (narrows && i.getType()->getScalarSizeInBits() != 32))
      continue;
    if (Value* made = permuted(i)) i.replaceAllUsesWith(made);
  }
}

}  // namespace hipsight::engine
