#include "engine/translate/library.h"

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <span>

#include "support/error.h"

// The bitcode, from the build (CMakeLists.txt).
extern "C" {
extern const char hipsight_meanings_8_begin[], hipsight_meanings_8_end[];
extern const char hipsight_meanings_16_begin[], hipsight_meanings_16_end[];
}

namespace hipsight::engine {
namespace {

llvm::StringRef bitcode(unsigned slice_lanes) {
  const char* begin = slice_lanes == 8 ? hipsight_meanings_8_begin : hipsight_meanings_16_begin;
  const char* end = slice_lanes == 8 ? hipsight_meanings_8_end : hipsight_meanings_16_end;
  return {begin, static_cast<std::size_t>(end - begin)};
}

/// Whether nothing but instructions would have to be copied, and all paths come by all marks.
bool stands_alone(llvm::Function& function) {
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

Library::Library(llvm::LLVMContext& context, unsigned slice_lanes) : slice_lanes_(slice_lanes) {
  auto module =
      llvm::getLazyBitcodeModule(llvm::MemoryBufferRef(bitcode(slice_lanes), "meanings"), context);
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

}  // namespace hipsight::engine
