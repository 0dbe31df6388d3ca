// Streams as programs see them.
#include <algorithm>

#include "runtime/graph/capture.h"
#include "runtime/graph/work.h"
#include "runtime/handles.h"
#include "runtime/state.h"
#include "runtime/stream/stream.h"
#include "support/of_thread.h"
#include "timeline/host_clock.h"

namespace hipsight::runtime {
namespace {

constexpr int least_priority = 1, greatest_priority = -1;  // as HIP on AMD GPUs reports

thread_local int own_default_stream = 0;  // how many OwnDefaultStream live

Handles<hipStream_t, Stream>& streams() {
  static auto& handles = *new Handles<hipStream_t, Stream>(0x13);
  return handles;
}

using ByDevice = std::vector<std::shared_ptr<Stream>>;

std::shared_ptr<Stream> made(ByDevice& streams, int device, Stream::Role role) {
  streams.resize(std::max<std::size_t>(streams.size(), static_cast<std::size_t>(device) + 1));
  auto& stream = streams[static_cast<std::size_t>(device)];
  if (!stream) stream = Stream::make(device, hipStreamDefault, 0, role);
  return stream;
}

/// Nobody can submit to the stream any more, or end its capture.
void abandon(Stream& stream) {
  abandon_capture(stream);
  stream.close();
}

std::shared_ptr<Stream> stream_of_thread(int device) {
  struct Own {
    ByDevice streams;
    ~Own() {
      for (const auto& stream : streams)
        if (stream) abandon(*stream);
    }
  };
  return made(of_thread<Own, Own>().streams, device, Stream::Role::PerThread);
}

/// Calls a function of the program, whose types have the same names as ours in another namespace.
template <class... Arguments>
__attribute__((no_sanitize("function"))) void call(void (*function)(Arguments...),
                                                   Arguments... arguments) {
  function(arguments...);
}

/// Calls it when the span begins, on the thread's clock; it takes what its calls take.
template <class Function>
void as_of(timeline::Span& span, Function&& function) {
  timeline::HostClock& clock = timeline::HostClock::of_thread();
  const double before = clock.now();
  clock.set(span.begin);
  function();
  span.end = clock.now();
  clock.set(std::max(before, span.end));
}

hipError_t create(hipStream_t* stream, unsigned flags, int priority,
                  std::vector<std::uint32_t> cu_mask = {}) {
  return api([&] {
    require(stream && flags <= hipStreamNonBlocking);
    Context::get();
    *stream = streams().add(Stream::make(current_device(), flags,
                                         std::clamp(priority, greatest_priority, least_priority),
                                         Stream::Role::Own, std::move(cu_mask)));
    return hipSuccess;
  });
}

}  // namespace

std::shared_ptr<Stream> null_stream(int device) {
  static auto& mutex = *new std::mutex;
  static auto& streams = *new ByDevice;
  const std::lock_guard lock(mutex);
  return made(streams, device, Stream::Role::Null);
}

Operation host_function(hipHostFn_t function, void* user_data) {
  return {.what = "host function",
          .run = [=](timeline::Span& span) { as_of(span, [&] { call(function, user_data); }); },
          .type = hipGraphNodeTypeHost};
}

OwnDefaultStream::OwnDefaultStream() {
  ++own_default_stream;
}
OwnDefaultStream::~OwnDefaultStream() {
  --own_default_stream;
}

std::shared_ptr<Stream> find_stream(hipStream_t handle, hipError_t otherwise) {
  Context::get();
  if (handle == hipStreamPerThread || (handle == nullptr && own_default_stream))
    return stream_of_thread(current_device());
  if (handle == nullptr || handle == hipStreamLegacy) return null_stream(current_device());
  auto stream = streams().find(handle);
  require(stream != nullptr, otherwise);
  return stream;
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
  return create(stream, hipStreamDefault, 0, {mask, mask + size});
}

HIP_API hipError_t hipExtStreamGetCUMask(hipStream_t stream, std::uint32_t size,
                                         std::uint32_t* mask) {
  return api([&] {
    const std::uint32_t units = Context::get().gpu().hip_multiprocessors();
    constexpr std::uint32_t bits = 32;
    std::vector<std::uint32_t> all((units + bits - 1) / bits, ~0u);
    if (units % bits) all.back() = (1u << units % bits) - 1;
    require(mask && size >= all.size());
    std::vector<std::uint32_t> own = find_stream(stream)->cu_mask();
    own.resize(all.size());
    for (std::size_t i = 0; i < all.size(); ++i) own[i] &= all[i];
    const bool none = std::ranges::all_of(own, [](std::uint32_t word) { return word == 0; });
    std::ranges::copy(none ? all : own, mask);
    return hipSuccess;
  });
}

HIP_API hipError_t hipStreamDestroy(hipStream_t handle) {
  return api([&] {
    require(handle && handle != hipStreamLegacy && handle != hipStreamPerThread,
            hipErrorInvalidHandle);
    const auto stream = streams().remove(handle);
    require(stream != nullptr, hipErrorContextIsDestroyed);
    abandon(*stream);
    return hipSuccess;
  });
}

HIP_API hipError_t hipStreamSynchronize(hipStream_t handle) {
  return api([&] {
    const auto stream = find_stream(handle);
    require_no_capture(*stream);
    require_no_capture();
    stream->wait();
    return hipSuccess;
  });
}

HIP_API hipError_t hipStreamQuery(hipStream_t handle) {
  return api([&] {
    const auto stream = find_stream(handle);
    require_no_capture(*stream);
    if (!has_happened(stream->last())) return hipErrorNotReady;
    require_no_fault();
    return hipSuccess;
  });
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

/// The callback is told of a kernel error, so it is called on a lost device too.
HIP_API hipError_t hipStreamAddCallback(hipStream_t handle, hipStreamCallback_t callback,
                                        void* user_data, unsigned flags) {
  return api([&] {
    require(callback && flags == 0);
    const auto stream = find_stream(handle);
    require_no_fault();
    stream->submit({.what = "callback",
                    .run =
                        [=](timeline::Span& span) {
                          as_of(span, [&] { call(callback, handle, device_fault(), user_data); });
                        },
                    .always = true});
    return hipSuccess;
  });
}

HIP_API hipError_t hipLaunchHostFunc(hipStream_t handle, hipHostFn_t function, void* user_data) {
  return api([&] {
    require(function != nullptr);
    const auto stream = find_stream(handle);
    const hipHostNodeParams parameters{function, user_data};
    if (is_capturing(*stream))
      capture(*stream, host_work(&parameters));
    else
      stream->submit(host_function(function, user_data));
    return hipSuccess;
  });
}

HIP_API hipError_t hipDeviceSynchronize() {
  return api([&] {
    Context::get();
    require_no_capture();
    require_no_capture_on(current_device());
    wait_for_device(current_device());
    return hipSuccess;
  });
}
HIP_API hipError_t hipCtxSynchronize() {
  return hipDeviceSynchronize();
}

}  // namespace hipsight::runtime
