#include <array>
#include <map>

#include "isa/entries/all.h"
#include "isa/entry.h"

namespace hipsight::isa {

const Shape* find_shape(std::string_view name) {
  static const auto table = [] {
    std::map<std::string_view, Shape> all;
    shapes::for_each_group([&](const auto& group) {
      const auto shapes =
          group.apply([](const auto&... entry) { return std::array{entry.shape()...}; });
      for (const Shape& shape : shapes) all.emplace(shape.name, shape);
    });
    return all;
  }();
  const auto at = table.find(name);
  return at == table.end() ? nullptr : &at->second;
}

}  // namespace hipsight::isa
