#include "launcher/arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <memory>

#include "code/readable_name.h"
#include "support/error.h"
#include "support/pattern.h"

namespace hipsight::launcher {
namespace {

constexpr std::array<std::string_view, 12> type_names = {"f64", "f32", "f16", "bf16", "i64", "i32",
                                                         "i16", "i8",  "u64", "u32",  "u16", "u8"};

/// The upper half of an f32, rounded to even. (GCC 12's runtime library does not convert __bf16.)
struct BFloat16 {
  std::uint16_t bits = 0;
  BFloat16() = default;
  explicit BFloat16(double value) {
    const auto whole = std::bit_cast<std::uint32_t>(static_cast<float>(value));
    bits = std::isnan(value)
               ? 0x7fc0
               : static_cast<std::uint16_t>((whole + 0x7fff + ((whole >> 16) & 1)) >> 16);
  }
};

/// Calls `function` with a number of the type.
template <class Function>
auto with(Type type, Function function) {
  switch (type) {
    case Type::F64:
      return function(double());
    case Type::F32:
      return function(float());
    case Type::F16:
      return function(_Float16());
    case Type::BF16:
      return function(BFloat16());
    case Type::I64:
      return function(std::int64_t());
    case Type::I32:
      return function(std::int32_t());
    case Type::I16:
      return function(std::int16_t());
    case Type::I8:
      return function(std::int8_t());
    case Type::U64:
      return function(std::uint64_t());
    case Type::U32:
      return function(std::uint32_t());
    case Type::U16:
      return function(std::uint16_t());
    case Type::U8:
      return function(std::uint8_t());
  }
  __builtin_unreachable();
}
template <class T>
constexpr bool is_float = !std::is_integral_v<T>;

constexpr std::string_view form =
    "expected TYPE:NUMBER, bytes:HEX, null, buffer:SIZE, buffer:SIZE:TYPE, buffer:@FILE or same:N";

Type type_of(std::string_view text, std::string_view name) {
  const auto found = std::ranges::find(type_names, name);
  if (found == type_names.end())
    fail("argument '{}': no type '{}'; there are {}; {}", text, name, fmt::join(type_names, ", "),
         form);
  return static_cast<Type>(found - type_names.begin());
}

template <class T>
T number(std::string_view text, std::string_view digits, int base = 10) {
  T value{};
  const char *const begin = std::to_address(digits.begin()), *const end =
                                                                 std::to_address(digits.end());
  std::from_chars_result read{};
  if constexpr (std::is_floating_point_v<T>)
    read = std::from_chars(begin, end, value);
  else
    read = std::from_chars(begin, end, value, base);
  if (digits.empty() || read.ec != std::errc() || read.ptr != end)
    fail("argument '{}': '{}' is no number, or out of the type's range", text, digits);
  return value;
}

std::vector<std::byte> bytes_of(Type type, std::string_view text, std::string_view digits) {
  return with(type, [&]<class T>(T) {
    T value;
    if constexpr (is_float<T>)
      value = static_cast<T>(number<double>(text, digits));
    else
      value = number<T>(text, digits);
    std::vector<std::byte> bytes(sizeof value);
    std::memcpy(bytes.data(), &value, sizeof value);
    return bytes;
  });
}

std::vector<std::byte> from_hex(std::string_view text, std::string_view digits) {
  if (digits.empty() || digits.size() % 2) fail("argument '{}': two digits make a byte", text);
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i < digits.size(); i += 2)
    bytes.push_back(std::byte(number<std::uint8_t>(text, digits.substr(i, 2), 16)));
  return bytes;
}

std::uint64_t size_of(std::string_view text, std::string_view digits) {
  constexpr std::string_view units = "kMG";
  const std::size_t unit = digits.empty() ? units.npos : units.find(digits.back());
  const unsigned shift = unit == units.npos ? 0 : 10 * (static_cast<unsigned>(unit) + 1);
  const auto size = number<std::uint64_t>(text, digits.substr(0, digits.size() - (shift ? 1 : 0)));
  if (size == 0 || size > (1ull << 48) >> shift)
    fail("argument '{}': a buffer has 1 to 2^48 bytes", text);
  return size << shift;
}

Value buffer(std::string_view text, std::string_view rest) {
  Value value;
  value.kind = Value::Kind::Zeros;
  if (rest.starts_with('@')) {
    value.kind = Value::Kind::File;
    value.file = rest.substr(1);
    if (value.file.empty()) fail("argument '{}': which file? {}", text, form);
    return value;
  }
  const std::size_t colon = rest.find(':');
  value.size = size_of(text, rest.substr(0, colon));
  if (colon == rest.npos) return value;
  value.kind = Value::Kind::Filled;
  value.type = type_of(text, rest.substr(colon + 1));
  return value;
}

/// SplitMix64 (Steele, Lea and Flood, 2014): numbers that can be had in any order.
std::uint64_t drawn(std::uint64_t seed) {
  std::uint64_t x = seed * 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

std::string described(const code::Argument& argument) {
  const std::string name = argument.name.empty() ? "" : " '" + argument.name + "'";
  if (argument.value_kind == "by_value") return fmt::format("{} bytes{}", argument.size, name);
  if (argument.value_kind == "global_buffer") return "a buffer" + name;
  return fmt::format("{}{}", argument.value_kind, name);
}

}  // namespace

Value parse(std::string_view text) {
  const auto by_value = [](std::vector<std::byte> bytes) {
    Value value;
    value.bytes = std::move(bytes);
    return value;
  };
  if (text == "null") return by_value(std::vector<std::byte>(8));
  const std::size_t colon = text.find(':');
  if (colon == text.npos) fail("argument '{}': {}", text, form);
  const std::string_view kind = text.substr(0, colon), rest = text.substr(colon + 1);
  if (kind == "buffer") return buffer(text, rest);
  if (kind == "bytes") return by_value(from_hex(text, rest));
  if (kind == "same") {
    const auto number_of = number<std::size_t>(text, rest);
    if (number_of == 0) fail("argument '{}': arguments are counted from 1", text);
    Value value;
    value.kind = Value::Kind::Same;
    value.same = number_of - 1;
    return value;
  }
  return by_value(bytes_of(type_of(text, kind), text, rest));
}

void fill(std::span<std::byte> memory, Type type, std::uint64_t begin, std::uint64_t seed) {
  with(type, [&]<class T>(T) {
    for (std::size_t i = 0; i + sizeof(T) <= memory.size(); i += sizeof(T)) {
      const std::uint64_t element = (begin + i) / sizeof(T);
      T value;
      if constexpr (is_float<T>)
        value = static_cast<T>(double(drawn((seed << 48) + element) >> 11) * 0x1p-52 - 1);
      else
        value = static_cast<T>(element);
      std::memcpy(memory.data() + i, &value, sizeof value);
    }
  });
}

std::vector<code::Argument> explicit_arguments(const code::Kernel& kernel) {
  std::vector<code::Argument> arguments = kernel.arguments;
  std::erase_if(arguments, [](const auto& argument) { return argument.is_hidden(); });
  return arguments;
}

void check(const code::Kernel& kernel, std::span<const Value> values) {
  const std::vector<code::Argument> arguments = explicit_arguments(kernel);
  const auto wrong = [&](const std::string& what) {
    std::string all;
    for (std::size_t i = 0; i < arguments.size(); ++i)
      all += fmt::format("\n  argument {}: {}", i + 1, described(arguments[i]));
    fail("{}; {} takes{}", what, code::readable_name(kernel.name),
         all.empty() ? " no arguments" : ":" + all);
  };
  if (values.size() != arguments.size())
    wrong(fmt::format("{} arguments are given (--arg), not {}", values.size(), arguments.size()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Value& value = values[i];
    const bool buffer = arguments[i].value_kind == "global_buffer";
    if (!buffer && arguments[i].value_kind != "by_value")
      wrong(fmt::format("argument {} cannot be given from here", i + 1));
    const std::size_t size = value.is_address() ? 8 : value.bytes.size();
    if (size != arguments[i].size)
      wrong(fmt::format("argument {} is given with {} bytes", i + 1, size));
    if (value.kind == Value::Kind::Same && (value.same >= i || !values[value.same].is_address()))
      wrong(
          fmt::format("argument {} is to be the same as argument {}, which is no buffer before "
                      "it",
                      i + 1, value.same + 1));
  }
}

const code::Kernel& choose(const code::CodeObject& code, const std::string& regex) {
  std::vector<const code::Kernel*> fitting;
  for (const code::Kernel& kernel : code.kernels())
    if (kernel.name == regex || code::readable_name(kernel.name).starts_with(regex + "("))
      fitting.push_back(&kernel);
  if (fitting.size() == 1) return *fitting.front();
  fitting.clear();
  std::vector<std::string> names;
  const Pattern pattern(regex);
  for (const code::Kernel& kernel : code.kernels())
    if (pattern.is_in(code::readable_name(kernel.name))) fitting.push_back(&kernel);
  if (fitting.size() == 1) return *fitting.front();
  const bool none = fitting.empty();
  if (none)
    for (const code::Kernel& kernel : code.kernels()) fitting.push_back(&kernel);
  constexpr std::size_t shown = 20;
  for (const code::Kernel* kernel : fitting)
    if (names.size() < shown) names.push_back("\n  " + code::readable_name(kernel->name));
  if (fitting.size() > shown)
    names.push_back(fmt::format("\n  and {} more", fitting.size() - shown));
  fail("{}: {} (--kernel REGEX){}{}", code.origin(),
       none ? fmt::format("no kernel is called '{}'", regex) : "which kernel?",
       fitting.empty() ? "; there are none" : ":", fmt::join(names, ""));
}

}  // namespace hipsight::launcher
