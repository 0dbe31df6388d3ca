#pragma once

#include <string>
#include <variant>

#include "hipsight/abi.h"
#include "hipsight/expected.h"
#include "hipsight/wire.h"

namespace hipsight::api {

/// An error on its way to the border.
struct Failure {
  Error error;
};
[[noreturn]] inline void fail(Error::Kind kind, std::string place, std::string text) {
  throw Failure{{kind, std::move(place), std::move(text)}};
}

HipsightAnswer answer(bool failed, const wire::Writer& writer) noexcept;
/// The answer to whatever is in flight: all that hipsight throws becomes an Error.
/// `kind`: of an Exception, which does not say.
HipsightAnswer answer_of_exception(Error::Kind kind, const std::string& place) noexcept;

/// Runs what a call asks for; its value, or what it throws, is the answer.
template <class Work>
HipsightAnswer answer_to(Error::Kind kind, const std::string& place, Work&& work) noexcept {
  try {
    wire::Writer writer;
    if constexpr (std::is_void_v<decltype(work())>)
      work();
    else
      writer.put(work());
    return answer(false, writer);
  } catch (...) {
    return answer_of_exception(kind, place);
  }
}

}  // namespace hipsight::api
