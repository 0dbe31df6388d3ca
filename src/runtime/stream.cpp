#include "runtime/stream.h"

#include <algorithm>

#include "runtime/handles.h"
#include "runtime/state.h"

namespace hipsight::runtime {
namespace {

constexpr int least_priority = 1, greatest_priority = -1;  // as HIP on AMD GPUs reports

Handles<hipStream_t, Stream>& streams() {
  static auto& handles = *new Handles<hipStream_t, Stream>(0x13);
  return handles;
}

std::shared_ptr<Stream> default_stream(int device) {
  static auto& mutex = *new std::mutex;
  static auto& by_device = *new std::vector<std::shared_ptr<Stream>>;
  const std::lock_guard lock(mutex);
  by_device.resize(std::max<std::size_t>(by_device.size(), static_cast<std::size_t>(device) + 1));
  auto& stream = by_device[static_cast<std::size_t>(device)];
  if (!stream) stream = std::make_shared<Stream>(device, hipStreamDefault, 0);
  return stream;
}

std::shared_ptr<Stream> stream_of_thread(int device) {
  thread_local std::vector<std::shared_ptr<Stream>> by_device;
  by_device.resize(std::max<std::size_t>(by_device.size(), static_cast<std::size_t>(device) + 1));
  auto& stream = by_device[static_cast<std::size_t>(device)];
  if (!stream) stream = std::make_shared<Stream>(device, hipStreamDefault, 0);
  return stream;
}

/// Calls a function of the program, whose types have the same names as ours in another namespace.
template <class... Arguments>
__attribute__((no_sanitize("function"))) void call(void (*function)(Arguments...),
                                                   Arguments... arguments) {
  function(arguments...);
}

hipError_t create(hipStream_t* stream, unsigned flags, int priority) {
  return api([&] {
    require(stream && flags <= hipStreamNonBlocking);
    Context::get();
    *stream = streams().add(std::make_shared<Stream>(
        current_device(), flags, std::clamp(priority, greatest_priority, least_priority)));
    return hipSuccess;
  });
}

}  // namespace

void Stream::submit(const std::function<void()>& work) {
  const std::lock_guard lock(running_);
  require_no_fault();
  work();
}

void Stream::wait() {
  const std::lock_guard lock(running_);
  require_no_fault();
}

std::shared_ptr<Stream> find_stream(hipStream_t handle, hipError_t otherwise) {
  Context::get();
  if (handle == nullptr || handle == hipStreamLegacy) return default_stream(current_device());
  if (handle == hipStreamPerThread) return stream_of_thread(current_device());
  auto stream = streams().find(handle);
  require(stream != nullptr, otherwise);
  return stream;
}

void wait_for_device(int device) {
  default_stream(device)->wait();
  for (const auto& stream : streams().all())
    if (stream->device() == device) stream->wait();
}

HIP_API hipError_t hipStreamCreate(hipStream_t* stream) {
  return create(stream, hipStreamDefault, 0);
}
HIP_API hipError_t hipStreamCreateWithFlags(hipStream_t* stream, unsigned flags) {
  return create(stream, flags, 0);
}
HIP_API hipError_t hipStreamCreateWithPriority(hipStream_t* stream, unsigned flags, int priority) {
  return create(stream, flags, priority);
}

/// Which compute units a stream may use does not change what its kernels compute.
HIP_API hipError_t hipExtStreamCreateWithCUMask(hipStream_t* stream, std::uint32_t size,
                                                const std::uint32_t* mask) {
  if (size == 0 || !mask) return finish(hipErrorInvalidValue);
  return create(stream, hipStreamDefault, 0);
}

HIP_API hipError_t hipStreamDestroy(hipStream_t handle) {
  return api([&] {
    require(handle && handle != hipStreamLegacy && handle != hipStreamPerThread,
            hipErrorInvalidHandle);
    require(streams().remove(handle) != nullptr, hipErrorContextIsDestroyed);
    return hipSuccess;
  });
}

HIP_API hipError_t hipStreamSynchronize(hipStream_t handle) {
  return api([&] {
    find_stream(handle)->wait();
    return hipSuccess;
  });
}

HIP_API hipError_t hipStreamQuery(hipStream_t handle) {
  return hipStreamSynchronize(handle);
}

HIP_API hipError_t hipStreamGetFlags(hipStream_t handle, unsigned* flags) {
  return api([&] {
    require(handle && flags);
    *flags = find_stream(handle)->flags();
    return hipSuccess;
  });
}

HIP_API hipError_t hipStreamGetPriority(hipStream_t handle, int* priority) {
  return api([&] {
    require(priority != nullptr);
    *priority = find_stream(handle)->priority();
    return hipSuccess;
  });
}

HIP_API hipError_t hipStreamGetDevice(hipStream_t handle, hipDevice_t* device) {
  return api([&] {
    require(device != nullptr);
    *device = find_stream(handle)->device();
    return hipSuccess;
  });
}

HIP_API int hipGetStreamDeviceId(hipStream_t handle) {
  int device = -1;
  hipStreamGetDevice(handle, &device);
  return device;
}

HIP_API hipError_t hipDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return api([&] {
    Context::get();
    if (least) *least = least_priority;
    if (greatest) *greatest = greatest_priority;
    return hipSuccess;
  });
}

