#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <string_view>

#include "runtime/device.h"

namespace hipsight::runtime {
namespace {

constexpr int unlimited = std::numeric_limits<int>::max();
// Image limits of GFX9 and later, as ROCm reports them, and the bytes of the largest pixel.
constexpr int max_image_side = 16384, max_image_depth = 8192, max_image_layers = 2048;
constexpr int max_pixel_bytes = 16;

template <std::size_t size>
void copy(char (&to)[size], std::string_view from) {
  from.copy(to, size - 1);
}

int clamp(std::uint64_t value) {
  return static_cast<int>(std::min<std::uint64_t>(value, unlimited));
}

int khz(double ghz) {
  return static_cast<int>(std::lround(ghz * 1e6));
}

/// "gfx90a:sramecc+" is 910, of version 9.0.10 (ROCm clr, hipGetDevicePropertiesR0000).
int arch_number(const gpus::Gpu& gpu) {
  const std::string processor = gpu.target_id.substr(0, gpu.target_id.find(':'));
  const int stepping = std::stoi(processor.substr(processor.size() - 1), nullptr, 16);
  return 100 * gpu.isa_major() + 10 * gpu.isa_minor() + stepping;
}

}  // namespace

// docs/runtime.md says where the fields come from, and which of them are not known.
hipDeviceProp_tR0600 properties(const gpus::Gpu& gpu, int device) {
  hipDeviceProp_tR0600 p{};
  copy(p.name, gpu.title);
  copy(p.gcnArchName, gpu.target_id);
  // ROCm's form: "GPU-" and 12 more characters that name the board.
  char uuid[32];
  std::snprintf(uuid, sizeof uuid, "GPU-%012x", static_cast<unsigned>(device));
  std::memcpy(p.uuid.bytes, uuid, sizeof p.uuid.bytes);

  p.totalGlobalMem = gpu.dram_bytes;
  p.sharedMemPerBlock = p.sharedMemPerBlockOptin = gpu.max_lds_per_workgroup;
  p.maxSharedMemoryPerMultiProcessor = p.sharedMemPerMultiprocessor = gpu.max_lds_per_workgroup;
  // All of a multiprocessor's: 65536 in hipInfo's listings of gfx906, 196608 of gfx1100.
  p.regsPerBlock = p.regsPerMultiprocessor = static_cast<int>(
      gpu.vgprs_per_simd * gpu.wavefront_size * gpu.simds_per_cu * gpu.cus_per_wgp);
  p.warpSize = static_cast<int>(gpu.wavefront_size);
  p.maxThreadsPerBlock = static_cast<int>(gpu.max_workgroup_size);
  for (int& size : p.maxThreadsDim) size = static_cast<int>(gpu.max_workgroup_size);
  p.maxGridSize[0] = unlimited;
  p.maxGridSize[1] = p.maxGridSize[2] = 65536;
  p.multiProcessorCount = static_cast<int>(gpu.hip_multiprocessors());
  p.maxThreadsPerMultiProcessor = static_cast<int>(gpu.max_threads_per_multiprocessor());
  p.maxBlocksPerMultiProcessor = p.maxThreadsPerMultiProcessor / p.warpSize;
  p.l2CacheSize = p.persistingL2CacheMaxSize = clamp(gpu.l2_bytes / std::max(1u, gpu.xcds));
  p.integrated = static_cast<int>(gpu.integrated);
  p.clockRate = khz(gpu.clock_ghz);
  p.memoryClockRate = khz(gpu.memory_clock_ghz.value_or(0));
  p.memoryBusWidth = static_cast<int>(gpu.memory_bus_bits.value_or(0));
  p.clockInstructionRate = 1000000;  // ROCm's fixed value
  p.totalConstMem = unlimited;
  p.memPitch = unlimited;
  p.major = gpu.isa_major();
  p.minor = gpu.isa_minor();

  p.pciBusID = device + 1;
  p.asyncEngineCount = 8;  // ROCm's fixed value
  p.deviceOverlap = 1;
  p.concurrentKernels = 1;
  p.canMapHostMemory = 1;
  p.streamPrioritiesSupported = 1;
  p.cooperativeLaunch = p.cooperativeMultiDeviceLaunch = 1;
  p.cooperativeMultiDeviceUnmatchedFunc = p.cooperativeMultiDeviceUnmatchedGridDim = 1;
  p.cooperativeMultiDeviceUnmatchedBlockDim = p.cooperativeMultiDeviceUnmatchedSharedMem = 1;
  p.globalL1CacheSupported = p.localL1CacheSupported = 1;
  p.hostNativeAtomicSupported = 1;
  p.hostRegisterSupported = 1;
  p.ipcEventSupported = 1;
  p.isLargeBar = 1;
  p.asicRevision = static_cast<int>(gpu.asic_revision.value_or(0));
  p.memoryPoolsSupported = 1;
  p.memoryPoolSupportedHandleTypes = 1;
  // Device pointers are host pointers here.
  p.unifiedAddressing = p.managedMemory = p.concurrentManagedAccess = 1;
  p.canUseHostPointerForRegisteredMem = p.directManagedMemAccessFromHost = 1;

  p.maxTexture1D = p.maxSurface1D = max_image_side;
  p.maxTexture1DLinear = p.maxTexture1DMipmap = unlimited;
  for (int& size : p.maxTexture2D) size = max_image_side;
  for (int& size : p.maxSurface2D) size = max_image_side;
  p.maxTexture3D[0] = p.maxTexture3D[1] = p.maxSurface3D[0] = p.maxSurface3D[1] = max_image_side;
  p.maxTexture3D[2] = p.maxSurface3D[2] = max_image_depth;
  p.maxTexture1DLayered[0] = p.maxSurface1DLayered[0] = max_image_side;
  p.maxTexture1DLayered[1] = p.maxSurface1DLayered[1] = max_image_layers;
  for (int i : {0, 1}) p.maxTexture2DLayered[i] = p.maxSurface2DLayered[i] = max_image_side;
  p.maxTexture2DLayered[2] = p.maxSurface2DLayered[2] = max_image_layers;
  p.maxTexture2DLinear[0] = p.maxTexture2DLinear[1] = max_image_side;
  p.maxTexture2DLinear[2] = max_image_side * max_pixel_bytes;  // the pitch
  p.textureAlignment = p.surfaceAlignment = p.texturePitchAlignment = 256;

  p.arch.hasGlobalInt32Atomics = p.arch.hasGlobalFloatAtomicExch = 1;
  p.arch.hasSharedInt32Atomics = p.arch.hasSharedFloatAtomicExch = 1;
  p.arch.hasFloatAtomicAdd = 1;
  p.arch.hasGlobalInt64Atomics = p.arch.hasSharedInt64Atomics = 1;
  p.arch.hasDoubles = 1;
  p.arch.hasWarpVote = p.arch.hasWarpBallot = p.arch.hasWarpShuffle = 1;
  p.arch.hasThreadFenceSystem = 1;
  p.arch.has3dGrid = 1;
  return p;
}

hipDeviceProp_tR0000 properties_before_6(const gpus::Gpu& gpu, int device) {
  const hipDeviceProp_tR0600 now = properties(gpu, device);
  hipDeviceProp_tR0000 p{};
  std::memcpy(p.name, now.name, sizeof p.name);
  std::memcpy(p.gcnArchName, now.gcnArchName, sizeof p.gcnArchName);
  p.totalGlobalMem = now.totalGlobalMem;
  p.sharedMemPerBlock = now.sharedMemPerBlock;
  p.regsPerBlock = now.regsPerBlock;
  p.warpSize = now.warpSize;
  p.maxThreadsPerBlock = now.maxThreadsPerBlock;
  std::ranges::copy(now.maxThreadsDim, p.maxThreadsDim);
  std::ranges::copy(now.maxGridSize, p.maxGridSize);
  p.clockRate = now.clockRate;
  p.memoryClockRate = now.memoryClockRate;
  p.memoryBusWidth = now.memoryBusWidth;
  p.totalConstMem = now.totalConstMem;
  p.major = now.major;
  p.minor = now.minor;
  p.multiProcessorCount = now.multiProcessorCount;
  p.l2CacheSize = now.l2CacheSize;
  p.maxThreadsPerMultiProcessor = now.maxThreadsPerMultiProcessor;
  p.clockInstructionRate = now.clockInstructionRate;
  p.arch = now.arch;
  p.concurrentKernels = now.concurrentKernels;
  p.pciBusID = now.pciBusID;
  p.maxSharedMemoryPerMultiProcessor = now.maxSharedMemoryPerMultiProcessor;
  p.canMapHostMemory = now.canMapHostMemory;
  p.integrated = now.integrated;
  p.gcnArch = arch_number(gpu);
  p.cooperativeLaunch = now.cooperativeLaunch;
  p.cooperativeMultiDeviceLaunch = now.cooperativeMultiDeviceLaunch;
  p.maxTexture1DLinear = now.maxTexture1DLinear;
  p.maxTexture1D = now.maxTexture1D;
  std::ranges::copy(now.maxTexture2D, p.maxTexture2D);
  std::ranges::copy(now.maxTexture3D, p.maxTexture3D);
  p.memPitch = now.memPitch;
  p.textureAlignment = now.textureAlignment;
  p.texturePitchAlignment = now.texturePitchAlignment;
  p.ECCEnabled = now.ECCEnabled;
  p.cooperativeMultiDeviceUnmatchedFunc = now.cooperativeMultiDeviceUnmatchedFunc;
  p.cooperativeMultiDeviceUnmatchedGridDim = now.cooperativeMultiDeviceUnmatchedGridDim;
  p.cooperativeMultiDeviceUnmatchedBlockDim = now.cooperativeMultiDeviceUnmatchedBlockDim;
  p.cooperativeMultiDeviceUnmatchedSharedMem = now.cooperativeMultiDeviceUnmatchedSharedMem;
  p.isLargeBar = now.isLargeBar;
  p.managedMemory = now.managedMemory;
  p.directManagedMemAccessFromHost = now.directManagedMemAccessFromHost;
  p.concurrentManagedAccess = now.concurrentManagedAccess;
  p.pageableMemoryAccessUsesHostPageTables = now.integrated;  // as HIP 5 has it
  p.asicRevision = now.asicRevision;
  return p;
}

}  // namespace hipsight::runtime
