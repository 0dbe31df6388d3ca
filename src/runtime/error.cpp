#include "runtime/error.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <new>
#include <set>
#include <string>

#include "engine/engine.h"
#include "runtime/abi.h"
#include "runtime/state.h"
#include "support/error.h"
#include "support/printable.h"

namespace hipsight::runtime {
namespace {

thread_local hipError_t last_error = hipSuccess;          // what hipGetLastError reads
thread_local hipError_t last_command_error = hipSuccess;  // of the latest call: hipExtGetLastError

struct ErrorText {
  hipError_t code;
  const char* name;
  const char* text;
};

#define HIP_ERROR(name, text) \
  ErrorText {                 \
    name, #name, text         \
  }
// The texts are those of HIP: programs print them and test suites compare them.
constexpr std::array error_texts{
    HIP_ERROR(hipSuccess, "no error"),
    HIP_ERROR(hipErrorInvalidValue, "invalid argument"),
    HIP_ERROR(hipErrorOutOfMemory, "out of memory"),
    HIP_ERROR(hipErrorNotInitialized, "initialization error"),
    HIP_ERROR(hipErrorDeinitialized, "driver shutting down"),
    HIP_ERROR(hipErrorProfilerDisabled, "profiler disabled while using external profiling tool"),
    HIP_ERROR(hipErrorProfilerNotInitialized, "profiler is not initialized"),
    HIP_ERROR(hipErrorProfilerAlreadyStarted, "profiler already started"),
    HIP_ERROR(hipErrorProfilerAlreadyStopped, "profiler already stopped"),
    HIP_ERROR(hipErrorInvalidConfiguration, "invalid configuration argument"),
    HIP_ERROR(hipErrorInvalidPitchValue, "invalid pitch argument"),
    HIP_ERROR(hipErrorInvalidSymbol, "invalid device symbol"),
    HIP_ERROR(hipErrorInvalidDevicePointer, "invalid device pointer"),
    HIP_ERROR(hipErrorInvalidMemcpyDirection, "invalid copy direction for memcpy"),
    HIP_ERROR(hipErrorInsufficientDriver, "driver version is insufficient for runtime version"),
    HIP_ERROR(hipErrorMissingConfiguration, "__global__ function call is not configured"),
    HIP_ERROR(hipErrorPriorLaunchFailure, "unspecified launch failure in prior launch"),
    HIP_ERROR(hipErrorInvalidDeviceFunction, "invalid device function"),
    HIP_ERROR(hipErrorNoDevice, "no ROCm-capable device is detected"),
    HIP_ERROR(hipErrorInvalidDevice, "invalid device ordinal"),
    HIP_ERROR(hipErrorInvalidImage, "device kernel image is invalid"),
    HIP_ERROR(hipErrorInvalidContext, "invalid device context"),
    HIP_ERROR(hipErrorContextAlreadyCurrent, "context is already current context"),
    HIP_ERROR(hipErrorMapFailed, "mapping of buffer object failed"),
    HIP_ERROR(hipErrorUnmapFailed, "unmapping of buffer object failed"),
    HIP_ERROR(hipErrorArrayIsMapped, "array is mapped"),
    HIP_ERROR(hipErrorAlreadyMapped, "resource already mapped"),
    HIP_ERROR(hipErrorNoBinaryForGpu, "no kernel image is available for execution on the device"),
    HIP_ERROR(hipErrorAlreadyAcquired, "resource already acquired"),
    HIP_ERROR(hipErrorNotMapped, "resource not mapped"),
    HIP_ERROR(hipErrorNotMappedAsArray, "resource not mapped as array"),
    HIP_ERROR(hipErrorNotMappedAsPointer, "resource not mapped as pointer"),
    HIP_ERROR(hipErrorECCNotCorrectable, "uncorrectable ECC error encountered"),
    HIP_ERROR(hipErrorUnsupportedLimit, "limit is not supported on this architecture"),
    HIP_ERROR(hipErrorContextAlreadyInUse,
              "exclusive-thread device already in use by a different thread"),
    HIP_ERROR(hipErrorPeerAccessUnsupported,
              "peer access is not supported between these two devices"),
    HIP_ERROR(hipErrorInvalidKernelFile, "invalid kernel file"),
    HIP_ERROR(hipErrorInvalidGraphicsContext, "invalid OpenGL or DirectX context"),
    HIP_ERROR(hipErrorInvalidSource, "device kernel image is invalid"),
    HIP_ERROR(hipErrorFileNotFound, "file not found"),
    HIP_ERROR(hipErrorSharedObjectSymbolNotFound, "shared object symbol not found"),
    HIP_ERROR(hipErrorSharedObjectInitFailed, "shared object initialization failed"),
    HIP_ERROR(hipErrorOperatingSystem, "OS call failed or operation not supported on this OS"),
    HIP_ERROR(hipErrorInvalidHandle, "invalid resource handle"),
    HIP_ERROR(hipErrorIllegalState, "the operation cannot be performed in the present state"),
    HIP_ERROR(hipErrorNotFound, "named symbol not found"),
    HIP_ERROR(hipErrorNotReady, "device not ready"),
    HIP_ERROR(hipErrorIllegalAddress, "an illegal memory access was encountered"),
    HIP_ERROR(hipErrorLaunchOutOfResources, "too many resources requested for launch"),
    HIP_ERROR(hipErrorLaunchTimeOut, "the launch timed out and was terminated"),
    HIP_ERROR(hipErrorPeerAccessAlreadyEnabled, "peer access is already enabled"),
    HIP_ERROR(hipErrorPeerAccessNotEnabled, "peer access has not been enabled"),
    HIP_ERROR(hipErrorSetOnActiveProcess, "cannot set while device is active in this process"),
    HIP_ERROR(hipErrorContextIsDestroyed, "context is destroyed"),
    HIP_ERROR(hipErrorAssert, "device-side assert triggered"),
    HIP_ERROR(hipErrorHostMemoryAlreadyRegistered,
              "part or all of the requested memory range is already mapped"),
    HIP_ERROR(hipErrorHostMemoryNotRegistered,
              "pointer does not correspond to a registered memory region"),
    HIP_ERROR(hipErrorLaunchFailure, "unspecified launch failure"),
    HIP_ERROR(hipErrorCooperativeLaunchTooLarge, "too many blocks in cooperative launch"),
    HIP_ERROR(hipErrorNotSupported, "operation not supported"),
    HIP_ERROR(hipErrorStreamCaptureUnsupported, "operation not permitted when stream is capturing"),
    HIP_ERROR(hipErrorStreamCaptureInvalidated,
              "operation failed due to a previous error during capture"),
    HIP_ERROR(hipErrorStreamCaptureMerge,
              "operation would result in a merge of separate capture sequences"),
    HIP_ERROR(hipErrorStreamCaptureUnmatched,
              "capture was not ended in the same stream as it began"),
    HIP_ERROR(hipErrorStreamCaptureUnjoined, "capturing stream has unjoined work"),
    HIP_ERROR(hipErrorStreamCaptureIsolation,
              "dependency created on uncaptured work in another stream"),
    HIP_ERROR(hipErrorStreamCaptureImplicit,
              "operation would make the legacy stream depend on a capturing blocking stream"),
    HIP_ERROR(hipErrorCapturedEvent,
              "operation not permitted on an event last recorded in a capturing stream"),
    HIP_ERROR(hipErrorStreamCaptureWrongThread,
              "attempt to terminate a thread-local capture sequence from another thread"),
    HIP_ERROR(hipErrorGraphExecUpdateFailure,
              "the graph update was not performed because it included changes which violated "
              "constraints specific to instantiated graph update"),
    HIP_ERROR(hipErrorInvalidChannelDescriptor, "invalid channel descriptor"),
    HIP_ERROR(hipErrorInvalidTexture, "invalid texture"),
    HIP_ERROR(hipErrorUnknown, "unknown error"),
    HIP_ERROR(hipErrorRuntimeMemory, "runtime memory call returned error"),
    HIP_ERROR(hipErrorRuntimeOther, "runtime call other than memory returned error"),
    HIP_ERROR(hipErrorTbd, "unknown error"),
};
#undef HIP_ERROR

const ErrorText& find_text(hipError_t code) {
  const auto found = std::ranges::find(error_texts, code, &ErrorText::code);
  return found != error_texts.end() ? *found : find_text(hipErrorUnknown);
}

}  // namespace

const char* error_name(hipError_t code) {
  return find_text(code).name;
}
const char* error_text(hipError_t code) {
  return find_text(code).text;
}

hipError_t finish(hipError_t result) noexcept {
  last_command_error = result;
  if (abi_version() < 7 || (result != hipSuccess && result != hipErrorNotReady))
    last_error = result;
  return result;
}

hipError_t translate_exception() noexcept {
  try {
    throw;
  } catch (const Failure& failure) {
    return failure.code;
  } catch (const engine::KernelError& error) {
    complain(error.what());
    const hipError_t code = code_of(error.kind);
    set_device_fault(code);
    return code;
  } catch (const std::bad_alloc&) {
    return hipErrorOutOfMemory;
  } catch (const std::exception& error) {
    complain(error.what());
    return hipErrorUnknown;
  } catch (...) {
    return hipErrorUnknown;
  }
}

void complain(std::string_view text) noexcept try {
  if (is_forked_child()) return;
  static auto& mutex = *new std::mutex;
  static auto& said = *new std::set<std::string, std::less<>>;
  const std::lock_guard lock(mutex);
  constexpr std::size_t most = 1000;  // a program that errs in a loop
  if (said.size() > most || said.contains(text)) return;
  if (said.size() == most) text = "there are more messages; they are left out";
  said.emplace(text);
  // One write: lines of several threads, and of the program itself, do not mix.
  const std::string line =
      fmt::format("hipsight: {}{}", printable(text, true), text.ends_with('\n') ? "" : "\n");
  for (std::size_t done = 0; done < line.size();) {
    const ssize_t written = write(STDERR_FILENO, line.data() + done, line.size() - done);
    if (written <= 0) break;
    done += static_cast<std::size_t>(written);
  }
} catch (...) {
  return;  // no memory to say it with
}

hipError_t unsupported(const char* function) noexcept {
  complain(std::string(function) + " is not supported");
  return finish(hipErrorNotSupported);
}

HIP_API const char* hipGetErrorName(hipError_t code) {
  return error_name(code);
}
HIP_API const char* hipGetErrorString(hipError_t code) {
  return error_text(code);
}

HIP_API hipError_t hipDrvGetErrorName(hipError_t code, const char** name) {
  if (!name) return hipErrorInvalidValue;
  *name = error_name(code);
  return find_text(code).code == code ? hipSuccess : hipErrorInvalidValue;
}

HIP_API hipError_t hipDrvGetErrorString(hipError_t code, const char** text) {
  if (!text) return hipErrorInvalidValue;
  *text = error_text(code);
  return find_text(code).code == code ? hipSuccess : hipErrorInvalidValue;
}

// A kernel error has spoilt the device: it is reported until hipDeviceReset.
HIP_API hipError_t hipPeekAtLastError() {
  return last_error != hipSuccess ? last_error : device_fault();
}

HIP_API hipError_t hipGetLastError() {
  const hipError_t error = hipPeekAtLastError();
  last_error = hipSuccess;
  return error;
}

HIP_API hipError_t hipExtGetLastError() {
  const hipError_t error = last_command_error;
  last_command_error = hipSuccess;
  return error;
}

}  // namespace hipsight::runtime
