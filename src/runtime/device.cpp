#include "runtime/device.h"

#include <fmt/format.h>
#include <strings.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <set>

#include "runtime/state.h"
#include "runtime/stream/stream.h"

namespace hipsight::runtime {
namespace {

constexpr int wall_clock_khz = 100000;  // of s_memrealtime, since gfx9 (AMD ISA guides)

int attribute(const gpus::Gpu& gpu, const hipDeviceProp_tR0600& p, hipDeviceAttribute_t attribute) {
  switch (attribute) {
    case hipDeviceAttributeEccEnabled:
      return p.ECCEnabled;
    case hipDeviceAttributeAccessPolicyMaxWindowSize:
      return p.accessPolicyMaxWindowSize;
    case hipDeviceAttributeAsyncEngineCount:
      return p.asyncEngineCount;
    case hipDeviceAttributeCanMapHostMemory:
      return p.canMapHostMemory;
    case hipDeviceAttributeCanUseHostPointerForRegisteredMem:
      return p.canUseHostPointerForRegisteredMem;
    case hipDeviceAttributeClockRate:
      return p.clockRate;
    case hipDeviceAttributeComputeMode:
      return p.computeMode;
    case hipDeviceAttributeComputePreemptionSupported:
      return p.computePreemptionSupported;
    case hipDeviceAttributeConcurrentKernels:
      return p.concurrentKernels;
    case hipDeviceAttributeConcurrentManagedAccess:
      return p.concurrentManagedAccess;
    case hipDeviceAttributeCooperativeLaunch:
      return p.cooperativeLaunch;
    case hipDeviceAttributeCooperativeMultiDeviceLaunch:
      return p.cooperativeMultiDeviceLaunch;
    case hipDeviceAttributeDeviceOverlap:
      return p.deviceOverlap;
    case hipDeviceAttributeDirectManagedMemAccessFromHost:
      return p.directManagedMemAccessFromHost;
    case hipDeviceAttributeGlobalL1CacheSupported:
      return p.globalL1CacheSupported;
    case hipDeviceAttributeHostNativeAtomicSupported:
      return p.hostNativeAtomicSupported;
    case hipDeviceAttributeIntegrated:
      return p.integrated;
    case hipDeviceAttributeIsMultiGpuBoard:
      return p.isMultiGpuBoard;
    case hipDeviceAttributeKernelExecTimeout:
      return p.kernelExecTimeoutEnabled;
    case hipDeviceAttributeL2CacheSize:
      return p.l2CacheSize;
    case hipDeviceAttributeLocalL1CacheSupported:
      return p.localL1CacheSupported;
    case hipDeviceAttributeLuidDeviceNodeMask:
      return static_cast<int>(p.luidDeviceNodeMask);
    case hipDeviceAttributeComputeCapabilityMajor:
      return p.major;
    case hipDeviceAttributeComputeCapabilityMinor:
      return p.minor;
    case hipDeviceAttributeManagedMemory:
      return p.managedMemory;
    case hipDeviceAttributeMaxBlocksPerMultiProcessor:
      return p.maxBlocksPerMultiProcessor;
    case hipDeviceAttributeMaxBlockDimX:
      return p.maxThreadsDim[0];
    case hipDeviceAttributeMaxBlockDimY:
      return p.maxThreadsDim[1];
    case hipDeviceAttributeMaxBlockDimZ:
      return p.maxThreadsDim[2];
    case hipDeviceAttributeMaxGridDimX:
      return p.maxGridSize[0];
    case hipDeviceAttributeMaxGridDimY:
      return p.maxGridSize[1];
    case hipDeviceAttributeMaxGridDimZ:
      return p.maxGridSize[2];
    case hipDeviceAttributeMaxSurface1D:
      return p.maxSurface1D;
    case hipDeviceAttributeMaxTexture1DWidth:
      return p.maxTexture1D;
    case hipDeviceAttributeMaxTexture1DLinear:
      return p.maxTexture1DLinear;
    case hipDeviceAttributeMaxTexture1DMipmap:
      return p.maxTexture1DMipmap;
    case hipDeviceAttributeMaxTexture2DWidth:
      return p.maxTexture2D[0];
    case hipDeviceAttributeMaxTexture2DHeight:
      return p.maxTexture2D[1];
    case hipDeviceAttributeMaxTexture3DWidth:
      return p.maxTexture3D[0];
    case hipDeviceAttributeMaxTexture3DHeight:
      return p.maxTexture3D[1];
    case hipDeviceAttributeMaxTexture3DDepth:
      return p.maxTexture3D[2];
    case hipDeviceAttributeMaxTextureCubemap:
      return p.maxTextureCubemap;
    case hipDeviceAttributeMaxThreadsPerBlock:
      return p.maxThreadsPerBlock;
    case hipDeviceAttributeMaxThreadsPerMultiProcessor:
      return p.maxThreadsPerMultiProcessor;
    case hipDeviceAttributeMaxPitch:
      return static_cast<int>(p.memPitch);
    case hipDeviceAttributeMemoryBusWidth:
      return p.memoryBusWidth;
    case hipDeviceAttributeMemoryClockRate:
      return p.memoryClockRate;
    case hipDeviceAttributeMultiGpuBoardGroupID:
      return p.multiGpuBoardGroupID;
    case hipDeviceAttributeMultiprocessorCount:
      return p.multiProcessorCount;
    case hipDeviceAttributePageableMemoryAccess:
      return p.pageableMemoryAccess;
    case hipDeviceAttributePageableMemoryAccessUsesHostPageTables:
      return p.pageableMemoryAccessUsesHostPageTables;
    case hipDeviceAttributePciBusId:
      return p.pciBusID;
    case hipDeviceAttributePciDeviceId:
      return p.pciDeviceID;
    case hipDeviceAttributePciDomainID:
      return p.pciDomainID;
    case hipDeviceAttributePersistingL2CacheMaxSize:
      return p.persistingL2CacheMaxSize;
    case hipDeviceAttributeMaxRegistersPerBlock:
      return p.regsPerBlock;
    case hipDeviceAttributeMaxRegistersPerMultiprocessor:
      return p.regsPerMultiprocessor;
    case hipDeviceAttributeReservedSharedMemPerBlock:
      return static_cast<int>(p.reservedSharedMemPerBlock);
    case hipDeviceAttributeMaxSharedMemoryPerBlock:
      return static_cast<int>(p.sharedMemPerBlock);
    case hipDeviceAttributeSharedMemPerBlockOptin:
      return static_cast<int>(p.sharedMemPerBlockOptin);
    case hipDeviceAttributeSharedMemPerMultiprocessor:
      return static_cast<int>(p.sharedMemPerMultiprocessor);
    case hipDeviceAttributeSingleToDoublePrecisionPerfRatio:
      return p.singleToDoublePrecisionPerfRatio;
    case hipDeviceAttributeStreamPrioritiesSupported:
      return p.streamPrioritiesSupported;
    case hipDeviceAttributeSurfaceAlignment:
      return static_cast<int>(p.surfaceAlignment);
    case hipDeviceAttributeTccDriver:
      return p.tccDriver;
    case hipDeviceAttributeTextureAlignment:
      return static_cast<int>(p.textureAlignment);
    case hipDeviceAttributeTexturePitchAlignment:
      return static_cast<int>(p.texturePitchAlignment);
    case hipDeviceAttributeTotalConstantMemory:
      return static_cast<int>(p.totalConstMem);
    case hipDeviceAttributeTotalGlobalMem:
      return static_cast<int>(std::min<std::size_t>(p.totalGlobalMem, 0x7fffffff));
    case hipDeviceAttributeUnifiedAddressing:
      return p.unifiedAddressing;
    case hipDeviceAttributeWarpSize:
      return p.warpSize;
    case hipDeviceAttributeMemoryPoolsSupported:
      return p.memoryPoolsSupported;
    case hipDeviceAttributeVirtualMemoryManagementSupported:
      return 0;
    case hipDeviceAttributeHostRegisterSupported:
      return p.hostRegisterSupported;
    case hipDeviceAttributeMemoryPoolSupportedHandleTypes:
      return static_cast<int>(p.memoryPoolSupportedHandleTypes);
    case hipDeviceAttributeClockInstructionRate:
      return p.clockInstructionRate;
    case hipDeviceAttributeMaxSharedMemoryPerMultiprocessor:
      return static_cast<int>(p.maxSharedMemoryPerMultiProcessor);
    case hipDeviceAttributeCooperativeMultiDeviceUnmatchedFunc:
      return p.cooperativeMultiDeviceUnmatchedFunc;
    case hipDeviceAttributeCooperativeMultiDeviceUnmatchedGridDim:
      return p.cooperativeMultiDeviceUnmatchedGridDim;
    case hipDeviceAttributeCooperativeMultiDeviceUnmatchedBlockDim:
      return p.cooperativeMultiDeviceUnmatchedBlockDim;
    case hipDeviceAttributeCooperativeMultiDeviceUnmatchedSharedMem:
      return p.cooperativeMultiDeviceUnmatchedSharedMem;
    case hipDeviceAttributeIsLargeBar:
      return p.isLargeBar;
    case hipDeviceAttributeAsicRevision:
      return p.asicRevision;
    case hipDeviceAttributeCanUseStreamWaitValue:
      return 1;
    case hipDeviceAttributeImageSupport:
      return 0;
    case hipDeviceAttributePhysicalMultiProcessorCount:
      return p.multiProcessorCount;
    case hipDeviceAttributeFineGrainSupport:
      return 1;
    case hipDeviceAttributeWallClockRate:
      return wall_clock_khz;
    case hipDeviceAttributeHostNumaId:
      return 0;
    case hipDeviceAttributeNumberOfXccs:
      return static_cast<int>(gpu.xcds);
    case hipDeviceAttributeMaxAvailableVgprsPerThread:  // that a wave can address
      return static_cast<int>(gpu.max_vgprs_per_wave);
    case hipDeviceAttributePciChipId:
      return static_cast<int>(gpu.pci_device_id.value_or(0));
    default:
      fail_with(hipErrorInvalidValue);
  }
}

/// Which devices may access which: (from, to).
struct PeerAccess {
  std::mutex mutex;
  std::set<std::pair<int, int>> enabled;
};
PeerAccess& peer_access() {
  static auto& access = *new PeerAccess;
  return access;
}

struct Limits {
  std::mutex mutex;
  std::size_t stack = 1024, heap = 128 << 10;  // ROCm's defaults
};
Limits& limits() {
  static auto& limits = *new Limits;
  return limits;
}

template <class Properties>
hipError_t get_properties(Properties* result, int device,
                          Properties (*make)(const gpus::Gpu&, int)) {
  return api([&] {
    require(result != nullptr);
    require_device(device);
    *result = make(Context::get().gpu(), device);
    return hipSuccess;
  });
}

/// "domain:bus:device.function", hexadecimal.
std::string pci_bus_id(int device) {
  const hipDeviceProp_tR0600 p = properties(Context::get().gpu(), device);
  return fmt::format("{:04x}:{:02x}:{:02x}.0", p.pciDomainID, p.pciBusID, p.pciDeviceID);
}

/// As hipSetDeviceFlags has them, by device.
struct DeviceFlags {
  std::mutex mutex;
  std::map<int, unsigned> of;

