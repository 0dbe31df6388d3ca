#pragma once

#include <exception>
#include <string_view>

#include "runtime/fork.h"
#include "runtime/hip_types.h"
#include "timeline/host_clock.h"

/// A function of the HIP interface: C linkage, exported.
#define HIP_API extern "C" __attribute__((visibility("default")))
/// Another name of an API function of the same file.
#define HIP_API_ALIAS(name, function) \
  extern "C" __attribute__((visibility("default"), alias(#function))) decltype(function) name

namespace hipsight::runtime {

/// Thrown inside the library to return this code from the API function.
struct Failure {
  hipError_t code;
};

[[noreturn]] inline void fail_with(hipError_t code) {
  throw Failure{code};
}
inline void require(bool condition, hipError_t otherwise = hipErrorInvalidValue) {
  if (!condition) throw Failure{otherwise};
}

/// Sets the calling thread's last error and returns it. Up to HIP 6 a success clears the last
/// error; since HIP 7 it stands until it is read.
hipError_t finish(hipError_t result) noexcept;

/// The error code of the exception in flight, which is told to the user where it is not his own.
hipError_t translate_exception() noexcept;

/// Runs the body of an API function. No exception leaves the library.
template <class Body>
hipError_t api(Body&& body) noexcept {
  if (is_forked_child()) {
    complain_of_fork();
    return finish(hipErrorNotInitialized);
  }
  timeline::HostClock::of_thread().spend(timeline::call_cost);
  try {
    return finish(body());
  } catch (...) {
    return finish(translate_exception());
  }
}

/// Prints "hipsight: TEXT" on stderr; each text once in the life of the process, none in a fork.
void complain(std::string_view text) noexcept;

/// What a function without an implementation returns; says so once.
hipError_t unsupported(const char* function) noexcept;

const char* error_name(hipError_t code);
const char* error_text(hipError_t code);

}  // namespace hipsight::runtime
