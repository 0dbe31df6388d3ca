#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

/// How values cross the border of the library: as bytes. So the program and the library may have
/// two C++ libraries, and two versions of these headers.
///
/// Numbers and enums as they lie in memory; a string or a vector after its length; an optional
/// after a byte; a struct after the number of its bytes, so that a reader which knows fewer fields
/// skips the rest, and one which knows more leaves them as they are.
namespace hipsight::wire {

template <class T>
concept Struct = requires(T value) { value.fields(); };

class Writer {
 public:
  template <class T>
  void put(const T& value) {
    if constexpr (Struct<T>) {
      const std::size_t begin = bytes_.size();
      put(std::uint64_t{0});
      std::apply([this](const auto&... field) { (this->put(field), ...); }, value.fields());
      const std::uint64_t size = bytes_.size() - begin - sizeof size;
      std::memcpy(bytes_.data() + begin, &size, sizeof size);
    } else {
      static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>);
      const auto* first = reinterpret_cast<const std::byte*>(&value);
      bytes_.insert(bytes_.end(), first, first + sizeof value);
    }
  }
  void put(const std::string& text) {
    put(std::uint64_t{text.size()});
    const auto* first = reinterpret_cast<const std::byte*>(text.data());
    bytes_.insert(bytes_.end(), first, first + text.size());
  }
  template <class T>
  void put(const std::vector<T>& list) {
    put(std::uint64_t{list.size()});
    for (const T& one : list) put(one);
  }
  template <class T>
  void put(const std::optional<T>& value) {
    put(value.has_value());
    if (value) put(*value);
  }

  const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <class T>
  void get(T& value) {
    if constexpr (Struct<T>) {
      std::uint64_t size = 0;
      get(size);
      Reader inside(take(size));
      std::apply([&](auto&... field) { (inside.get_if_there(field), ...); }, value.fields());
      whole_ = whole_ && inside.whole_;
    } else {
      const auto from = take(sizeof value);
      if (from.size() == sizeof value) std::memcpy(&value, from.data(), sizeof value);
    }
  }
  void get(std::string& text) {
    std::uint64_t size = 0;
    get(size);
    const auto from = take(size);
    text.assign(reinterpret_cast<const char*>(from.data()), from.size());
  }
  template <class T>
  void get(std::vector<T>& list) {
    std::uint64_t count = 0;
    get(count);
    list.clear();
    for (std::uint64_t i = 0; i < count && whole_; ++i) get(list.emplace_back());
  }
  template <class T>
  void get(std::optional<T>& value) {
    std::uint8_t there = 0;
    get(there);
    value.reset();
    if (there == 1) get(value.emplace());
  }

  /// Whether all that was asked for was there.
  bool whole() const { return whole_; }

 private:
  /// A field that the writer may not have known.
  template <class T>
  void get_if_there(T& field) {
    if (!bytes_.empty()) get(field);
  }
  std::span<const std::byte> take(std::uint64_t size) {
    if (size > bytes_.size()) {
      whole_ = false;
      bytes_ = {};
      return {};
    }
    const auto taken = bytes_.first(size);
    bytes_ = bytes_.subspan(size);
    return taken;
  }

  std::span<const std::byte> bytes_;
  bool whole_ = true;
};

}  // namespace hipsight::wire
