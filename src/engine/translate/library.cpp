#include "engine/translate/library.h"

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <span>

#include "engine/program/program.h"
#include "engine/translate/analysis/effects.h"
#include "isa/entry.h"
#include "support/error.h"

// The bitcode, from the build (CMakeLists.txt).
#define HIPSIGHT_MEANINGS(NAME) \
  extern "C" const char hipsight_meanings_##NAME##_begin[], hipsight_meanings_##NAME##_end[];
HIPSIGHT_MEANINGS(8x1)
HIPSIGHT_MEANINGS(8x2)
HIPSIGHT_MEANINGS(16x1)
HIPSIGHT_MEANINGS(16x2)

namespace hipsight::engine {
namespace {

llvm::StringRef bitcode(unsigned register_lanes, unsigned slice_lanes) {
  const auto of = [](const char* begin, const char* end) {
    return llvm::StringRef(begin, static_cast<std::size_t>(end - begin));
  };
  if (slice_lanes == 32) return of(hipsight_meanings_16x2_begin, hipsight_meanings_16x2_end);
  if (slice_lanes == 8) return of(hipsight_meanings_8x1_begin, hipsight_meanings_8x1_end);
  if (register_lanes == 16) return of(hipsight_meanings_16x1_begin, hipsight_meanings_16x1_end);
  return of(hipsight_meanings_8x2_begin, hipsight_meanings_8x2_end);
}

/// Operands of two host registers come in memory: whether each is read whole.
bool reads_whole_operands(const llvm::Function& function) {
  const llvm::DataLayout& layout = function.getDataLayout();
  for (const llvm::Argument& operand : function.args()) {
    if (!operand.hasByValAttr()) continue;
    const auto size = layout.getTypeStoreSize(operand.getParamByValType());
    for (const llvm::User* user : operand.users()) {
      const auto* load = llvm::dyn_cast<llvm::LoadInst>(user);
      if (!load || layout.getTypeStoreSize(load->getType()) != size) return false;
    }
  }
  return true;
}

/// Whether nothing but instructions would have to be copied, and all paths come by all marks.
bool stands_alone(llvm::Function& function) {
  if (!reads_whole_operands(function)) return false;
  const llvm::DominatorTree dominators(function);
  const llvm::Instruction* end = nullptr;
  for (const llvm::Instruction& i : llvm::instructions(function))
    if (llvm::isa<llvm::ReturnInst>(i)) end = &i;
  for (const llvm::Instruction& i : llvm::instructions(function)) {
    if (llvm::isa<llvm::UnreachableInst>(i)) return false;
    if (const auto* call = llvm::dyn_cast<llvm::CallInst>(&i)) {
      const llvm::Function* callee = call->getCalledFunction();
      if (!callee) return false;
      if (callee->getName() == "hipsight_rare") {
        if (!end || !dominators.dominates(call, end)) return false;
      } else if (!callee->isIntrinsic()) {
        return false;
      }
    }
    for (const llvm::Value* operand : i.operands())
      if (llvm::isa<llvm::GlobalVariable>(operand)) return false;
  }
  return true;
}

}  // namespace

Library::Library(llvm::LLVMContext& context, unsigned register_lanes, unsigned slice_lanes)
    : slice_lanes_(slice_lanes) {
  auto module = llvm::getLazyBitcodeModule(
      llvm::MemoryBufferRef(bitcode(register_lanes, slice_lanes), "meanings"), context);
  if (!module) fail("the translator's bitcode cannot be read: {}", toString(module.takeError()));
  module_ = std::move(*module);
  // Names and functions are the arguments of calls that no one executes.
  const llvm::Function* row = module_->getFunction("hipsight_meaning");
  for (llvm::Function& table : *module_) {
    if (table.getName().contains("for_each_group") || table.getName() == "hipsight_meanings")
      if (auto error = table.materialize()) fail("meanings: {}", toString(std::move(error)));
  }
  for (const llvm::User* user : row->users()) {
    const auto* call = llvm::cast<llvm::CallInst>(user);
    const auto* text = llvm::cast<llvm::GlobalVariable>(call->getArgOperand(0));
    const auto* name = llvm::cast<llvm::ConstantDataArray>(text->getInitializer());
    const llvm::StringRef entry = name->getAsCString();
    functions_.emplace(std::string_view(entry.data(), entry.size()),
                       llvm::cast<llvm::Function>(call->getArgOperand(1)));
  }
}
Library::~Library() = default;

const llvm::Function* Library::find(std::string_view entry) const {
  const auto at = functions_.find(entry);
  if (at == functions_.end()) return nullptr;
  llvm::Function& function = *at->second;
  if (auto error = function.materialize()) fail("meanings: {}", toString(std::move(error)));
  return stands_alone(function) ? &function : nullptr;
}

const llvm::Function* Library::find(const Op& op) const {
  const std::string_view name = op.shape->name;
  constexpr unsigned fields = 3, first_operand = 4;
  const auto any = functions_.find(name);
  if (any == functions_.end() || !op.shape->has_fields() || !is_constant(op, fields))
    return find(name);
  const std::uint32_t word = *reinterpret_cast<const std::uint32_t*>(op.src[fields]);
  const auto [at, is_new] = for_words_.try_emplace({name, word});
  if (!is_new) return at->second;
  llvm::Function& function = *any->second;
  if (auto error = function.materialize()) fail("meanings: {}", toString(std::move(error)));
  auto* const copy = llvm::Function::Create(
      function.getFunctionType(), llvm::Function::InternalLinkage, function.getName(), *module_);
  llvm::ValueToValueMapTy map;
  for (llvm::Argument& argument : function.args())
    map[&argument] = copy->getArg(argument.getArgNo());
  map[function.getArg(first_operand + fields)] =
      llvm::ConstantInt::get(function.getArg(first_operand + fields)->getType(), word);
  llvm::SmallVector<llvm::ReturnInst*, 1> returns;
  llvm::CloneAndPruneFunctionInto(copy, &function, map, /*ModuleLevelChanges=*/false, returns);
  return at->second = stands_alone(*copy) ? copy : nullptr;
}

}  // namespace hipsight::engine
