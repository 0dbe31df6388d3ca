#pragma once

#include <llvm/IR/IRBuilder.h>

namespace hipsight::engine {

/// What an instruction that joins two words makes, or adds to: 64-bit values, where they are to be
/// had without joining them. Null: that is not so, or it is another instruction.
llvm::Value* joined_words(llvm::IRBuilder<>& build, llvm::Instruction& i);

/// Has vectors of 64-bit values that fill several host registers of `host_bits` made from words,
/// and parted into words, by permuting whole registers: to extend and to truncate takes the host
/// two to three times as many steps.
void permute_words(llvm::Function& function, unsigned host_bits);

}  // namespace hipsight::engine
