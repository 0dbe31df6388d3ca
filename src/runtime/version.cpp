#include <algorithm>
#include <cstring>
#include <string_view>

#include "runtime/abi.h"
#include "runtime/error.h"
#include "runtime/exports.h"

namespace hipsight::runtime {
namespace {

/// The version that is reported: that of the HIP whose interface is offered
/// (major * 10^7 + minor * 10^5 + patch).
int version() {
  switch (abi_version()) {
    case 5:
      return 50731921;
    case 6:
      return 60443484;
    default:
      return 70200000;
  }
}

hipError_t get_version(int* result) {
  return api([&] {
    require(result != nullptr);
    *result = version();
    return hipSuccess;
  });
}

}  // namespace

HIP_API hipError_t hipRuntimeGetVersion(int* result) {
  return get_version(result);
}
HIP_API hipError_t hipDriverGetVersion(int* result) {
  return get_version(result);
}

HIP_API hipError_t hipGetProcAddress(const char* symbol, void** address, int hip_version,
                                     std::uint64_t flags, hipDriverProcAddressQueryResult* status) {
  return api([&] {
    require(symbol && *symbol && address);
    std::string_view name = symbol;
    // Programs of HIP 6 and later mean the new layout by the plain names.
    if (hip_version >= 600 && name == "hipGetDeviceProperties")
      name = "hipGetDevicePropertiesR0600";
    if (hip_version >= 600 && name == "hipChooseDevice") name = "hipChooseDeviceR0600";
    const auto all = exports();
    const auto found = std::ranges::lower_bound(
        all, name, {}, [](const Export& item) { return std::string_view(item.name); });
    const bool known = found != all.end() && found->name == name;
    *address = nullptr;
    if (known && front())  // by which its calls come in, too
      *address = const_cast<void*>(front()->functions[found - all.begin()]);
    else if (known)
      *address = found->address;
    if (status)
      *status = known ? HIP_GET_PROC_ADDRESS_SUCCESS : HIP_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    return known ? hipSuccess : hipErrorInvalidValue;
  });
}

// Names of API functions by number serve tracers, which are not supported.
HIP_API const char* hipApiName(std::uint32_t id) {
  return "unknown";
}
HIP_API const char* hipGetCmdName(unsigned command) {
  return "unknown";
}
HIP_API const char* amd_dbgapi_get_build_name() {
  return "hipsight";
}
HIP_API const char* amd_dbgapi_get_git_hash() {
  return "";
}
HIP_API std::size_t amd_dbgapi_get_build_id() {
  return 0;
}

HIP_API hipChannelFormatDesc hipCreateChannelDesc(int x, int y, int z, int w,
                                                  hipChannelFormatKind kind) {
  return {x, y, z, w, kind};
}

/// Where debuggers stop to see a call's error; nothing else (HIP 7.14).
HIP_API void __hipOnError(void* error) {}

/// The precompiled header of the online compiler: there is none.
HIP_API void __hipGetPCH(const char** header, unsigned* size) {
  if (header) *header = nullptr;
  if (size) *size = 0;
}

// What compiled host code may call to convert between half and float.
HIP_API float __gnu_h2f_ieee(std::uint16_t half) {
  _Float16 value;
  std::memcpy(&value, &half, sizeof value);
  return static_cast<float>(value);
}
HIP_API std::uint16_t __gnu_f2h_ieee(float value) {
  const auto half = static_cast<_Float16>(value);
  std::uint16_t bits;
  std::memcpy(&bits, &half, sizeof bits);
  return bits;
}

}  // namespace hipsight::runtime
