#pragma once

#include <new>
#include <string>

namespace hipsight::runtime {

/// hip/hiprtc.h.
enum hiprtcResult {
  HIPRTC_SUCCESS = 0,
  HIPRTC_ERROR_OUT_OF_MEMORY = 1,
  HIPRTC_ERROR_PROGRAM_CREATION_FAILURE = 2,
  HIPRTC_ERROR_INVALID_INPUT = 3,
  HIPRTC_ERROR_INVALID_PROGRAM = 4,
  HIPRTC_ERROR_INVALID_OPTION = 5,
  HIPRTC_ERROR_COMPILATION = 6,
  HIPRTC_ERROR_BUILTIN_OPERATION_FAILURE = 7,
  HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION = 8,
  HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION = 9,
  HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID = 10,
  HIPRTC_ERROR_INTERNAL_ERROR = 11,
  HIPRTC_ERROR_LINKING = 100,
};

/// The GPU that libamdhip64 would emulate.
std::string default_target();

struct RtcFailure {
  hiprtcResult code;
};
inline void check_rtc(bool condition, hiprtcResult otherwise = HIPRTC_ERROR_INVALID_INPUT) {
  if (!condition) throw RtcFailure{otherwise};
}

/// Runs the body of an API function. No exception leaves the library.
template <class Body>
hiprtcResult rtc(Body&& body) noexcept {
  try {
    body();
    return HIPRTC_SUCCESS;
  } catch (const RtcFailure& failure) {
    return failure.code;
  } catch (const std::bad_alloc&) {
    return HIPRTC_ERROR_OUT_OF_MEMORY;
  } catch (...) {
    return HIPRTC_ERROR_INTERNAL_ERROR;
  }
}

}  // namespace hipsight::runtime
