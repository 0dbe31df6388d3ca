#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string_view>
#include <utility>

namespace llvm {
class Function;
class LLVMContext;
class Module;
}  // namespace llvm

namespace hipsight::engine {

struct Op;

/// The meanings of entries as LLVM functions (meanings.cpp), for slices of 8, 16 or 32 lanes:
///   void (low*, high*, bit*, lane numbers, first registers..., second registers...)
/// in which calls of hipsight_rare, in the first block, mark lanes that the function does not
/// serve. Scalar entries are
///   void (result*, SCC*, operands...)
/// with 64-bit results and words or double words as operands. Loads go by the names "LDS n ..." and
/// "GLOBAL n", of n dwords.
class Library {
 public:
  /// Of 8 or 16 lanes, or two of the host's registers.
  Library(llvm::LLVMContext& context, unsigned register_lanes, unsigned slice_lanes);
  ~Library();

  /// The function of an entry or a load; null when it has none that can be copied elsewhere.
  const llvm::Function* find(std::string_view entry) const;
  /// That of an op's entry; where the encoding gives it a word, for this word.
  const llvm::Function* find(const Op& op) const;
  unsigned slice_lanes() const { return slice_lanes_; }

 private:
  unsigned slice_lanes_;
  std::unique_ptr<llvm::Module> module_;
  std::map<std::string_view, llvm::Function*> functions_;
  mutable std::map<std::pair<std::string_view, std::uint32_t>, const llvm::Function*> for_words_;
};

}  // namespace hipsight::engine
