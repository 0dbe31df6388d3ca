#include "engine/translate/words.h"

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

}  // namespace

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
