#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <variant>

#include "hipsight/fields.h"

namespace hipsight {

/// What went wrong. Nothing that hipsight is asked for throws: it gives this instead.
struct Error {
  enum class Kind : std::uint32_t {
    Internal,            ///< a fault of hipsight
    Usage,               ///< an argument that makes no sense
    NotFound,            ///< no such GPU, file, kernel or variable
    BadCode,             ///< a damaged code object, or none for this GPU
    OutOfMemory,         ///< the GPU's, or the host's
    InvalidLaunch,       ///< no GPU would take it: block, grid, LDS, arguments
    UnknownInstruction,  ///< hipsight does not know what it does
    MemoryAccess,        ///< of what the kernel must not touch
    Timeout,             ///< past Gpu::Options::timeout_seconds
    Trap,                ///< the kernel trapped: an assertion, say
    Deadlock,            ///< waves wait for what cannot come
    Incompatible,        ///< the library is older than these headers
  };
  Kind kind = Kind::Internal;
  std::string place;  ///< file, kernel or argument that it is about; empty: none
  std::string text;   ///< the whole message: names thing and place
  HIPSIGHT_FIELDS(kind, place, text)
};

/// A value, or why there is none.
template <class T>
class [[nodiscard]] Expected {
 public:
  Expected(T value) : held_(std::in_place_index<0>, std::move(value)) {}
  Expected(Error error) : held_(std::in_place_index<1>, std::move(error)) {}

  explicit operator bool() const { return held_.index() == 0; }
  /// The value. Ends the program with the error's text when there is none: look first.
  T& operator*() & { return checked(); }
  const T& operator*() const& { return const_cast<Expected*>(this)->checked(); }
  T&& operator*() && { return std::move(checked()); }
  T* operator->() { return &checked(); }
  const T* operator->() const { return &const_cast<Expected*>(this)->checked(); }
  /// The error; only when there is no value.
  const Error& error() const { return *std::get_if<1>(&held_); }

 private:
  T& checked() {
    if (T* value = std::get_if<0>(&held_)) return *value;
    std::fprintf(stderr, "hipsight: %s\n", error().text.c_str());
    std::abort();
  }
  std::variant<T, Error> held_;
};

/// Of what gives nothing but may fail.
using Done = Expected<std::monostate>;

}  // namespace hipsight
