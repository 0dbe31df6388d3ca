#include "services/device_printf.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string_view>

namespace hipsight::services {
namespace {

/// The words of a message that have not been read yet.
class Words {
 public:
  explicit Words(std::span<const std::uint64_t> words) : rest_(words) {}

  std::optional<std::uint64_t> word() {
    if (rest_.empty()) return std::nullopt;
    const std::uint64_t word = rest_.front();
    rest_ = rest_.subspan(1);
    return word;
  }

  /// Up to its zero, or to the message's end.
  std::optional<std::string_view> string() {
    if (rest_.empty()) return std::nullopt;
    const auto* text = reinterpret_cast<const char*>(rest_.data());
    const std::size_t length = strnlen(text, rest_.size_bytes());
    rest_ = rest_.subspan(std::min(rest_.size(), length / sizeof(std::uint64_t) + 1));
    return std::string_view(text, length);
  }

 private:
  std::span<const std::uint64_t> rest_;
};

/// A conversion of a format string: %[flags][width][.precision][length]type.
struct Conversion {
  std::string flags;
  int width = 0, precision = -1;  ///< -1: none
  std::string length;
  char type = 0;
};

template <class Value>
void print(std::string& to, const Conversion& c, const char* length, Value value) {
  std::string format = "%" + c.flags + "*";
  if (c.precision >= 0) format += ".*";
  format += length;
  format += c.type;
  const auto write = [&](char* buffer, std::size_t size) {
    return c.precision >= 0
               ? std::snprintf(buffer, size, format.c_str(), c.width, c.precision, value)
               : std::snprintf(buffer, size, format.c_str(), c.width, value);
  };
  const int size = write(nullptr, 0);
  if (size <= 0) return;
  const std::size_t before = to.size();
  to.resize(before + static_cast<std::size_t>(size) + 1);
  write(to.data() + before, static_cast<std::size_t>(size) + 1);
  to.pop_back();
}

/// An integer of the length that the conversion says: the device sends all in 64 bits.
long long as_signed(std::uint64_t word, std::string_view length) {
  if (length == "hh") return static_cast<signed char>(word);
  if (length == "h") return static_cast<short>(word);
  if (length.empty()) return static_cast<int>(word);
  return static_cast<long long>(word);
}
unsigned long long as_unsigned(std::uint64_t word, std::string_view length) {
  if (length == "hh") return static_cast<unsigned char>(word);
  if (length == "h") return static_cast<unsigned short>(word);
  if (length.empty()) return static_cast<unsigned>(word);
  return word;
}

class Formatter {
 public:
  explicit Formatter(std::span<const std::uint64_t> message) : words_(message) {}

  std::string run() {
    format_ = words_.string().value_or("");
    while (!format_.empty()) {
      const std::size_t literal = std::min(format_.find('%'), format_.size());
      text_ += format_.substr(0, literal);
      format_.remove_prefix(literal);
      if (format_.empty() || !convert()) break;
    }
    return std::move(text_);
  }

 private:
  std::string take_any_of(std::string_view characters) {
    const std::size_t count = std::min(format_.find_first_not_of(characters), format_.size());
    const std::string taken(format_.substr(0, count));
    format_.remove_prefix(count);
    return taken;
  }

  /// A width or precision: digits, or '*' for an argument. Nothing when the argument is not there.
  std::optional<int> number() {
    constexpr int most = 1 << 20;  // what nobody means should not cost gigabytes
    if (format_.starts_with('*')) {
      format_.remove_prefix(1);
      const auto word = words_.word();
      if (!word) return std::nullopt;
      return std::clamp(static_cast<int>(*word), -most, most);
    }
    int value = 0;
    for (const char digit : take_any_of("0123456789"))
      value = std::min(most, 10 * value + (digit - '0'));
    return value;
  }

  /// One conversion; false when there is no argument for it.
  bool convert() {
    const std::string_view whole = format_;
    format_.remove_prefix(1);
    Conversion c;
    c.flags = take_any_of("-+ #0'");
    const auto width = number();
    if (!width) return false;
    c.width = *width;
    if (format_.starts_with('.')) {
      format_.remove_prefix(1);
      const auto precision = number();
      if (!precision) return false;
      c.precision = *precision;
    }
    c.length = take_any_of("hlqjztL");
    if (!format_.empty()) {
      c.type = format_.front();
      format_.remove_prefix(1);
    }
    if (c.type == '%') {
      text_ += '%';
      return true;
    }
    if (c.type == 0 || !std::strchr("diouxXcfFeEgGaAspn", c.type)) {  // as it stands
      text_ += whole.substr(0, whole.size() - format_.size());
      return true;
    }
    return argument(c);
  }

  bool argument(const Conversion& c) {
    if (c.type == 's') {
      const auto string = words_.string();
      if (string) print(text_, c, "", std::string(*string).c_str());
      return string.has_value();
    }
    const auto word = words_.word();
    if (!word) return false;
    switch (c.type) {
      case 'n':
        break;
      case 'd':
      case 'i':
        print(text_, c, "ll", as_signed(*word, c.length));
        break;
      case 'c':
        print(text_, c, "", static_cast<int>(*word));
        break;
      case 'p':
        print(text_, c, "", reinterpret_cast<void*>(*word));
        break;
      case 'o':
      case 'u':
      case 'x':
      case 'X':
        print(text_, c, "ll", as_unsigned(*word, c.length));
        break;
      default:
        print(text_, c, "", std::bit_cast<double>(*word));
    }
    return true;
  }

  Words words_;
  std::string_view format_;
  std::string text_;
};

}  // namespace

std::string format_printf(std::span<const std::uint64_t> message) {
  return Formatter(message).run();
}

}  // namespace hipsight::services
