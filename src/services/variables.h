#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "engine/engine.h"

namespace hipsight::services {

/// A device variable's memory.
struct Variable {
  std::byte* address = nullptr;
  std::size_t size = 0;
};

/// The variables of a loaded code object.
class Variables {
 public:
  /// `code` and `memory` must outlive this.
  Variables(const engine::Module& code, engine::Memory& memory) : code_(&code), memory_(&memory) {}
  ~Variables();
  Variables(const Variables&) = delete;
  Variables& operator=(const Variables&) = delete;

  /// Gives managed variables memory. @throws std::bad_alloc.
  void make_managed(int device = 0, unsigned flags = 0);
  std::optional<Variable> find(std::string_view name) const;
  bool is_managed(std::string_view name) const { return managed_.contains(name); }

 private:
  const engine::Module* code_;
  engine::Memory* memory_;
  std::map<std::string, Variable, std::less<>> managed_;
};

}  // namespace hipsight::services
