// The driver interface's contexts. Each device has one, its primary context, which is always there.
#include "runtime/state.h"
#include "runtime/stream/stream.h"
#include "support/of_thread.h"

namespace hipsight::runtime {
namespace {

constexpr std::uintptr_t family = std::uintptr_t{0x16} << 40;

hipCtx_t context_of(int device) {
  return reinterpret_cast<hipCtx_t>(family + 16 * (static_cast<std::uintptr_t>(device) + 1));
}

/// @throws Failure hipErrorInvalidContext.
int device_of(hipCtx_t context) {
  const std::uintptr_t number = reinterpret_cast<std::uintptr_t>(context) - family;
  require(number % 16 == 0 && number / 16 >= 1 &&
              number / 16 <= static_cast<std::uintptr_t>(Context::get().device_count()),
          hipErrorInvalidContext);
  return static_cast<int>(number / 16) - 1;
}

/// The devices that were current before.
std::vector<int>& pushed() {
  return of_thread<std::vector<int>, struct Pushed>();
}

}  // namespace

HIP_API hipError_t hipCtxCreate(hipCtx_t* context, unsigned flags, hipDevice_t device) {
  return api([&] {
    require(context != nullptr);
    require_device(device);
    *context = context_of(device);
    pushed().push_back(current_device());
    set_current_device(device);
    return hipSuccess;
  });
}

HIP_API hipError_t hipCtxDestroy(hipCtx_t context) {
  return api([&] {
    require(context != nullptr);
    device_of(context);
    return hipSuccess;
  });
}

HIP_API hipError_t hipCtxGetCurrent(hipCtx_t* context) {
  return api([&] {
    require(context != nullptr);
    Context::get();
    *context = context_of(current_device());
    return hipSuccess;
  });
}

HIP_API hipError_t hipCtxSetCurrent(hipCtx_t context) {
  return api([&] {
    if (context) set_current_device(device_of(context));
    return hipSuccess;
  });
}

HIP_API hipError_t hipCtxPushCurrent(hipCtx_t context) {
  return api([&] {
    const int device = device_of(context);
    pushed().push_back(current_device());
    set_current_device(device);
    return hipSuccess;
  });
}

HIP_API hipError_t hipCtxPopCurrent(hipCtx_t* context) {
  return api([&] {
    require(!pushed().empty(), hipErrorInvalidContext);
    if (context) *context = context_of(current_device());
    set_current_device(pushed().back());
    pushed().pop_back();
    return hipSuccess;
  });
}

HIP_API hipError_t hipCtxGetDevice(hipDevice_t* device) {
  return api([&] {
    require(device != nullptr);
    Context::get();
    *device = current_device();
    return hipSuccess;
  });
}

HIP_API hipError_t hipCtxGetFlags(unsigned* flags) {
  return api([&] {
    require(flags != nullptr);
    *flags = 0;
    return hipSuccess;
  });
}

extern "C" hipError_t hipDeviceEnablePeerAccess(int peer, unsigned flags);
extern "C" hipError_t hipDeviceDisablePeerAccess(int peer);

HIP_API hipError_t hipCtxEnablePeerAccess(hipCtx_t peer, unsigned flags) {
  return api([&] { return hipDeviceEnablePeerAccess(device_of(peer), flags); });
}
HIP_API hipError_t hipCtxDisablePeerAccess(hipCtx_t peer) {
  return api([&] { return hipDeviceDisablePeerAccess(device_of(peer)); });
}

HIP_API hipError_t hipDevicePrimaryCtxGetState(hipDevice_t device, unsigned* flags, int* active) {
  return api([&] {
    require(flags && active);
    require_device(device);
    *flags = 0;
    *active = 1;
    return hipSuccess;
  });
}

HIP_API hipError_t hipDevicePrimaryCtxRetain(hipCtx_t* context, hipDevice_t device) {
  return api([&] {
    require(context != nullptr);
    require_device(device);
    *context = context_of(device);
    return hipSuccess;
  });
}

HIP_API hipError_t hipDevicePrimaryCtxRelease(hipDevice_t device) {
  return api([&] {
    require_device(device);
    return hipSuccess;
  });
}

HIP_API hipError_t hipDevicePrimaryCtxReset(hipDevice_t device) {
  return api([&] {
    require_device(device);
    clear_device_fault();
    return hipSuccess;
  });
}

/// The primary context is always active, so its flags cannot be set.
HIP_API hipError_t hipDevicePrimaryCtxSetFlags(hipDevice_t device, unsigned flags) {
  return api([&] {
    require_device(device);
    return hipErrorContextAlreadyInUse;
  });
}

}  // namespace hipsight::runtime
