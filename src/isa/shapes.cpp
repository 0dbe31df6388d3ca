#include <map>

#include "isa/entries/all.h"
#include "isa/entry.h"

namespace hipsight::isa {

const Shape* find_shape(std::string_view name) {
  static const auto table = [] {
    std::map<std::string_view, Shape> all;
    shapes::for_each_group([&](const auto& group) {
      std::apply([&](const auto&... entry) { (all.emplace(entry.name, entry.shape()), ...); },
                 group);
    });
    // The engine executes these itself; their operands are fetched like an entry's.
    for (const char* name : {"V_MBCNT_LO_U32_B32", "V_MBCNT_HI_U32_B32"})
      all.emplace(name, Shape{.name = name,
                              .result = Type::U32,
                              .operands = 2,
                              .operand = {Type::U32, Type::U32}});
    return all;
  }();
  const auto at = table.find(name);
  return at == table.end() ? nullptr : &at->second;
}

}  // namespace hipsight::isa