  void set(int device, unsigned flags) {
    require((flags & ~(hipDeviceScheduleMask | hipDeviceMapHost | hipDeviceLmemResizeToMax)) == 0);
    const std::lock_guard lock(mutex);
    of[device] = flags & hipDeviceScheduleMask;  // others: so anyway
  }
};
DeviceFlags& device_flags() {
  static auto& flags = *new DeviceFlags;
  return flags;
}

}  // namespace

HIP_API hipError_t hipInit(unsigned flags) {
  return api([&] {
    require(flags == 0);
    Context::get();
    return hipSuccess;
  });
}

HIP_API hipError_t hipGetDeviceCount(int* count) {
  return api([&] {
    require(count != nullptr);
    *count = 0;
    *count = Context::get().device_count();
    return hipSuccess;
  });
}

HIP_API hipError_t hipSetDevice(int device) {
  return api([&] {
    require_device(device);
    set_current_device(device);
    return hipSuccess;
  });
}

HIP_API hipError_t hipGetDevice(int* device) {
  return api([&] {
    require(device != nullptr);
    Context::get();
    *device = current_device();
    return hipSuccess;
  });
}

HIP_API hipError_t hipDeviceGet(hipDevice_t* device, int ordinal) {
  return api([&] {
    require(device != nullptr);
    require_device(ordinal);
    *device = ordinal;
    return hipSuccess;
  });
}

HIP_API hipError_t hipGetDevicePropertiesR0600(hipDeviceProp_tR0600* result, int device) {
  return get_properties(result, device, properties);
}
HIP_API hipError_t hipGetDevicePropertiesR0000(hipDeviceProp_tR0000* result, int device) {
  return get_properties(result, device, properties_before_6);
}
HIP_API hipError_t hipGetDeviceProperties(hipDeviceProp_tR0000* result, int device) {
  return get_properties(result, device, properties_before_6);
}

/// All devices are alike: the first fits as well as any.
HIP_API hipError_t hipChooseDeviceR0600(int* device, const hipDeviceProp_tR0600* wanted) {
  return api([&] {
    require(device && wanted);
    Context::get();
    *device = 0;
    return hipSuccess;
  });
}
HIP_API hipError_t hipChooseDeviceR0000(int* device, const hipDeviceProp_tR0000* wanted) {
  return hipChooseDeviceR0600(device, reinterpret_cast<const hipDeviceProp_tR0600*>(wanted));
}
HIP_API hipError_t hipChooseDevice(int* device, const hipDeviceProp_tR0000* wanted) {
  return hipChooseDeviceR0000(device, wanted);
}

HIP_API hipError_t hipDeviceGetAttribute(int* value, hipDeviceAttribute_t which, int device) {
  return api([&] {
    require(value != nullptr);
    require_device(device);
    if (which == hipDeviceAttributeHdpMemFlushCntl || which == hipDeviceAttributeHdpRegFlushCntl) {
      // The address of a register: there is none, as memory is always up to date.
      std::memset(value, 0, sizeof(std::uint32_t*));
      return hipSuccess;
    }
    const gpus::Gpu& gpu = Context::get().gpu();
    *value = attribute(gpu, properties(gpu, device), which);
    return hipSuccess;
  });
}

HIP_API hipError_t hipDeviceGetName(char* name, int length, hipDevice_t device) {
  return api([&] {
    require_device(device);
    require(name && length > 0);
    std::snprintf(name, static_cast<std::size_t>(length), "%s", Context::get().gpu().title.c_str());
    return hipSuccess;
  });
}

HIP_API hipError_t hipDeviceGetUuid(hipUUID* uuid, hipDevice_t device) {
  return api([&] {
    require_device(device);
    require(uuid != nullptr);
    *uuid = properties(Context::get().gpu(), device).uuid;
    return hipSuccess;
  });
}

/// Only Windows numbers devices like that.
HIP_API hipError_t hipDeviceGetLuid(char* luid, unsigned* node_mask, hipDevice_t device) {
  return api([&] {
    require_device(device);
    require(luid && node_mask);
    return hipErrorNotSupported;
  });
}

HIP_API hipError_t hipDeviceComputeCapability(int* major, int* minor, hipDevice_t device) {
  return api([&] {
    require_device(device);
    require(major && minor);
    *major = Context::get().gpu().isa_major();
    *minor = Context::get().gpu().isa_minor();
    return hipSuccess;
  });
}

HIP_API hipError_t hipDeviceTotalMem(std::size_t* bytes, hipDevice_t device) {
  return api([&] {
    require_device(device);
    require(bytes != nullptr);
    *bytes = Context::get().gpu().dram_bytes;
    return hipSuccess;
  });
}

HIP_API hipError_t hipDeviceGetPCIBusId(char* text, int length, int device) {
  return api([&] {
    require_device(device);
    require(text && length > 0);
    const std::string id = pci_bus_id(device);
    std::snprintf(text, static_cast<std::size_t>(length), "%s", id.c_str());
    require(id.size() < static_cast<std::size_t>(length));
    return hipSuccess;
  });
}

HIP_API hipError_t hipDeviceGetByPCIBusId(int* device, const char* text) {
  return api([&] {
    require(device && text);
    for (int i = 0; i < Context::get().device_count(); ++i) {
      if (strcasecmp(text, pci_bus_id(i).c_str()) != 0) continue;
      *device = i;
      return hipSuccess;
    }
    return hipErrorInvalidValue;
  });
}

HIP_API hipError_t hipDeviceReset() {
  return api([&] {
    Context::get();
    wait_for_all();
    clear_device_fault();
    return hipSuccess;
  });
}

HIP_API hipError_t hipSetDeviceFlags(unsigned flags) {
  return api([&] {
    Context::get();
    device_flags().set(current_device(), flags);
    return hipSuccess;
  });
}

/// As hipSetDevice and hipSetDeviceFlags, but the thread keeps its device.
HIP_API hipError_t hipInitDevice(int device, unsigned wanted, unsigned flags) {
  return api([&] {
    constexpr unsigned flags_are_valid = 1;
    require((flags & ~flags_are_valid) == 0);
    require_device(device);
    if (flags & flags_are_valid) device_flags().set(device, wanted);
    return hipSuccess;
  });
}

HIP_API hipError_t hipGetDeviceFlags(unsigned* flags) {
  return api([&] {
    require(flags != nullptr);
    Context::get();
    const std::lock_guard lock(device_flags().mutex);
    *flags = device_flags().of[current_device()];
    return hipSuccess;
  });
}

HIP_API hipError_t hipDeviceGetLimit(std::size_t* value, hipLimit_t limit) {
  return api([&] {
    require(value && limit < hipLimitRange);
    require(limit != hipLimitPrintfFifoSize, hipErrorUnsupportedLimit);
    const std::lock_guard lock(limits().mutex);
    *value = limit == hipLimitStackSize ? limits().stack : limits().heap;
    return hipSuccess;
  });
}

HIP_API hipError_t hipDeviceSetLimit(hipLimit_t limit, std::size_t value) {
  return api([&] {
    require(limit < hipLimitRange);
    require(limit != hipLimitPrintfFifoSize, hipErrorUnsupportedLimit);
    const std::lock_guard lock(limits().mutex);
    (limit == hipLimitStackSize ? limits().stack : limits().heap) = value;
    return hipSuccess;
  });
}

// LDS banks and caches are what they are: settings are accepted, and change nothing.

HIP_API hipError_t hipDeviceGetCacheConfig(hipFuncCache_t* config) {
  return api([&] {
    require(config != nullptr);
    *config = hipFuncCachePreferNone;
    return hipSuccess;
  });
}
HIP_API hipError_t hipDeviceSetCacheConfig(hipFuncCache_t config) {
  return api([&] {
    require(config <= hipFuncCachePreferEqual);
    return hipSuccess;
  });
}
HIP_API hipError_t hipDeviceGetSharedMemConfig(hipSharedMemConfig* config) {
  return api([&] {
    require(config != nullptr);
    *config = hipSharedMemBankSizeFourByte;
    return hipSuccess;
  });
}
HIP_API hipError_t hipDeviceSetSharedMemConfig(hipSharedMemConfig config) {
  return api([&] {
    require(config <= hipSharedMemBankSizeEightByte);
    return hipSuccess;
  });
}

// Peers: the memory of every device is reachable from every other.

HIP_API hipError_t hipDeviceCanAccessPeer(int* can, int device, int peer) {
  return api([&] {
    require(can != nullptr);
    require_device(device);
    require_device(peer);
    *can = device != peer;
    return hipSuccess;
  });
}

HIP_API hipError_t hipDeviceEnablePeerAccess(int peer, unsigned flags) {
  return api([&] {
    require(flags == 0);
    require_device(peer);
    require(peer != current_device(), hipErrorInvalidDevice);
    const std::lock_guard lock(peer_access().mutex);
    require(peer_access().enabled.emplace(current_device(), peer).second,
            hipErrorPeerAccessAlreadyEnabled);
    return hipSuccess;
  });
}

HIP_API hipError_t hipDeviceDisablePeerAccess(int peer) {
  return api([&] {
    require_device(peer);
    const std::lock_guard lock(peer_access().mutex);
    require(peer_access().enabled.erase({current_device(), peer}) == 1,
            hipErrorPeerAccessNotEnabled);
    return hipSuccess;
  });
}

HIP_API hipError_t hipDeviceGetP2PAttribute(int* value, hipDeviceP2PAttr which, int from, int to) {
  return api([&] {
    require(value != nullptr && which <= hipDevP2PAttrHipArrayAccessSupported);
    require_device(from);
    require_device(to);
    require(from != to, hipErrorInvalidDevice);
    *value = which == hipDevP2PAttrAccessSupported || which == hipDevP2PAttrNativeAtomicSupported;
    return hipSuccess;
  });
}

/// All GPUs are linked directly.
HIP_API hipError_t hipExtGetLinkTypeAndHopCount(int from, int to, std::uint32_t* type,
                                                std::uint32_t* hops) {
  return api([&] {
    require(type && hops && from != to && from >= 0 && to >= 0);
    require_device(from);
    require_device(to);
    constexpr std::uint32_t xgmi = 4;  // HSA_AMD_LINK_INFO_TYPE_XGMI
    *type = xgmi;
    *hops = 1;
    return hipSuccess;
  });
}

HIP_API hipError_t hipProfilerStart() {
  return finish(hipSuccess);
}
HIP_API hipError_t hipProfilerStop() {
  return finish(hipSuccess);
}

}  // namespace hipsight::runtime
