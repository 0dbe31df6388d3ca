#include "timing/occupancy.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/device.h"
#include "runtime/module/module.h"
#include "runtime/module/registration.h"
#include "runtime/state.h"
#include "session/launch_rules.h"

namespace hipsight::runtime {
namespace {

hipError_t count_blocks(int* blocks, int block_size, std::size_t lds, auto&& find) {
  return api([&] {
    require(blocks && block_size > 0);
    const auto function = find();
    const gpus::Gpu& gpu = Context::get().gpu();
    *blocks = 0;
    if (lds > gpu.max_lds_per_workgroup) return hipSuccess;
    *blocks = static_cast<int>(session::active_blocks(gpu, *function->kernel,
                                                      static_cast<std::uint32_t>(block_size),
                                                      static_cast<std::uint32_t>(lds)));
    return hipSuccess;
  });
}

/// The block size with the most resident work-items, the largest of equals; and the grid that fills
/// the device with such blocks.
hipError_t best_block(int* grid, int* block, std::size_t lds, int limit, auto&& find) {
  return api([&] {
    require(grid && block && limit >= 0);
    const auto function = find();
    const gpus::Gpu& gpu = Context::get().gpu();
    const code::Kernel& kernel = *function->kernel;
    require(lds <= gpu.max_lds_per_workgroup);
    std::uint32_t most = std::min(gpu.max_workgroup_size, kernel.max_flat_workgroup_size);
    if (limit) most = std::min(most, static_cast<std::uint32_t>(limit));
    std::uint32_t best = 0, best_items = 0, best_blocks = 0;
    for (std::uint32_t size = kernel.wavefront_size; size <= most; size += kernel.wavefront_size) {
      const std::uint32_t blocks =
          session::active_blocks(gpu, kernel, size, static_cast<std::uint32_t>(lds));
      if (blocks * size < best_items) continue;
      best = size;
      best_blocks = blocks;
      best_items = blocks * size;
    }
    *block = static_cast<int>(best);
    *grid = static_cast<int>(best_blocks * gpu.hip_multiprocessors());
    return hipSuccess;
  });
}

constexpr unsigned occupancy_disable_caching_override = 1;  // of no effect, like none

auto by_stub(const void* stub) {
  return [stub] { return registered_function(stub, current_device()); };
}
auto by_handle(hipFunction_t function) {
  return [function] { return find_function(function); };
}

}  // namespace

HIP_API hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* stub,
                                                                int block_size, std::size_t lds) {
  return count_blocks(blocks, block_size, lds, by_stub(stub));
}
HIP_API hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int* blocks, const void* stub, int block_size, std::size_t lds, unsigned flags) {
  if (flags > occupancy_disable_caching_override) return finish(hipErrorInvalidValue);
  return count_blocks(blocks, block_size, lds, by_stub(stub));
}
HIP_API hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks,
                                                                      hipFunction_t function,
                                                                      int block_size,
                                                                      std::size_t lds) {
  return count_blocks(blocks, block_size, lds, by_handle(function));
}
HIP_API hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int* blocks, hipFunction_t function, int block_size, std::size_t lds, unsigned flags) {
  if (flags > occupancy_disable_caching_override) return finish(hipErrorInvalidValue);
  return count_blocks(blocks, block_size, lds, by_handle(function));
}
HIP_API hipError_t hipOccupancyMaxPotentialBlockSize(int* grid, int* block, const void* stub,
                                                     std::size_t lds, int limit) {
  return best_block(grid, block, lds, limit, by_stub(stub));
}
HIP_API hipError_t hipModuleOccupancyMaxPotentialBlockSize(int* grid, int* block,
                                                           hipFunction_t function, std::size_t lds,
                                                           int limit) {
  return best_block(grid, block, lds, limit, by_handle(function));
}
HIP_API hipError_t hipModuleOccupancyMaxPotentialBlockSizeWithFlags(int* grid, int* block,
                                                                    hipFunction_t function,
                                                                    std::size_t lds, int limit,
                                                                    unsigned flags) {
  return best_block(grid, block, lds, limit, by_handle(function));
}

