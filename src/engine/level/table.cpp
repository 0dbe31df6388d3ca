#include "engine/level/table.h"

namespace hipsight::engine {

void Table::add(std::string_view name, Code code) {
  code_[name] = code;
}

const Code* Table::find(std::string_view name) const {
  const auto at = code_.find(name);
  return at == code_.end() ? nullptr : &at->second;
}

}  // namespace hipsight::engine
