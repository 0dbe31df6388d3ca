#include "services/variables.h"

#include <new>

namespace hipsight::services {

Variables::~Variables() {
  for (const auto& [name, variable] : managed_) memory_->free(variable.address);
}

// In device code a managed variable X is a pointer; X.managed is what it points to at first.
void Variables::make_managed(int device, unsigned flags) {
  constexpr std::string_view suffix = ".managed";
  for (const code::Symbol& initial : code_->object().symbols()) {
    if (!initial.name.ends_with(suffix)) continue;
    const std::string name = initial.name.substr(0, initial.name.size() - suffix.size());
    const auto pointer = find(name);
    if (!pointer || pointer->size < sizeof(void*)) continue;
    void* made = memory_->allocate(initial.size, engine::Memory::Kind::Managed,
                                   "__managed__ " + name, device, flags);
    if (!made) throw std::bad_alloc();
    managed_[name] = {static_cast<std::byte*>(made), initial.size};
    memory_->copy(made, code_->address(initial.address), initial.size);
    memory_->copy(pointer->address, static_cast<void*>(&made), sizeof made);
  }
}

std::optional<Variable> Variables::find(std::string_view name) const {
  if (const auto managed = managed_.find(name); managed != managed_.end()) return managed->second;
  const code::Symbol* symbol = code_->object().find_symbol(name);
  if (!symbol || symbol->function) return std::nullopt;
  return Variable{code_->address(symbol->address), symbol->size};
}

}  // namespace hipsight::services