HIP_API hipError_t hipStreamAddCallback(hipStream_t handle, hipStreamCallback_t callback,
                                        void* user_data, unsigned flags) {
  return api([&] {
    require(callback && flags == 0);
    find_stream(handle)->submit([&] { call(callback, handle, hipSuccess, user_data); });
    return hipSuccess;
  });
}

HIP_API hipError_t hipLaunchHostFunc(hipStream_t handle, hipHostFn_t function, void* user_data) {
  return api([&] {
    require(function != nullptr);
    find_stream(handle)->submit([&] { call(function, user_data); });
    return hipSuccess;
  });
}

HIP_API hipError_t hipDeviceSynchronize() {
  return api([&] {
    Context::get();
    wait_for_device(current_device());
    return hipSuccess;
  });
}
HIP_API hipError_t hipCtxSynchronize() {
  return hipDeviceSynchronize();
}

HIP_API hipError_t hipStreamIsCapturing(hipStream_t handle, hipStreamCaptureStatus* status) {
  return api([&] {
    require(status != nullptr);
    find_stream(handle);
    *status = hipStreamCaptureStatusNone;
    return hipSuccess;
  });
}

HIP_API hipError_t hipThreadExchangeStreamCaptureMode(hipStreamCaptureMode* mode) {
  return api([&] {
    thread_local hipStreamCaptureMode mode_of_thread = hipStreamCaptureModeGlobal;
    require(mode && *mode <= hipStreamCaptureModeRelaxed);
    std::swap(*mode, mode_of_thread);
    return hipSuccess;
  });
}

// Memory operations of a stream. A wait that is not yet fulfilled may be, by another thread.

namespace {

template <class Word>
hipError_t write_value(hipStream_t handle, void* address, Word value) {
  return api([&] {
    require(address && memory().find(reinterpret_cast<std::uintptr_t>(address)));
    find_stream(handle)->submit(
        [&] { __atomic_store_n(static_cast<Word*>(address), value, __ATOMIC_SEQ_CST); });
    return hipSuccess;
  });
}

}  // namespace

HIP_API hipError_t hipStreamWriteValue32(hipStream_t stream, void* address, std::uint32_t value,
                                         unsigned flags) {
  return write_value(stream, address, value);
}
HIP_API hipError_t hipStreamWriteValue64(hipStream_t stream, void* address, std::uint64_t value,
                                         unsigned flags) {
  return write_value(stream, address, value);
}

HIP_API_ALIAS(hipStreamGetFlags_spt, hipStreamGetFlags);
HIP_API_ALIAS(hipStreamGetPriority_spt, hipStreamGetPriority);
HIP_API_ALIAS(hipStreamQuery_spt, hipStreamQuery);
HIP_API_ALIAS(hipStreamSynchronize_spt, hipStreamSynchronize);
HIP_API_ALIAS(hipStreamAddCallback_spt, hipStreamAddCallback);
HIP_API_ALIAS(hipLaunchHostFunc_spt, hipLaunchHostFunc);
HIP_API_ALIAS(hipStreamIsCapturing_spt, hipStreamIsCapturing);

}  // namespace hipsight::runtime