// Attributes of kernels.

namespace {

int most_dynamic_lds(const Function& function) {
  return static_cast<int>(Context::get().gpu().max_lds_per_workgroup - function.kernel->lds_bytes);
}

}  // namespace

int attribute(const Function& function, hipFunction_attribute which) {
  const code::Kernel& kernel = *function.kernel;
  const gpus::Gpu& gpu = Context::get().gpu();
  switch (which) {
    case HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      return static_cast<int>(std::min(kernel.max_flat_workgroup_size, gpu.max_workgroup_size));
    case HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
      return static_cast<int>(kernel.lds_bytes);
    case HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
      return static_cast<int>(kernel.scratch_bytes);
    case HIP_FUNC_ATTRIBUTE_NUM_REGS:
      return static_cast<int>(kernel.vgprs);
    case HIP_FUNC_ATTRIBUTE_PTX_VERSION:
    case HIP_FUNC_ATTRIBUTE_BINARY_VERSION:
      return 10 * gpu.isa_major() + gpu.isa_minor();
    case HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      return function.dynamic_lds >= 0 ? function.dynamic_lds.load() : most_dynamic_lds(function);
    case HIP_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
    case HIP_FUNC_ATTRIBUTE_CACHE_MODE_CA:
    case HIP_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      return 0;
    default:
      fail_with(hipErrorInvalidValue);
  }
}

// A kernel may use all of the LDS without asking: the request is only remembered.
void set_attribute(Function& function, hipFunction_attribute which, int value) {
  if (which == HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) {
    require(value >= 0 && value <= most_dynamic_lds(function));
    function.dynamic_lds = value;
  } else {
    require(which == HIP_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT);
    require(value >= -1 && value <= 100);  // percent; -1: no preference
  }
}

HIP_API hipError_t hipFuncGetAttribute(int* value, hipFunction_attribute which,
                                       hipFunction_t function) {
  return api([&] {
    require(value != nullptr);
    *value = attribute(*find_function(function), which);
    return hipSuccess;
  });
}

HIP_API hipError_t hipFuncGetAttributes(hipFuncAttributes* attributes, const void* stub) {
  return api([&] {
    require(attributes != nullptr);
    const auto function = registered_function(stub, current_device());
    const auto get = [&](hipFunction_attribute which) { return attribute(*function, which); };
    *attributes = {};
    attributes->binaryVersion = get(HIP_FUNC_ATTRIBUTE_BINARY_VERSION);
    attributes->localSizeBytes = static_cast<std::size_t>(get(HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES));
    attributes->maxDynamicSharedSizeBytes = get(HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
    attributes->maxThreadsPerBlock = get(HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    attributes->numRegs = get(HIP_FUNC_ATTRIBUTE_NUM_REGS);
    attributes->ptxVersion = get(HIP_FUNC_ATTRIBUTE_PTX_VERSION);
    attributes->sharedSizeBytes =
        static_cast<std::size_t>(get(HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES));
    return hipSuccess;
  });
}

HIP_API hipError_t hipFuncSetAttribute(const void* stub, hipFuncAttribute which, int value) {
  return api([&] {
    require(stub != nullptr, hipErrorInvalidDeviceFunction);
    // Its numbers are those of hipFunction_attribute.
    set_attribute(*registered_function(stub, current_device()),
                  static_cast<hipFunction_attribute>(which), value);
    return hipSuccess;
  });
}

HIP_API hipError_t hipFuncSetCacheConfig(const void* stub, hipFuncCache_t config) {
  return api([&] {
    require(stub != nullptr, hipErrorInvalidDeviceFunction);
    require(config <= hipFuncCachePreferEqual);
    return hipSuccess;
  });
}
HIP_API hipError_t hipFuncSetSharedMemConfig(const void* stub, hipSharedMemConfig config) {
  return api([&] {
    require(stub != nullptr, hipErrorInvalidDeviceFunction);
    require(config <= hipSharedMemBankSizeEightByte);
    return hipSuccess;
  });
}

}  // namespace hipsight::runtime
