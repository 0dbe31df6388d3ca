#pragma once

namespace llvm {
class Function;
}

namespace hipsight::engine {

/// Has vectors of 64-bit values that fill several host registers of `host_bits` made from words,
/// and parted into words, by permuting whole registers: to extend and to truncate takes the host
/// two to three times as many steps.
void permute_words(llvm::Function& function, unsigned host_bits);

}  // namespace hipsight::engine
