#include "engine/interpret/table.h"

namespace hipsight::engine {

void Table::add(std::string_view name, Code code) {
  code_.insert_or_assign(std::string(name), code);
}
void Table::add(std::string_view prefix, std::string_view name, Code code) {
  code_.insert_or_assign(std::string(prefix).append(name), code);
}

const Code* Table::find(std::string_view name) const {
  const auto at = code_.find(name);
  return at == code_.end() ? nullptr : &at->second;
}

}  // namespace hipsight::engine
