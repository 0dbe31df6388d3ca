// Our own declarations of HIP's types against those of the SDK, which is HIP 5.7 or later.
#include <gtest/gtest.h>

#include "runtime/hip_types.h"

namespace ours = hipsight::runtime;

#include <hip/hip_runtime_api.h>

namespace {

#define SAME_VALUE(name) static_assert(static_cast<long>(ours::name) == static_cast<long>(::name))
SAME_VALUE(hipErrorInvalidValue);
SAME_VALUE(hipErrorOutOfMemory);
SAME_VALUE(hipErrorInvalidConfiguration);
SAME_VALUE(hipErrorInvalidSymbol);
SAME_VALUE(hipErrorInvalidDeviceFunction);
SAME_VALUE(hipErrorNoBinaryForGpu);
SAME_VALUE(hipErrorNotReady);
SAME_VALUE(hipErrorIllegalAddress);
SAME_VALUE(hipErrorContextIsDestroyed);
SAME_VALUE(hipErrorLaunchFailure);
SAME_VALUE(hipErrorNotSupported);
SAME_VALUE(hipErrorGraphExecUpdateFailure);
SAME_VALUE(hipErrorRuntimeOther);
// The attributes have no numbers in the headers: one of each stretch shows that none is missing.
SAME_VALUE(hipDeviceAttributeClockRate);
SAME_VALUE(hipDeviceAttributeL2CacheSize);
SAME_VALUE(hipDeviceAttributeMaxSurface2D);
SAME_VALUE(hipDeviceAttributeMaxTexture2DLinear);
SAME_VALUE(hipDeviceAttributeMultiprocessorCount);
SAME_VALUE(hipDeviceAttributePciDomainID);
SAME_VALUE(hipDeviceAttributeSharedMemPerMultiprocessor);
SAME_VALUE(hipDeviceAttributeUnifiedAddressing);
SAME_VALUE(hipDeviceAttributeWarpSize);
SAME_VALUE(hipDeviceAttributeVirtualMemoryManagementSupported);
SAME_VALUE(hipDeviceAttributeClockInstructionRate);
SAME_VALUE(hipDeviceAttributeHdpRegFlushCntl);
SAME_VALUE(hipDeviceAttributeWallClockRate);
SAME_VALUE(hipMemcpyDefault);
SAME_VALUE(HIP_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT);
SAME_VALUE(hipFuncAttributeMaxDynamicSharedMemorySize);
SAME_VALUE(hipLimitMallocHeapSize);
SAME_VALUE(HIP_POINTER_ATTRIBUTE_MEMPOOL_HANDLE);
SAME_VALUE(hipMemPoolAttrUsedMemHigh);
SAME_VALUE(hipMemAdviseUnsetCoarseGrain);

#define SAME_SIZE(mine, theirs) static_assert(sizeof(ours::mine) == sizeof(::theirs))
#define SAME_PLACE(mine, theirs, member) \
  static_assert(offsetof(ours::mine, member) == offsetof(::theirs, member))
SAME_SIZE(hipPointerAttribute_t, hipPointerAttribute_t);
SAME_PLACE(hipPointerAttribute_t, hipPointerAttribute_t, allocationFlags);
SAME_SIZE(hipFuncAttributes, hipFuncAttributes);
SAME_PLACE(hipFuncAttributes, hipFuncAttributes, numRegs);
SAME_SIZE(hipLaunchParams, hipLaunchParams);
SAME_PLACE(hipLaunchParams, hipLaunchParams, sharedMem);
SAME_SIZE(hipMemcpy3DParms, hipMemcpy3DParms);
SAME_PLACE(hipMemcpy3DParms, hipMemcpy3DParms, dstPtr);
SAME_PLACE(hipMemcpy3DParms, hipMemcpy3DParms, kind);
SAME_SIZE(hipMemPoolProps, hipMemPoolProps);
SAME_SIZE(hipChannelFormatDesc, hipChannelFormatDesc);
SAME_SIZE(dim3, dim3);

#if HIP_VERSION_MAJOR >= 6
#define PROPERTIES hipDeviceProp_tR0600
#else
#define PROPERTIES hipDeviceProp_tR0000
static_assert(static_cast<unsigned>(ours::hipMemoryTypeR0000::Managed) == hipMemoryTypeManaged);
static_assert(static_cast<unsigned>(ours::hipMemoryTypeR0000::Host) == hipMemoryTypeHost);
#endif
SAME_SIZE(PROPERTIES, hipDeviceProp_t);
SAME_PLACE(PROPERTIES, hipDeviceProp_t, totalGlobalMem);
SAME_PLACE(PROPERTIES, hipDeviceProp_t, clockRate);
SAME_PLACE(PROPERTIES, hipDeviceProp_t, multiProcessorCount);
SAME_PLACE(PROPERTIES, hipDeviceProp_t, maxThreadsPerMultiProcessor);
SAME_PLACE(PROPERTIES, hipDeviceProp_t, arch);
SAME_PLACE(PROPERTIES, hipDeviceProp_t, pciDeviceID);
SAME_PLACE(PROPERTIES, hipDeviceProp_t, gcnArchName);
SAME_PLACE(PROPERTIES, hipDeviceProp_t, maxTexture3D);
SAME_PLACE(PROPERTIES, hipDeviceProp_t, hdpRegFlushCntl);
SAME_PLACE(PROPERTIES, hipDeviceProp_t, ECCEnabled);
SAME_PLACE(PROPERTIES, hipDeviceProp_t, asicRevision);
SAME_PLACE(PROPERTIES, hipDeviceProp_t, pageableMemoryAccessUsesHostPageTables);

TEST(HipTypes, ErrorNamesAreTheSdks) {
  // Every error of the SDK's header that we name has its own name.
  for (const hipError_t code :
       {::hipErrorInvalidContext, ::hipErrorMapFailed, ::hipErrorECCNotCorrectable,
        ::hipErrorHostMemoryNotRegistered, ::hipErrorCapturedEvent})
    EXPECT_STRNE(hipGetErrorName(code), "hipErrorUnknown");
}

}  // namespace
