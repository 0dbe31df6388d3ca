// The values of hipsight/values.h as Python classes: each with its fields, a repr, and to_dict().
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "hipsight/values.h"
#include "hipsight/wire.h"

namespace hipsight::python {

namespace nb = nanobind;

using Sizes = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;
using Amounts = nb::typed<nb::dict, nb::str, nb::float_>;

template <class T>
constexpr bool is_list = false;
template <class T>
constexpr bool is_list<std::vector<T>> = true;
template <class T>
constexpr bool is_optional = false;
template <class T>
constexpr bool is_optional<std::optional<T>> = true;

/// The name of field number `index` in the list that HIPSIGHT_FIELDS keeps.
inline std::string field_name(std::string_view all, std::size_t index) {
  for (; index > 0; --index) all.remove_prefix(all.find(',') + 1);
  all = all.substr(0, all.find(','));
  all.remove_prefix(all.find_first_not_of(' '));
  return std::string(all);
}

/// The same as an attribute: "global" is a word of Python's.
inline std::string attribute_name(std::string_view all, std::size_t index) {
  const std::string name = field_name(all, index);
  return name == "global" ? "global_" : name;
}

/// What Python sees of a field: three sizes are a tuple, amounts a dict, all else is itself.
template <class T>
decltype(auto) seen(const T& field) {
  if constexpr (std::is_same_v<T, Dim3>) {
    return Sizes(field.x, field.y, field.z);
  } else if constexpr (std::is_same_v<T, std::vector<Amount>>) {
    Amounts amounts;
    for (const Amount& amount : field) amounts[amount.of.c_str()] = amount.value;
    return amounts;
  } else {
    return (field);
  }
}

/// The same made of dicts, lists, strings and numbers alone.
template <class T>
nb::object plain(const T& field) {
  if constexpr (std::is_same_v<T, Dim3> || std::is_same_v<T, std::vector<Amount>>) {
    return nb::cast(seen(field));
  } else if constexpr (is_list<T>) {
    nb::list list;
    for (const auto& one : field) list.append(plain(one));
    return std::move(list);
  } else if constexpr (is_optional<T>) {
    return field ? plain(*field) : nb::none();
  } else if constexpr (wire::Struct<T>) {
    nb::dict dict;
    std::size_t index = 0;
    std::apply(
        [&](const auto&... one) {
          ((dict[field_name(T::field_names, index++).c_str()] = plain(one)), ...);
        },
        field.fields());
    return std::move(dict);
  } else if constexpr (std::is_enum_v<T>) {
    return nb::cast(field).attr("name");
  } else {
    return nb::cast(field);
  }
}

/// A repr that stays short where a list is long.
inline std::string short_repr(const nb::object& value) {
  constexpr std::size_t shown = 4;
  if (nb::isinstance<nb::list>(value) && nb::len(value) > shown)
    return "<list of " + std::to_string(nb::len(value)) + ">";
  return nb::cast<std::string>(nb::repr(value));
}

/// The class of a struct. `Whole` may be derived from it.
template <class Whole>
nb::class_<Whole> value_class(nb::module_& module, const char* name, const char* words) {
  nb::class_<Whole> result(module, name, words);
  using Fields = decltype(std::declval<const Whole&>().fields());
  constexpr std::size_t count = std::tuple_size_v<Fields>;
  const auto add = [&]<std::size_t index>(std::integral_constant<std::size_t, index>) {
    result.def_prop_ro(
        attribute_name(Whole::field_names, index).c_str(),
        [](const Whole& value) -> decltype(auto) { return seen(std::get<index>(value.fields())); },
        nb::rv_policy::reference_internal);
  };
  [&]<std::size_t... index>(std::index_sequence<index...>) {
    (add(std::integral_constant<std::size_t, index>()), ...);
  }(std::make_index_sequence<count>());
  result.def("__repr__", [name = std::string(name)](const nb::handle& self) {
    std::string text = name + "(";
    for (std::size_t i = 0; i < count; ++i) {
      const std::string field = attribute_name(Whole::field_names, i);
      text += (i ? ", " : "") + field + "=" + short_repr(nb::getattr(self, field.c_str()));
    }
    return text + ")";
  });
  result.def(
      "to_dict",
      [](const Whole& value) -> nb::typed<nb::dict, nb::str, nb::any> {
        return nb::borrow<nb::typed<nb::dict, nb::str, nb::any>>(plain(value));
      },
      "All of it as dicts, lists, strings and numbers.");
  return result;
}

}  // namespace hipsight::python
