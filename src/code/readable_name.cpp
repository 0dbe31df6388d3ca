#include "code/readable_name.h"

#include <llvm/Demangle/ItaniumDemangle.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <string_view>
#include <utility>
#include <vector>

namespace hipsight::code {
namespace {

namespace demangle = llvm::itanium_demangle;

// The longest readable names that were seen (rocPRIM, Composable Kernel) have some ten thousand
// letters and a depth of some ten.
constexpr unsigned kDeepest = 500;
constexpr std::size_t kLongest = std::size_t{1} << 20;

struct TooMuch {};

/// Counts how deep calls are nested.
class Depth {
 public:
  explicit Depth(unsigned& depth) : depth_(depth) {
    if (depth_ == kDeepest) throw TooMuch();
    ++depth_;
  }
  ~Depth() { --depth_; }
  Depth(const Depth&) = delete;
  Depth& operator=(const Depth&) = delete;

 private:
  unsigned& depth_;
};

/// Memory of a parsed name's nodes, which are never destroyed.
class Nodes {
 public:
  void reset() { pieces_.clear(); }
  template <class Node, class... Arguments>
  Node* makeNode(Arguments&&... arguments) {
    return new (take(sizeof(Node))) Node(std::forward<Arguments>(arguments)...);
  }
  void* allocateNodeArray(std::size_t count) { return take(count * sizeof(demangle::Node*)); }

 private:
  void* take(std::size_t bytes) {
    constexpr std::size_t step = alignof(std::max_align_t), piece = 1 << 12;
    bytes = (bytes + step - 1) / step * step;
    if (pieces_.empty() || left_ < bytes) {
      left_ = std::max(bytes, piece);
      pieces_.push_back(std::make_unique<std::byte[]>(left_));
      next_ = pieces_.back().get();
    }
    left_ -= bytes;
    return std::exchange(next_, next_ + bytes);
  }
  std::vector<std::unique_ptr<std::byte[]>> pieces_;
  std::byte* next_ = nullptr;
  std::size_t left_ = 0;
};

/// LLVM's parser, which calls itself for what is nested, through the most derived class.
// NOLINTBEGIN(bugprone-derived-method-shadowing-base-method)
struct Parser : demangle::AbstractManglingParser<Parser, Nodes> {
  using Base = demangle::AbstractManglingParser<Parser, Nodes>;
  using Base::Base;
  demangle::Node* parseType() {
    const Depth one(depth);
    return Base::parseType();
  }
  demangle::Node* parseExpr() {
    const Depth one(depth);
    return Base::parseExpr();
  }
  demangle::Node* parseTemplateArg() {
    const Depth one(depth);
    return Base::parseTemplateArg();
  }
  demangle::Node* parseEncoding(bool parameters = true) {
    const Depth one(depth);
    return Base::parseEncoding(parameters);
  }
  demangle::Node* parseName(NameState* state = nullptr) {
    const Depth one(depth);
    return Base::parseName(state);
  }
  unsigned depth = 0;
};
// NOLINTEND(bugprone-derived-method-shadowing-base-method)

struct Text : demangle::OutputBuffer {
  ~Text() override { std::free(getBuffer()); }
  void printLeft(const demangle::Node& node) override {
    const Depth one(depth);
    OutputBuffer::printLeft(node);
    if (getCurrentPosition() > kLongest) throw TooMuch();
  }
  void printRight(const demangle::Node& node) override {
    const Depth one(depth);
    OutputBuffer::printRight(node);
    if (getCurrentPosition() > kLongest) throw TooMuch();
  }
  unsigned depth = 0;
};

}  // namespace

std::string readable_name(const std::string& symbol) {
  if (!symbol.starts_with("_Z") || symbol.size() > kLongest) return symbol;
  try {
    Parser parser(symbol.data(), symbol.data() + symbol.size());
    const demangle::Node* const name = parser.parse();
    if (!name) return symbol;
    Text text;
    name->print(text);
    return std::string(std::string_view(text));
  } catch (const TooMuch&) {
    return symbol;
  }
}

}  // namespace hipsight::code
